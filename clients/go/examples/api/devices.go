package main

import (
	"context"
	"slices"

	carillon "github.com/carillon-push/carillon-go"
)

// firstPush is the first push of README.md.
func firstPush(ctx context.Context, client *carillon.Client) {
	must(client.RegisterDevice(ctx, carillon.DeviceRegistration{
		Platform:   "iOS",
		PushToken:  carillon.Ptr("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"),
		Locale:     carillon.Value("fr_FR"),
		AppVersion: carillon.Value("2.1"),
		Tags:       carillon.Value([]string{"beta"}),
		Custom:     carillon.Value(carillon.CustomAttributes{"plan": carillon.StringAttribute("gold")}),
	}))
	must(client.CreateNotification(ctx, carillon.NotificationRequest{
		To: carillon.Where(
			carillon.Is("locale", "fr_FR", "fr_CA"),
			carillon.Is("app_version", carillon.Range{"gte": "2.0"}),
			carillon.IsNot("custom.string.plan", "free"),
		),
		Payload: &carillon.Payload{
			Alert: carillon.Ptr("Bonjour !"),
			Sound: carillon.Ptr("bell.caf"),
			Extra: map[string]any{"order_id": 4711},
		},
	}))
}

// registerDevices returns the id of the device.
func registerDevices(ctx context.Context, client *carillon.Client) string {
	registered := must(client.RegisterDevice(ctx, carillon.DeviceRegistration{
		Platform:             "Android",
		PushToken:            carillon.Ptr("fGhJ7kQ2:APA91bF-sample"),
		Locale:               carillon.Value("en_GB"),
		TimeZone:             carillon.Value("Europe/London"),
		OsName:               carillon.Value("Android"),
		OsVersion:            carillon.Value("16"),
		AppVersion:           carillon.Value("2.10.1"),
		MarketingName:        carillon.Value("Pixel 10"),
		UserID:               carillon.Value("user-17"),
		NotificationsAllowed: carillon.Value("Enabled"),
		Tags:                 carillon.Value([]string{"beta", "news"}),
		Location:             carillon.Value(carillon.Place{Latitude: 51.5072, Longitude: -0.1276}),
		Custom: carillon.Value(carillon.CustomAttributes{
			"visits": carillon.IntegerAttribute(41),
			"teams":  carillon.StringAttribute("reds", "blues"),
		}),
	}))
	show("Devices > Register a device", registered)
	deviceID := registered.Device.ID

	show("Devices > Read a device", must(client.ReadDevice(ctx, deviceID)).Device.Tags)
	show("Devices > Look a device up", must(client.LookUpDevices(ctx, "user-17")).Devices[0].Match)
	show("Devices > Read the state of its push token", must(client.ReadPushToken(ctx, deviceID)))
	pushes := must(client.ListDevicePushes(ctx, deviceID, carillon.ListDevicePushesQuery{}))
	show("Devices > List its pushes", pushes)

	updated := must(client.UpdateDevice(ctx, deviceID, carillon.DeviceUpdate{
		AppVersion: carillon.Value("2.11"),
		Tags:       carillon.Value([]string{"news"}),
		Custom:     carillon.Value(carillon.CustomAttributes{"visits": carillon.IntegerAttribute(42)}),
	}))
	show("Devices > Update a device", updated)

	old := carillon.DeviceRegistration{Platform: "Android", PushToken: carillon.Ptr("an-old-token")}
	check(client.EraseDevice(ctx, must(client.RegisterDevice(ctx, old)).Device.ID))
	show("Devices > Erase a device", nil)

	show("Devices > Import devices", must(client.ImportDevices(ctx, slices.Values([]carillon.DeviceRegistration{
		{
			Platform: "Android", PushToken: carillon.Ptr("imported-1"),
			Locale: carillon.Value("de_DE"), Tags: carillon.Value([]string{"news"}),
		},
		{Platform: "Android", PushToken: carillon.Ptr("imported-2"), Locale: carillon.Value("Deutsch")},
		{Platform: "Android", PushToken: carillon.Ptr("null")},
	}))))

	return deviceID
}

func reportEvents(ctx context.Context, client *carillon.Client, deviceID string) {
	check(client.ReportDeviceEvents(ctx, deviceID, []carillon.DeviceEvent{
		{Name: "purchase"},
		{Name: "purchase", Date: carillon.Value("2026-11-20T18:30:00Z")},
		{Name: "viewed_offer", Source: carillon.Value("Mixpanel")},
	}))
	check(client.ReportUserEvents(ctx, "user-17", carillon.ReportUserEvents{
		Events: []carillon.DeviceEvent{{Name: "renewed"}},
	}))
	show("Users and events > Report events", struct{}{})

	changed := must(client.UpdateUser(ctx, "user-17", carillon.UserUpdate{
		Custom: carillon.CustomAttributes{"plan": carillon.StringAttribute("gold")},
	}))
	show("Users and events > Set custom attributes of a user", changed)
	addressed := must(client.ListUserPushes(ctx, "user-17", carillon.ListUserPushesQuery{}))
	show("Users and events > List the pushes of a user", addressed)
}
