package main

import (
	"context"
	"log"
	"time"

	carillon "github.com/carillon-push/carillon-go"
	"github.com/carillon-push/carillon-go/api"
)

// sendNotifications returns the ids of the first notification and of its audience.
func sendNotifications(ctx context.Context, client *carillon.Client) (string, string) {
	onItsWay := api.Payload{Title: carillon.Ptr("Order 4711"), Alert: carillon.Ptr("It is on its way.")}
	withOrder := onItsWay
	withOrder.AdditionalProperties = map[string]any{"order_id": 4711}
	// Without a key of its own, the client makes one.
	sent := must(client.CreateNotificationWithResponse(ctx, nil, api.CreateNotification{
		Notification: api.NotificationRequest{
			To:         carillon.Where(carillon.Filter("user_id", "user-17")),
			Payload:    &withOrder,
			TimeToLive: carillon.Ptr(3600),
			Priority:   carillon.Ptr(api.NotificationRequestPriorityHigh),
		},
	}, carillon.IdempotencyKey("order-4711-shipped")))
	show("Send a notification", sent.Body)

	preview := must(client.PreviewNotificationWithResponse(ctx, api.PreviewNotification{
		Notification: api.NotificationRequest{
			To: carillon.Everyone(), Payload: &onItsWay, TimeToLive: carillon.Ptr(3600),
		},
	}))
	show("Send a notification > Preview it", preview.Body)

	count := must(client.CountNotificationWithResponse(ctx, api.CountNotification{To: carillon.Everyone()}))
	show("Send a notification > Count its devices", count.Body)

	items := []api.BatchItem{
		{
			Notification: api.NotificationRequest{
				To: carillon.ToUser("user-17"), Payload: &api.Payload{Alert: carillon.Ptr("Hello Anna")},
			},
			IdempotencyKey: carillon.Ptr("hello-17"),
		},
		{
			Notification: api.NotificationRequest{
				To:      carillon.ToAudience("b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"),
				Payload: &api.Payload{Alert: carillon.Ptr("Hello")},
			},
		},
	}
	batch := must(client.CreateNotificationsWithResponse(ctx, items))
	show("Send a notification > Send up to 1,000 in one call", batch.Body)
	entries := must(client.SendBatch(ctx, items))
	if entries[0].Stored == nil || entries[1].Err.Code != "not_found" {
		log.Fatalf("the entries are %+v", entries)
	}
	return sent.JSON201.ID, sent.JSON201.To.ID
}

func setMoments(ctx context.Context, client *carillon.Client, deviceID string) {
	inThreeDays := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly) + "T09:00:00"
	goodMorning := api.Payload{Alert: carillon.Ptr("Good morning")}
	must(client.Send(ctx, api.NotificationRequest{
		To:             carillon.Everyone(),
		Payload:        &goodMorning,
		DeliverAtLocal: &api.DeliverAtLocal{Time: inThreeDays, NoTimeZone: "Europe/Berlin"},
		SpreadOver:     carillon.Ptr("PT15M"),
	}))
	waves := must(client.PlanNotificationWavesWithResponse(ctx, api.CreateNotification{
		Notification: api.NotificationRequest{
			To:             carillon.Everyone(),
			Payload:        &goodMorning,
			DeliverAtLocal: &api.DeliverAtLocal{Time: inThreeDays, NoTimeZone: "skip"},
		},
	}))
	show("Send a notification > At local time", waves.Body)

	must(client.SetQuietHoursWithResponse(ctx, api.SetQuietHours{QuietHours: carillon.Value(api.QuietHoursRule{
		From: "22:00", To: "08:00", NoTimeZone: "Europe/Berlin",
		Action: carillon.Ptr(api.QuietHoursRuleActionHold), ReleaseOver: carillon.Ptr("PT15M"),
	})}))
	none := must(client.SetQuietHoursWithResponse(ctx, api.SetQuietHours{
		QuietHours: carillon.Null[api.QuietHoursRule](),
	}))
	show("Send a notification > Quiet hours", none.Body)

	own := api.DeviceQuietHours{From: "22:00", To: "07:00", Days: []api.Weekday{
		api.WeekdaySunday, api.WeekdayMonday, api.WeekdayTuesday, api.WeekdayWednesday, api.WeekdayThursday,
	}}
	quiet := must(client.UpdateDeviceWithResponse(ctx, deviceID, api.UpdateDevice{
		Device: api.DeviceUpdate{QuietHours: carillon.Value(own)},
	}))
	showPart("Send a notification > Quiet hours > Quiet hours of a device", quiet.JSON200.Device.QuietHours)
	must(client.UpdateDeviceWithResponse(ctx, deviceID, api.UpdateDevice{
		Device: api.DeviceUpdate{QuietHours: carillon.Null[api.DeviceQuietHours]()},
	}))

	caps := must(client.SetFrequencyCapsWithResponse(ctx, api.SetFrequencyCaps{
		FrequencyCaps: []api.SetFrequencyCaps_FrequencyCaps{{
			Group:  "marketing",
			By:     api.SetFrequencyCapsFrequencyCapsByUser,
			Limits: []api.SetFrequencyCaps_FrequencyCaps_Limits{{AtMost: 2, Per: "P1D"}, {AtMost: 5, Per: "P7D"}},
		}},
	}))
	show("Send a notification > Frequency caps", caps.Body)
}
