package main

import (
	"context"
	"strings"

	carillon "github.com/carillon-push/carillon-go"
	"github.com/carillon-push/carillon-go/api"
)

// firstPush is the first push of README.md.
func firstPush(ctx context.Context, client *carillon.Client) {
	must(client.RegisterIos(ctx, api.IosRegistration{
		PushToken:  "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
		Locale:     carillon.Value("fr_FR"),
		AppVersion: carillon.Value("2.1"),
		Tags:       carillon.Value([]string{"beta"}),
		Custom:     carillon.Value(api.CustomAttributes{"plan": carillon.StringAttribute("gold")}),
	}))
	must(client.Send(ctx, api.NotificationRequest{
		To: carillon.Where(
			carillon.Filter("locale", "fr_FR", "fr_CA"),
			carillon.Filter("app_version", carillon.Range{"gte": "2.0"}),
			carillon.NotFilter("custom.string.plan", "free"),
		),
		Payload: &api.Payload{
			Alert:                carillon.Ptr("Bonjour !"),
			Sound:                carillon.Ptr("bell.caf"),
			AdditionalProperties: map[string]any{"order_id": 4711},
		},
	}))
}

// registerDevices returns the id of the device.
func registerDevices(ctx context.Context, client *carillon.Client) string {
	var registration api.DeviceRegistration
	check(registration.FromAndroidRegistration(api.AndroidRegistration{
		Platform:             api.AndroidRegistrationPlatformAndroid,
		PushToken:            "fGhJ7kQ2:APA91bF-sample",
		Locale:               carillon.Value("en_GB"),
		TimeZone:             carillon.Value("Europe/London"),
		OsName:               carillon.Value("Android"),
		OsVersion:            carillon.Value("16"),
		AppVersion:           carillon.Value("2.10.1"),
		MarketingName:        carillon.Value("Pixel 10"),
		UserID:               carillon.Value("user-17"),
		NotificationsAllowed: carillon.Value(api.AndroidRegistrationNotificationsAllowedEnabled),
		Tags:                 carillon.Value([]string{"beta", "news"}),
		Location:             carillon.Value(api.Place{Latitude: 51.5072, Longitude: -0.1276}),
		Custom: carillon.Value(api.CustomAttributes{
			"visits": carillon.IntegerAttribute(41),
			"teams":  carillon.StringAttribute("reds", "blues"),
		}),
	}))
	registered := must(client.RegisterDeviceWithResponse(ctx, api.RegisterDevice{Device: registration}))
	show("Devices > Register a device", registered.Body)
	known := registered.JSON200 // 201 for a new device, 200 for one that the app has already
	if known == nil {
		known = registered.JSON201
	}
	deviceID := known.Device.ID

	read := must(client.ReadDeviceWithResponse(ctx, deviceID))
	showPart("Devices > Read a device", read.JSON200.Device.Tags)

	found := must(client.LookUpDevicesWithResponse(ctx, api.LookUpDevices{Query: "user-17"}))
	showPart("Devices > Look a device up", found.JSON200.Devices[0].Match)

	token := must(client.ReadPushTokenWithResponse(ctx, deviceID))
	show("Devices > Read the state of its push token", token.Body)

	outcomes := 0
	for _, err := range client.DeviceOutcomes(ctx, deviceID) {
		check(err)
		outcomes++
	}
	showPart("Devices > List its last outcomes", outcomes)

	updated := must(client.UpdateDeviceWithResponse(ctx, deviceID, api.UpdateDevice{Device: api.DeviceUpdate{
		AppVersion: carillon.Value("2.11"),
		Tags:       carillon.Value([]string{"news"}),
		Custom:     carillon.Value(api.CustomAttributes{"visits": carillon.IntegerAttribute(42)}),
	}}))
	show("Devices > Update a device", updated.Body)

	old := must(client.RegisterAndroid(ctx, api.AndroidRegistration{PushToken: "an-old-token"}))
	show("Devices > Erase a device", must(client.EraseDeviceWithResponse(ctx, old.ID)).Body)

	lines := `{ "platform": "Android", "push_token": "imported-1", "locale": "de_DE", "tags": ["news"] }
{ "platform": "Android", "push_token": "imported-2", "locale": "Deutsch" }
{ "platform": "Android", "push_token": "null" }
`
	showPart("Devices > Import devices", must(client.Import(ctx, strings.NewReader(lines))))

	world := must(client.ReadDeviceMapWithResponse(ctx, &api.ReadDeviceMapParams{
		South: carillon.Ptr(48.0), West: carillon.Ptr(-5.0), North: carillon.Ptr(56.0), East: carillon.Ptr(5.0),
	}))
	showPart("Devices > Map devices", world.JSON200.Cells)
	return deviceID
}

func reportEvents(ctx context.Context, client *carillon.Client, deviceID string) {
	check(client.ReportEvents(ctx, deviceID,
		api.DeviceEvent{Name: "purchase"},
		api.DeviceEvent{Name: "purchase", Date: carillon.Value("2026-11-20T18:30:00Z")},
		api.DeviceEvent{Name: "viewed_offer", Source: carillon.Value("Mixpanel")},
	))
	renewed := api.ReportEvents{Events: []api.DeviceEvent{{Name: "renewed"}}}
	reported := must(client.ReportUserEventsWithResponse(ctx, "user-17", renewed))
	show("Users and events > Report events", reported.Body)

	changed := must(client.UpdateUserWithResponse(ctx, "user-17", api.UpdateUser{User: api.UpdateUser_User{
		Custom: api.CustomAttributes{"plan": carillon.StringAttribute("gold")},
	}}))
	show("Users and events > Set custom attributes of a user", changed.Body)
}
