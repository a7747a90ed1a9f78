// Package carillon is a client of Carillon, a self-hosted push notification server.
//
// A [Client] has a method for each call that a back end makes. All of them sign in, keep a limit of time, try again what failed
// for a moment, and return a refusal of the server as an [*Error].
package carillon

import (
	"crypto/rand"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one server with one API key. It may be used by several goroutines at once.
type Client struct {
	sending *transport
}

// Option changes a setting of a [Client].
type Option func(*transport)

// New makes a client. The key is an API key of the app (`carillon keys create`).
func New(baseURL, key string, options ...Option) (*Client, error) {
	address, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("carillon: the address of the server: %w", err)
	}
	if (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return nil, fmt.Errorf("carillon: %q is not the http or https address of a server", baseURL)
	}
	sending := &transport{
		address:     strings.TrimRight(baseURL, "/"),
		key:         key,
		client:      http.DefaultClient,
		tryTimeout:  30 * time.Second,
		callTimeout: 2 * time.Minute,
		retries:     4,
		backoff:     250 * time.Millisecond,
		random:      mathrand.Float64,
		sleep:       sleep,
		newKey:      rand.Text,
	}
	for _, option := range options {
		option(sending)
	}
	return &Client{sending}, nil
}

// WithHTTPClient sends through this client instead of [http.DefaultClient].
func WithHTTPClient(client *http.Client) Option {
	return func(t *transport) { t.client = client }
}

// WithTryTimeout limits the time of one try, 30 s by default: the server counts an audience for 20 s at most.
func WithTryTimeout(timeout time.Duration) Option {
	return func(t *transport) { t.tryTimeout = timeout }
}

// WithCallTimeout limits the time of a call with all its tries, 2 minutes by default. A deadline of the call's context that
// is earlier comes first.
func WithCallTimeout(timeout time.Duration) Option {
	return func(t *transport) { t.callTimeout = timeout }
}

// WithRetries sets how often a call is tried again: 4 times by default, 0 for never.
func WithRetries(retries int) Option {
	return func(t *transport) { t.retries = retries }
}

// WithBackoff sets the longest wait before the first repetition, 250 ms by default. It doubles with each further one, up to
// 10 s; the real wait is a random part of it, so that many clients do not come back at once.
func WithBackoff(backoff time.Duration) Option {
	return func(t *transport) { t.backoff = backoff }
}

func doubled(first time.Duration, times int) time.Duration {
	return min(backoffMax, time.Duration(float64(first)*math.Exp2(float64(times))))
}
