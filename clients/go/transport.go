package carillon

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	backoffMax     = 10 * time.Second
	errorBytesMax  = 1 << 20
	idempotencyKey = "Idempotency-Key"
)

// Posts that may be sent again although the server may have carried them out: those that only read, those that set what
// they set before, and notifications, whose key the server knows. An event that is reported again counts twice, and an
// audience or a key that is created again is a second one, so those calls are not among them.
var repeatablePost = regexp.MustCompile(`/v\d+/(?:notifications(?:/(?:batch|preview|count|locales|waves|[^/]+/opens))?` +
	`|receipts|devices(?:/lookup)?|audiences/(?:count(?:/filters)?|sample|explain))/?$`)

var (
	versioned = regexp.MustCompile(`/v\d+/`)
	creation  = regexp.MustCompile(`/v\d+/notifications/?$`)
	batch     = regexp.MustCompile(`/v\d+/notifications/batch/?$`)
)

// transport sends the requests of the generated code.
type transport struct {
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

// Do sends a request until it has a reply that is worth returning: a success, or an [*Error].
func (t *transport) Do(request *http.Request) (*http.Response, error) {
	if !versioned.MatchString(request.URL.Path) {
		return t.read(request)
	}
	request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+t.key)))
	if err := t.addKeys(request); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	deadline := time.Now().Add(t.callTimeout)
	if isUpload(request) {
		deadline = deadline.AddDate(1, 0, 0) // Its time depends on how much it is.
	}
	if earlier, ok := ctx.Deadline(); ok && earlier.Before(deadline) {
		deadline = earlier
	}
	// Ends with the reply: a stream may be read for as long as it lasts.
	timer := time.AfterFunc(time.Until(deadline), func() { cancel(errCallTimeout) })
	defer timer.Stop()
	response, err := t.tryUntil(ctx, deadline, request)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	response.Body = &closing{response.Body, func() { cancel(nil) }}
	return response, nil
}

// read passes on a call about health or metrics: its status is the answer, and it needs no key.
func (t *transport) read(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), t.tryTimeout, errTryTimeout)
	response, err := t.client.Do(request.WithContext(ctx))
	if err != nil {
		err = noReply(ctx, request, err)
		cancel()
		return nil, err
	}
	response.Body = &closing{response.Body, cancel}
	return response, nil
}

func (t *transport) tryUntil(ctx context.Context, deadline time.Time, request *http.Request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		response, err := t.try(ctx, request)
		if err == nil {
			return response, nil
		}
		if attempt >= t.retries || isUpload(request) || ctx.Err() != nil || !mayRepeat(request, err) {
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
func (t *transport) try(ctx context.Context, request *http.Request) (*http.Response, error) {
	limited, cancel := context.WithCancelCause(ctx)
	if !isUpload(request) {
		timer := time.AfterFunc(t.tryTimeout, func() { cancel(errTryTimeout) })
		defer timer.Stop()
	}
	once := request.Clone(limited)
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			cancel(nil)
			return nil, err
		}
		once.Body = body
	}
	response, err := t.client.Do(once)
	if err != nil {
		err = noReply(limited, request, err)
		cancel(nil)
		return nil, err
	}
	if isStream(response) {
		response.Body = &closing{response.Body, func() { cancel(nil) }}
		return response, nil
	}
	var body io.Reader = response.Body
	isSuccess := response.StatusCode >= 200 && response.StatusCode <= 299
	if !isSuccess {
		body = io.LimitReader(body, errorBytesMax)
	}
	read, err := io.ReadAll(body)
	_ = response.Body.Close()
	if err != nil {
		err = noReply(limited, request, err)
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

// addKeys gives a notification, and each item of a batch that has none, a key by which the server knows it again. The key
// is made once for all tries.
func (t *transport) addKeys(request *http.Request) error {
	if request.Method != http.MethodPost {
		return nil
	}
	if creation.MatchString(request.URL.Path) && request.Header.Get(idempotencyKey) == "" {
		request.Header.Set(idempotencyKey, t.newKey())
	}
	if !batch.MatchString(request.URL.Path) || request.GetBody == nil || !isJSON(request) {
		return nil
	}
	sent, err := request.GetBody()
	if err != nil {
		return err
	}
	var items []map[string]json.RawMessage
	if json.NewDecoder(sent).Decode(&items) != nil {
		return nil // The server says what is wrong with it.
	}
	for _, item := range items {
		if _, has := item["idempotency_key"]; !has && item != nil {
			item["idempotency_key"], _ = json.Marshal(t.newKey())
		}
	}
	keyed, err := json.Marshal(items)
	if err != nil {
		return err
	}
	request.ContentLength = int64(len(keyed))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(keyed)), nil }
	request.Body, err = request.GetBody()
	return err
}

// mayRepeat reports whether a call that failed may be sent again. 429 means that nothing was done; after 502, 503 and 504,
// and without a reply, it may have been.
func mayRepeat(request *http.Request, err error) bool {
	isRepeatable := request.Method != http.MethodPost || repeatablePost.MatchString(request.URL.Path)
	if batch.MatchString(request.URL.Path) && !isJSON(request) {
		isRepeatable = false // Lines, which may lack their keys.
	}
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

// isUpload reports whether the body is read from somewhere while it is sent, so that it can be sent once only.
func isUpload(request *http.Request) bool {
	return request.Body != nil && request.GetBody == nil
}

func isJSON(request *http.Request) bool {
	return strings.HasPrefix(request.Header.Get("Content-Type"), "application/json")
}

// isStream reports whether the caller reads the reply as it comes: events and exports.
func isStream(response *http.Response) bool {
	if response.StatusCode != http.StatusOK || strings.HasSuffix(response.Request.URL.Path, "/batch") {
		return false
	}
	mediaType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return mediaType == "text/event-stream" || mediaType == "application/x-ndjson" || mediaType == "text/csv"
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
