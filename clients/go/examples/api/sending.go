package main

import (
	"context"
	"log"
	"time"

	carillon "github.com/carillon-push/carillon-go"
)

// sendNotifications returns the first notification.
func sendNotifications(ctx context.Context, client *carillon.Client) *carillon.CreatedNotification {
	onItsWay := carillon.Payload{Title: carillon.Ptr("Order 4711"), Alert: carillon.Ptr("It is on its way.")}
	withOrder := onItsWay
	withOrder.Extra = map[string]any{"order_id": 4711}
	// Without a key of its own, the client makes one.
	sent := must(client.CreateNotification(ctx, carillon.NotificationRequest{
		To:         carillon.Where(carillon.Is("user_id", "user-17")),
		Payload:    &withOrder,
		TimeToLive: carillon.Ptr(3600),
		Priority:   carillon.Ptr("high"),
	}, carillon.IdempotencyKey("order-4711-shipped")))
	show("Send a notification", sent)

	preview := must(client.PreviewNotification(ctx, carillon.PreviewNotification{
		Notification: carillon.NotificationRequest{
			To: carillon.Everyone(), Payload: &onItsWay, TimeToLive: carillon.Ptr(3600),
		},
	}))
	show("Send a notification > Preview it", preview)
	show("Send a notification > Count its devices", must(client.CountNotification(ctx, carillon.Everyone())))

	batch := must(client.CreateNotifications(ctx, []carillon.BatchItem{
		{
			Notification: carillon.NotificationRequest{
				To: carillon.ToUser("user-17"), Payload: &carillon.Payload{Alert: carillon.Ptr("Hello Anna")},
			},
			IdempotencyKey: carillon.Ptr("hello-17"),
		},
		{
			Notification: carillon.NotificationRequest{
				To:      carillon.ToAudience("b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"),
				Payload: &carillon.Payload{Alert: carillon.Ptr("Hello")},
			},
		},
	}))
	show("Send a notification > Send up to 1,000 in one call", batch)
	if batch[0].Err() != nil || batch[1].Err() == nil {
		log.Fatalf("the entries are %+v", batch)
	}
	return sent
}

func setMoments(ctx context.Context, client *carillon.Client, deviceID string) {
	inThreeDays := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly) + "T09:00:00"
	goodMorning := carillon.NotificationRequest{
		To:             carillon.Everyone(),
		Payload:        &carillon.Payload{Alert: carillon.Ptr("Good morning")},
		DeliverAtLocal: &carillon.DeliverAtLocal{Time: inThreeDays, NoTimeZone: "Europe/Berlin"},
		SpreadOver:     carillon.Ptr("PT15M"),
	}
	must(client.CreateNotification(ctx, goodMorning))
	goodMorning.DeliverAtLocal = &carillon.DeliverAtLocal{Time: inThreeDays, NoTimeZone: "skip"}
	goodMorning.SpreadOver = nil
	show("Send a notification > At local time", must(client.PlanNotificationWaves(ctx, goodMorning)))

	hours := object{"from": "22:00", "to": "08:00", "no_time_zone": "Europe/Berlin", "action": "hold"}
	call(ctx, client, "PUT", "/v6/app/quiet-hours", object{"quiet_hours": hours})
	none := call(ctx, client, "PUT", "/v6/app/quiet-hours", object{"quiet_hours": nil})
	show("Send a notification > Quiet hours", none)

	quiet := must(client.UpdateDevice(ctx, deviceID, carillon.DeviceUpdate{
		QuietHours: carillon.Value(carillon.DeviceQuietHours{
			From: "22:00", To: "07:00", Days: []string{"sunday", "monday", "tuesday", "wednesday", "thursday"},
		}),
	}))
	show("Send a notification > Quiet hours > Quiet hours of a device", quiet.Device.QuietHours)
	must(client.UpdateDevice(ctx, deviceID, carillon.DeviceUpdate{
		QuietHours: carillon.Null[carillon.DeviceQuietHours](),
	}))

	limits := []object{{"at_most": 2, "per": "P1D"}, {"at_most": 5, "per": "P7D"}}
	caps := []object{{"group": "marketing", "by": "user", "limits": limits}}
	set := call(ctx, client, "PUT", "/v6/app/frequency-caps", object{"frequency_caps": caps})
	show("Send a notification > Frequency caps", set)
}
