package carillon

import (
	"context"
	"iter"

	"github.com/oapi-codegen/nullable"

	"github.com/carillon-push/carillon-go/api"
)

// page is one reply of a list.
type page[T any] struct {
	items  []T
	cursor nullable.Nullable[string]
}

// pages yields the items of a list and reads its next page when it is needed. It ends after the last page, or after the
// first error, which it yields.
func pages[T any](read func(cursor *string) (page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *string
		for {
			current, err := read(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range current.items {
				if !yield(item, nil) {
					return
				}
			}
			next, err := current.cursor.Get()
			if err != nil {
				return // null: it was the last page
			}
			cursor = &next
		}
	}
}

// Notifications lists the app's notifications, the newest first.
func (c *Client) Notifications(
	ctx context.Context, filter api.ListNotificationsParams,
) iter.Seq2[api.Notification, error] {
	return pages(func(cursor *string) (page[api.Notification], error) {
		if cursor != nil {
			filter.Cursor = cursor
		}
		reply, err := c.ListNotificationsWithResponse(ctx, &filter)
		if err != nil {
			return page[api.Notification]{}, err
		}
		return page[api.Notification]{reply.JSON200.Notifications, reply.JSON200.Meta.Cursor}, nil
	})
}

// Deliveries lists the devices of a notification that have an outcome.
func (c *Client) Deliveries(
	ctx context.Context, notificationID string, filter api.SearchDeliveriesParams,
) iter.Seq2[api.FoundDelivery, error] {
	return pages(func(cursor *string) (page[api.FoundDelivery], error) {
		if cursor != nil {
			filter.Cursor = cursor
		}
		reply, err := c.SearchDeliveriesWithResponse(ctx, notificationID, &filter)
		if err != nil {
			return page[api.FoundDelivery]{}, err
		}
		return page[api.FoundDelivery]{reply.JSON200.Deliveries, reply.JSON200.Meta.Cursor}, nil
	})
}

// Audiences lists the app's stored audiences.
func (c *Client) Audiences(
	ctx context.Context, filter api.ListAudiencesParams,
) iter.Seq2[api.ListedAudience, error] {
	return pages(func(cursor *string) (page[api.ListedAudience], error) {
		if cursor != nil {
			filter.Cursor, filter.Page = cursor, nil
		}
		reply, err := c.ListAudiencesWithResponse(ctx, &filter)
		if err != nil {
			return page[api.ListedAudience]{}, err
		}
		return page[api.ListedAudience]{reply.JSON200.Audiences, reply.JSON200.Meta.Cursor}, nil
	})
}

// AudienceDevices lists the devices that are in an audience now.
func (c *Client) AudienceDevices(ctx context.Context, audienceID string) iter.Seq2[api.Device, error] {
	return pages(func(cursor *string) (page[api.Device], error) {
		reply, err := c.ListAudienceDevicesWithResponse(ctx, audienceID, &api.ListAudienceDevicesParams{Cursor: cursor})
		if err != nil {
			return page[api.Device]{}, err
		}
		return page[api.Device]{reply.JSON200.Devices, reply.JSON200.Meta.Cursor}, nil
	})
}

// DeviceOutcomes lists what became of notifications for a device, the newest first.
func (c *Client) DeviceOutcomes(ctx context.Context, deviceID string) iter.Seq2[api.DeviceOutcome, error] {
	return pages(func(cursor *string) (page[api.DeviceOutcome], error) {
		reply, err := c.ListDeviceOutcomesWithResponse(ctx, deviceID, &api.ListDeviceOutcomesParams{Cursor: cursor})
		if err != nil {
			return page[api.DeviceOutcome]{}, err
		}
		return page[api.DeviceOutcome]{reply.JSON200.Outcomes, reply.JSON200.Meta.Cursor}, nil
	})
}

// AuditLog lists who changed what, the newest first. The key needs the permission `admin`.
func (c *Client) AuditLog(ctx context.Context, filter api.ListAuditParams) iter.Seq2[api.AuditEntry, error] {
	return pages(func(cursor *string) (page[api.AuditEntry], error) {
		if cursor != nil {
			filter.Cursor = cursor
		}
		reply, err := c.ListAuditWithResponse(ctx, &filter)
		if err != nil {
			return page[api.AuditEntry]{}, err
		}
		return page[api.AuditEntry]{reply.JSON200.Entries, reply.JSON200.Meta.Cursor}, nil
	})
}
