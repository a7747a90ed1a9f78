package carillon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
)

// CallOption changes one call.
type CallOption func(*request)

// IdempotencyKey sends a notification with this key instead of one that the client makes. For 24 hours the server stores a
// notification once for a key, even if the program that sends it was started again: `order-4711-shipped`.
func IdempotencyKey(key string) CallOption {
	return func(r *request) { r.key = key }
}

// Call makes any call of the API, such as one for which the client has no method: client.Call(ctx, "GET", "/v6/keys", nil, &keys).
// Body is sent as JSON unless it is nil. Reply points to what the JSON of the reply is read into, or is a *[]byte for the
// reply as it is, or nil.
func (c *Client) Call(ctx context.Context, method, path string, body, reply any) error {
	may := onlyAfter429
	if method == http.MethodGet {
		may = reads
	}
	return c.do(ctx, request{method: method, path: path, repeat: may, body: body}, reply)
}

func (c *Client) do(ctx context.Context, r request, reply any, options ...CallOption) error {
	for _, option := range options {
		option(&r)
	}
	response, err := c.sending.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	switch into := reply.(type) {
	case nil:
		return nil
	case *[]byte:
		*into = text
		return nil
	default:
		return decode(text, reply)
	}
}

// fetch is a call with a reply, or with nil for a success without content.
func fetch[T any](c *Client, ctx context.Context, r request, options ...CallOption) (*T, error) {
	var text []byte
	if err := c.do(ctx, r, &text, options...); err != nil || len(text) == 0 {
		return nil, err
	}
	var reply T
	if err := decode(text, &reply); err != nil {
		return nil, err
	}
	return &reply, nil
}

// fetchList is a call whose reply is a list.
func fetchList[T any](c *Client, ctx context.Context, r request) ([]T, error) {
	var reply []T
	err := c.do(ctx, r, &reply)
	return reply, err
}

// upload sends values as lines while they are made.
func upload[T, Item any](c *Client, ctx context.Context, path string, items iter.Seq[Item]) (*T, error) {
	read, write := io.Pipe()
	defer func() { _ = read.Close() }() // The rest is not made if the server refuses the call.
	go func() {
		for item := range items {
			line, err := json.Marshal(item)
			if err == nil {
				_, err = write.Write(append(line, '\n'))
			}
			if err != nil {
				_ = write.CloseWithError(err)
				return
			}
		}
		_ = write.Close()
	}()
	return fetch[T](c, ctx, request{method: http.MethodPost, path: path, repeat: onlyAfter429, upload: struct{ io.Reader }{read}})
}

// decode keeps every digit of numbers whose type is not known: they are a [json.Number].
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// queryOf writes the fields of a query that are not empty.
func queryOf(query any) (string, error) {
	if query == nil {
		return "", nil
	}
	text, err := json.Marshal(query)
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := decode(text, &fields); err != nil {
		return "", err
	}
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	if len(values) == 0 {
		return "", nil
	}
	return "?" + values.Encode(), nil
}
