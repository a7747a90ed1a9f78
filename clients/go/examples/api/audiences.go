package main

import (
	"context"

	carillon "github.com/carillon-push/carillon-go"
	"github.com/carillon-push/carillon-go/api"
)

func askAboutAudiences(ctx context.Context, client *carillon.Client, audienceID, deviceID string) {
	show("Audiences > Read one", must(client.ReadAudienceWithResponse(ctx, audienceID)).Body)
	two := api.ListAudiencesParams{Per: carillon.Ptr(2)}
	show("Audiences > List them", must(client.ListAudiencesWithResponse(ctx, &two)).Body)

	named := must(client.CreateAudienceWithResponse(ctx, api.CreateAudience{Audience: api.NewAudience{
		Name:    "Frequent visitors",
		Filters: []api.Filter{carillon.Filter("custom.integer.visits", carillon.Range{"gte": 10})},
	}}))
	show("Audiences > Name one", named.Body)
	for audience, err := range client.Audiences(ctx, two) {
		check(err)
		if audience.Name == "Frequent visitors" {
			show("Audiences > Delete one", must(client.DeleteAudienceWithResponse(ctx, audience.ID)).Body)
		}
	}

	tagged := carillon.Filter("tags", "beta", "news")
	count := must(client.CountAudienceWithResponse(ctx, api.CountAudience{Filters: []api.Filter{tagged}}))
	show("Audiences > Count without storing", count.Body)
	counts := must(client.CountEachFilterWithResponse(ctx, api.CountAudience{
		Filters: []api.Filter{tagged, carillon.NotFilter("locale", "fr_FR")},
	}))
	show("Audiences > Count each filter", counts.Body)

	var ids []string
	for device, err := range client.AudienceDevices(ctx, audienceID) {
		check(err)
		ids = append(ids, device.ID)
	}
	showPart("Audiences > List its devices", ids)
	explanation := must(client.ExplainDeviceWithResponse(ctx, audienceID, deviceID))
	show("Audiences > Ask why a device is in or out", explanation.Body)
}
