package carillon

import (
	"bufio"
	"bytes"
	"context"
	"iter"
	"net/http"
)

const lineBytesMax = 1 << 20

// lines yields the values of a reply that has one on each line.
func lines[T any](c *Client, ctx context.Context, path string, query any) iter.Seq2[T, error] {
	return stream[T](c, ctx, path, query, func(line []byte) []byte { return line })
}

// events yields the data of server-sent events.
func events[T any](c *Client, ctx context.Context, path string, query any) iter.Seq2[T, error] {
	return stream[T](c, ctx, path, query, func(line []byte) []byte {
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		if !isData {
			return nil // The name of an event, a comment, or the end of an event.
		}
		return data
	})
}

// stream yields the values of a reply as it comes. dataOf returns the JSON of a line, or nothing.
func stream[T any](c *Client, ctx context.Context, path string, query any, dataOf func([]byte) []byte) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r := request{method: http.MethodGet, path: path, query: query, repeat: reads, isStream: true}
		response, err := c.sending.send(ctx, r)
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
			if err := decode(data, &value); err != nil {
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
