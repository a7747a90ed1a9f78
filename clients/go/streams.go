package carillon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/carillon-push/carillon-go/api"
)

const lineBytesMax = 1 << 20

// Watch yields the progress of a notification whenever it changes, until it has ended.
func (c *Client) Watch(ctx context.Context, notificationID string) iter.Seq2[api.NotificationProgress, error] {
	return stream[api.NotificationProgress](func() (*http.Response, error) {
		return c.WatchNotification(ctx, notificationID)
	}, func(line []byte) []byte {
		data, _ := bytes.CutPrefix(line, []byte("data:"))
		if len(data) == len(line) {
			return nil // The name of an event, a comment, or the end of an event.
		}
		return data
	})
}

// ExportDeliveries yields every device of a notification that fits the filter, as the reply comes.
func (c *Client) ExportDeliveries(
	ctx context.Context, notificationID string, filter api.ExportDeliveriesParams,
) iter.Seq2[api.FoundDelivery, error] {
	filter.Format = Ptr(api.Ndjson)
	return stream[api.FoundDelivery](func() (*http.Response, error) {
		return c.ClientInterface.ExportDeliveries(ctx, notificationID, &filter)
	}, wholeLine)
}

// ExportAudit yields every entry of the audit log that fits the filter, as the reply comes.
func (c *Client) ExportAudit(
	ctx context.Context, filter api.ExportAuditParams,
) iter.Seq2[api.AuditEntry, error] {
	return stream[api.AuditEntry](func() (*http.Response, error) {
		return c.ClientInterface.ExportAudit(ctx, &filter)
	}, wholeLine)
}

func wholeLine(line []byte) []byte {
	return line
}

// stream yields the values of a reply of lines. dataOf returns the JSON of a line, or nothing.
func stream[T any](open func() (*http.Response, error), dataOf func([]byte) []byte) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		response, err := open()
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, lineBytesMax)
		for lines.Scan() {
			data := dataOf(lines.Bytes())
			if len(data) == 0 {
				continue
			}
			var value T
			if err := json.Unmarshal(data, &value); err != nil {
				yield(none, err)
				return
			}
			if !yield(value, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(none, &NoReplyError{Err: err, host: response.Request.URL.Host})
		}
	}
}
