package carillon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/carillon-push/carillon-go/api"
)

// IdempotencyKey sends a notification with this key instead of one that the client makes. For 24 hours the server stores a
// notification once for a key, even if the program that sends it was started again: `order-4711-shipped`.
func IdempotencyKey(key string) api.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(idempotencyKey, key)
		return nil
	}
}

// Send stores a notification, which is then sent. It may be called again safely with the same [IdempotencyKey]; the client's
// own repetitions always are.
func (c *Client) Send(
	ctx context.Context, notification api.NotificationRequest, editors ...api.RequestEditorFn,
) (*api.CreatedNotification, error) {
	body := api.CreateNotification{Notification: notification}
	reply, err := c.CreateNotificationWithResponse(ctx, nil, body, editors...)
	if err != nil {
		return nil, err
	}
	return reply.JSON201, nil
}

// SendBatch stores up to 1,000 notifications, each on its own: the server may take some and refuse others. Items without an
// idempotency key get one. The entries are in the order of the items.
func (c *Client) SendBatch(ctx context.Context, items []api.BatchItem) ([]BatchEntry, error) {
	reply, err := c.CreateNotificationsWithResponse(ctx, items)
	if err != nil {
		return nil, err
	}
	var entries []BatchEntry
	if err := json.Unmarshal(reply.Body, &entries); err != nil {
		return nil, err
	}
	return entries, nil
}

// BatchEntry says what became of one notification of a batch: either it is stored, or Err says why not.
type BatchEntry struct {
	Stored *api.StoredBatchEntry
	Err    *Error
}

// UnmarshalJSON tells the two kinds of entries apart.
func (e *BatchEntry) UnmarshalJSON(data []byte) error {
	var entry api.RefusedBatchEntry
	if err := json.Unmarshal(data, &entry); err != nil {
		return err
	}
	if entry.Status != http.StatusCreated {
		e.Err = &Error{
			Status: entry.Status, Code: string(entry.Code), Message: entry.Error, Details: entry.Details,
		}
		return nil
	}
	return json.Unmarshal(data, &e.Stored)
}

// RegisterIos registers an installation of the app on an iPhone or iPad, or updates it. An app that does this itself holds a
// key with the permission `register` alone.
func (c *Client) RegisterIos(ctx context.Context, device api.IosRegistration) (*api.RegisteredDevice_Device, error) {
	device.Platform = api.IosRegistrationPlatformIOS
	var registration api.DeviceRegistration
	if err := registration.FromIosRegistration(device); err != nil {
		return nil, err
	}
	return c.register(ctx, registration)
}

// RegisterAndroid registers an installation of the app on Android, or updates it.
func (c *Client) RegisterAndroid(
	ctx context.Context, device api.AndroidRegistration,
) (*api.RegisteredDevice_Device, error) {
	device.Platform = api.AndroidRegistrationPlatformAndroid
	var registration api.DeviceRegistration
	if err := registration.FromAndroidRegistration(device); err != nil {
		return nil, err
	}
	return c.register(ctx, registration)
}

func (c *Client) register(
	ctx context.Context, registration api.DeviceRegistration,
) (*api.RegisteredDevice_Device, error) {
	reply, err := c.RegisterDeviceWithResponse(ctx, api.RegisterDevice{Device: registration})
	if err != nil {
		return nil, err
	}
	registered := reply.JSON200
	if registered == nil {
		registered = reply.JSON201
	}
	return &registered.Device, nil
}

// ReadNotification reads a notification with its state and counters.
func (c *Client) ReadNotification(ctx context.Context, id string) (*api.Notification, error) {
	reply, err := c.ReadNotificationWithResponse(ctx, id)
	if err != nil {
		return nil, err
	}
	return reply.JSON200, nil
}

// ReportEvents reports events of a device. It is not tried again where the server may have counted them.
func (c *Client) ReportEvents(ctx context.Context, deviceID string, events ...api.DeviceEvent) error {
	_, err := c.ReportDeviceEventsWithResponse(ctx, deviceID, api.ReportEvents{Events: events})
	return err
}

// Import registers any number of devices, which are read from a file or made while they are sent: one JSON object per line.
// It is sent once, and without a limit of time.
func (c *Client) Import(ctx context.Context, lines io.Reader) (*api.ImportResult, error) {
	reply, err := c.ImportDevicesWithBodyWithResponse(ctx, "application/x-ndjson", struct{ io.Reader }{lines})
	if err != nil {
		return nil, err
	}
	return reply.JSON200, nil
}

func mustMarshal(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("carillon: " + err.Error())
	}
	return text.Bytes()
}
