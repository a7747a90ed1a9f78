package main

import (
	"context"
	"log"
	"time"

	carillon "github.com/carillon-push/carillon-go"
)

func followNotification(ctx context.Context, client *carillon.Client, id, deviceID string) {
	var last carillon.NotificationProgress
	for progress, err := range client.WatchNotification(ctx, id) {
		check(err)
		last = progress
	}
	show("Follow a notification > Watch it", last)
	show("Follow a notification > Read it", must(client.ReadNotification(ctx, id)))

	var ids []string
	for page, err := range carillon.Pages(func(cursor string) (*carillon.NotificationList, error) {
		return client.ListNotifications(ctx, carillon.ListNotificationsQuery{Per: 1, Cursor: cursor})
	}) {
		check(err)
		for _, notification := range page.Notifications {
			ids = append(ids, notification.ID)
		}
	}
	show("Follow a notification > List them", ids)

	list := must(client.ListNotifications(ctx, carillon.ListNotificationsQuery{Per: 1}))
	than := carillon.CountNewerNotificationsQuery{Than: *list.Meta.Newest}
	show("Follow a notification > Count newer ones", must(client.CountNewerNotifications(ctx, than)))

	report := must(client.ReadNotificationReport(ctx, id))
	show("Follow a notification > Ask why devices did not get it", report)
	outcome := must(client.ReadDelivery(ctx, id, deviceID))
	show("Follow a notification > Ask what became of one device", outcome)
	explanation := must(client.ExplainDelivery(ctx, id, deviceID))
	show("Follow a notification > Ask why a device did not get it", explanation)

	accepted := carillon.SearchDeliveriesQuery{Outcome: "accepted", Per: 1}
	show("Follow a notification > Find devices by outcome", must(client.SearchDeliveries(ctx, id, accepted)))
	for found, err := range client.ExportDeliveries(ctx, id, carillon.ExportDeliveriesQuery{Outcome: "accepted"}) {
		check(err)
		if found.DeviceID != deviceID {
			log.Fatalf("there is one device, and not %s", found.DeviceID)
		}
	}

	check(client.ReportOpen(ctx, id, deviceID))
	show("Follow a notification > Report that it was opened", struct{}{})
	received := must(client.ReportReceipts(ctx, []carillon.Receipt{
		{Notification: id, Device: deviceID, Shown: carillon.Ptr(true)},
		{Notification: "last week's", Device: deviceID},
	}))
	show("Follow a notification > Report that it was received", received)
	show("Follow a notification > Read its numbers", must(client.ReadNotificationStats(ctx, id)))

	later := must(client.CreateNotification(ctx, carillon.NotificationRequest{
		To:        carillon.Everyone(),
		DeliverAt: carillon.Ptr(time.Now().UTC().Add(time.Hour).Format("2006-01-02T15:04:05.000Z")),
		Payload:   &carillon.Payload{Alert: carillon.Ptr("Soon")},
	}))
	show("Follow a notification > Cancel it", must(client.CancelNotification(ctx, later.ID)))
}
