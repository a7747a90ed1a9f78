package main

import (
	"context"
	"log"
	"time"

	carillon "github.com/carillon-push/carillon-go"
	"github.com/carillon-push/carillon-go/api"
)

func followNotification(ctx context.Context, client *carillon.Client, id, deviceID string) {
	var last api.NotificationProgress
	for progress, err := range client.Watch(ctx, id) {
		check(err)
		last = progress
	}
	showPart("Follow a notification > Watch it", last.State)

	read := must(client.ReadNotificationWithResponse(ctx, id))
	show("Follow a notification > Read it", read.Body)

	var ids []string
	for notification, err := range client.Notifications(ctx, api.ListNotificationsParams{Per: carillon.Ptr(1)}) {
		check(err)
		ids = append(ids, notification.ID)
	}
	showPart("Follow a notification > List them", ids)

	list := must(client.ListNotificationsWithResponse(ctx, &api.ListNotificationsParams{Per: carillon.Ptr(1)}))
	newer := must(client.CountNewerNotificationsWithResponse(ctx, &api.CountNewerNotificationsParams{
		Than: carillon.Ptr(list.JSON200.Meta.Newest.MustGet()),
	}))
	show("Follow a notification > Count newer ones", newer.Body)

	report := must(client.ReadNotificationReportWithResponse(ctx, id))
	show("Follow a notification > Ask why devices did not get it", report.Body)
	outcome := must(client.ReadDeliveryWithResponse(ctx, id, deviceID))
	show("Follow a notification > Ask what became of one device", outcome.Body)
	explanation := must(client.ExplainDeliveryWithResponse(ctx, id, deviceID))
	show("Follow a notification > Ask why a device did not get it", explanation.Body)

	accepted := api.SearchDeliveriesParams{
		Outcome: carillon.Ptr(api.SearchDeliveriesParamsOutcomeAccepted), Per: carillon.Ptr(1),
	}
	found := must(client.SearchDeliveriesWithResponse(ctx, id, &accepted))
	show("Follow a notification > Find devices by outcome", found.Body)
	searched, exported := 0, 0
	for _, err := range client.Deliveries(ctx, id, accepted) {
		check(err)
		searched++
	}
	for _, err := range client.ExportDeliveries(ctx, id, api.ExportDeliveriesParams{}) {
		check(err)
		exported++
	}
	if searched != 1 || exported != 1 {
		log.Fatalf("there is one device, and not %d or %d", searched, exported)
	}

	opened := must(client.ReportOpenWithResponse(ctx, id, api.ReportOpen{DeviceID: deviceID}))
	show("Follow a notification > Report that it was opened", opened.Body)
	received := must(client.ReportReceiptsWithResponse(ctx, []api.Receipt{
		{Notification: id, Device: deviceID, Shown: carillon.Ptr(true)},
		{Notification: "last week's", Device: deviceID},
	}))
	show("Follow a notification > Report that it was received", received.Body)
	numbers := must(client.ReadNotificationStatsWithResponse(ctx, id))
	show("Follow a notification > Read its numbers", numbers.Body)

	later := must(client.Send(ctx, api.NotificationRequest{
		To:        carillon.Everyone(),
		DeliverAt: carillon.Ptr(time.Now().UTC().Add(time.Hour).Format("2006-01-02T15:04:05.000Z")),
		Payload:   &api.Payload{Alert: carillon.Ptr("Soon")},
	}))
	show("Follow a notification > Cancel it", must(client.CancelNotificationWithResponse(ctx, later.ID)).Body)
}
