package main

import (
	"context"

	carillon "github.com/carillon-push/carillon-go"
)

func askAboutAudiences(ctx context.Context, client *carillon.Client, audienceID, deviceID string) {
	show("Audiences > Read one", must(client.ReadAudience(ctx, audienceID)))
	show("Audiences > List them", must(client.ListAudiences(ctx, carillon.ListAudiencesQuery{Per: 2})))

	named := must(client.CreateAudience(ctx, carillon.NewAudience{
		Name:    "Frequent visitors",
		Filters: []carillon.Filter{carillon.Is("custom.integer.visits", carillon.Range{"gte": 10})},
	}))
	show("Audiences > Name one", named)
	check(client.DeleteAudience(ctx, named.Audience.ID))
	show("Audiences > Delete one", nil)

	filters := []carillon.Filter{carillon.Is("tags", "beta", "news"), carillon.IsNot("locale", "fr_FR")}
	show("Audiences > Count without storing", must(client.CountAudience(ctx, filters[:1])))
	show("Audiences > Count each filter", must(client.CountEachFilter(ctx, filters)))

	var ids []string
	for page, err := range carillon.Pages(func(cursor string) (*carillon.AudienceDevices, error) {
		return client.ListAudienceDevices(ctx, audienceID, carillon.ListAudienceDevicesQuery{Cursor: cursor})
	}) {
		check(err)
		for _, device := range page.Devices {
			ids = append(ids, device.ID)
		}
	}
	show("Audiences > List its devices", ids)
	show("Audiences > Ask why a device is in or out", must(client.ExplainDevice(ctx, audienceID, deviceID)))
}
