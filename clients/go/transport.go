package carillon

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	backoffMax    = 10 * time.Second
	errorBytesMax = 1 << 20
)

// Whether a call may be sent again although the server may have carried it out, as the API's document says.
type repeat string

const (
	reads        repeat = "reads"
	idempotent   repeat = "idempotent"
	keyed        repeat = "keyed"
	onlyAfter429 repeat = "only-after-429"
)

// request is a call before its first try.
type request struct {
	method string
	path   string
	// A struct whose empty fields are left out.
	query  any
	body   any
	repeat repeat
	// The idempotency key that the caller gives.
	key string
	// Lines that are made while they are sent: once, and without a limit of time.
	upload io.Reader
	// The reply is read by the caller as it comes.
	isStream bool
}

// transport sends the calls.
type transport struct {
	address     string
	key         string
	client      *http.Client
	tryTimeout  time.Duration
	callTimeout time.Duration
	retries     int
	backoff     time.Duration
	random      func() float64
	sleep       func(context.Context, time.Duration) error
	newKey      func() string
}

// send returns a success, whose body is to be closed, or an [*Error] or [*NoReplyError].
func (t *transport) send(ctx context.Context, r request) (*http.Response, error) {
	sent, err := t.prepare(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	deadline := time.Now().Add(t.callTimeout)
	if r.upload != nil {
		deadline = deadline.AddDate(1, 0, 0) // Its time depends on how much it is.
	}
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(deadline) {
		deadline = earlier
	}
	// Ends with the reply: a stream may be read for as long as it lasts.
	timer := time.AfterFunc(time.Until(deadline), func() { cancel(errCallTimeout) })
	defer timer.Stop()
	response, err := t.tryUntil(ctx, deadline, r, sent)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	response.Body = &closing{response.Body, func() { cancel(nil) }}
	return response, nil
}

// prepare makes the request with its body and keys, which are the same for all tries.
func (t *transport) prepare(r request) (*http.Request, error) {
	query, err := queryOf(r.query)
	if err != nil {
		return nil, err
	}
	var body io.Reader = r.upload
	mediaType := "application/x-ndjson"
	if r.body != nil {
		text, err := json.Marshal(t.withKeys(r))
		if err != nil {
			return nil, err
		}
		body, mediaType = bytes.NewReader(text), "application/json"
	}
	made, err := http.NewRequest(r.method, t.address+r.path+query, body)
	if err != nil {
		return nil, err
	}
	made.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+t.key)))
	if body != nil {
		made.Header.Set("Content-Type", mediaType)
	}
	if _, isBatch := r.body.([]BatchItem); r.repeat == keyed && !isBatch {
		if r.key == "" {
			r.key = t.newKey()
		}
		made.Header.Set("Idempotency-Key", r.key)
	}
	return made, nil
}

// withKeys gives each item of a batch that has none a key by which the server knows it again.
func (t *transport) withKeys(r request) any {
	items, isBatch := r.body.([]BatchItem)
	if !isBatch {
		return r.body
	}
	all := make([]BatchItem, len(items))
	for index, item := range items {
		if item.IdempotencyKey == nil {
			item.IdempotencyKey = Ptr(t.newKey())
		}
		all[index] = item
	}
	return all
}

func (t *transport) tryUntil(
	ctx context.Context, deadline time.Time, r request, sent *http.Request,
) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		response, err := t.try(ctx, r, sent)
		if err == nil {
			return response, nil
		}
		if attempt >= t.retries || r.upload != nil || ctx.Err() != nil || !mayRepeat(r, err) {
			return nil, err
		}
		wait := time.Duration(t.random() * float64(doubled(t.backoff, attempt)))
		var refusal *Error
		if errors.As(err, &refusal) {
			wait += refusal.RetryAfter
		}
		if time.Until(deadline) <= wait || t.sleep(ctx, wait) != nil {
			return nil, err
		}
	}
}

// try sends the request once. The limit of a try includes reading the reply, unless it is a stream.
func (t *transport) try(ctx context.Context, r request, sent *http.Request) (*http.Response, error) {
	limited, cancel := context.WithCancelCause(ctx)
	if r.upload == nil {
		timer := time.AfterFunc(t.tryTimeout, func() { cancel(errTryTimeout) })
		defer timer.Stop()
	}
	once := sent.Clone(limited)
	if sent.GetBody != nil {
		body, err := sent.GetBody()
		if err != nil {
			cancel(nil)
			return nil, err
		}
		once.Body = body
	}
	response, err := t.client.Do(once)
	if err != nil {
		err = noReply(limited, sent, err)
		cancel(nil)
		return nil, err
	}
	isSuccess := response.StatusCode >= 200 && response.StatusCode <= 299
	if r.isStream && isSuccess {
		response.Body = &closing{response.Body, func() { cancel(nil) }}
		return response, nil
	}
	var body io.Reader = response.Body
	if !isSuccess {
		body = io.LimitReader(body, errorBytesMax)
	}
	read, err := io.ReadAll(body)
	_ = response.Body.Close()
	if err != nil {
		err = noReply(limited, sent, err)
		cancel(nil)
		return nil, err
	}
	cancel(nil)
	if !isSuccess {
		return nil, newError(response, read)
	}
	response.Body = io.NopCloser(bytes.NewReader(read))
	return response, nil
}

// mayRepeat reports whether a call that failed may be sent again. 429 means that nothing was done; after 502, 503 and 504,
// and without a reply, it may have been.
func mayRepeat(r request, err error) bool {
	isRepeatable := r.repeat != onlyAfter429
	var refusal *Error
	if !errors.As(err, &refusal) {
		return isRepeatable
	}
	switch refusal.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return isRepeatable
	default:
		return false
	}
}

// retryAfter is what the header asks for: seconds, or the time until a date.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// closing runs a function when a body is closed.
type closing struct {
	io.ReadCloser
	then func()
}

func (c *closing) Close() error {
	defer c.then()
	return c.ReadCloser.Close()
}
