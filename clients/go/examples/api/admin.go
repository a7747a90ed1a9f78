package main

import (
	"context"
	"log"
	"strings"

	carillon "github.com/carillon-push/carillon-go"
	"github.com/carillon-push/carillon-go/api"
)

func workAsAdmin(ctx context.Context, client *carillon.Client) {
	made := must(client.CreateKeyWithResponse(ctx, api.CreateKey{Key: api.CreateKey_Key{
		Name:   carillon.Value("back end"),
		Scopes: []api.CreateKeyKeyScopes{api.CreateKeyKeyScopesRead, api.CreateKeyKeyScopesWrite},
	}}))
	show("Keys and credentials > Create an API key", made.Body)
	stored := must(client.ListCredentialsWithResponse(ctx))
	showPart("Keys and credentials > Read credentials and routes", stored.JSON200.Routes)

	imports := api.ListAuditParams{
		Action: carillon.Ptr(api.ListAuditParamsActionDevicesImported), Per: carillon.Ptr(1),
	}
	show("Audit log", must(client.ListAuditWithResponse(ctx, &imports)).Body)
	listed, exported := 0, 0
	for _, err := range client.AuditLog(ctx, api.ListAuditParams{Per: carillon.Ptr(1)}) {
		check(err)
		listed++
	}
	for _, err := range client.ExportAudit(ctx, api.ExportAuditParams{}) {
		check(err)
		exported++
	}
	if listed == 0 || listed != exported {
		log.Fatalf("the list has %d entries and the export %d", listed, exported)
	}
	showPart("Audit log", exported)
}

func readTheApp(ctx context.Context, client *carillon.Client) {
	overview := must(client.ReadOverviewWithResponse(ctx, &api.ReadOverviewParams{
		Days: carillon.Ptr(1), TimeZone: carillon.Ptr("Europe/London"),
	}))
	showPart("The app > Overview", overview.JSON200.Overview.Attention)

	show("Health and metrics", must(client.ReadLivenessWithResponse(ctx)).Body)
	show("Health and metrics", must(client.ReadReadinessWithResponse(ctx)).Body)
	metrics := must(client.ReadMetricsWithResponse(ctx))
	showPart("Health and metrics", strings.Contains(string(metrics.Body), "carillon_pushes_total"))
}
