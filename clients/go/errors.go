package carillon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// CodeNotCarillon is the code of an [Error] whose reply does not have the form of Carillon's errors, such as that of a proxy.
const CodeNotCarillon = "not_carillon"

var (
	errTryTimeout  = errors.New("no reply within the time for a try")
	errCallTimeout = fmt.Errorf("no reply within the time for the call: %w", context.DeadlineExceeded)
)

// Error is a reply that is no success. Find it with [errors.As].
type Error struct {
	// Status is that of HTTP: 422.
	Status int
	// Code says for programs what is wrong: "invalid_request". docs/errors.md of Carillon lists all codes.
	Code string
	// Message is a sentence for people. It may change, so do not compare it.
	Message string
	// Details are the faults of the request that have a position.
	Details []Fault
	// RequestID finds the request in the log of the server.
	RequestID string
	// RetryAfter is the time that the server asked to wait, with 429 and 503.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	return fmt.Sprintf("carillon: %s (%d %s)", e.Message, e.Status, e.Code)
}

// NoReplyError is a call without a reply, or with only a part of one: the server may have done what it asked for, or not.
type NoReplyError struct {
	// Err says what happened.
	Err  error
	host string
}

func (e *NoReplyError) Error() string {
	return fmt.Sprintf("carillon: no reply from %s: %v", e.host, e.Err)
}

func (e *NoReplyError) Unwrap() error {
	return e.Err
}

func newError(response *http.Response, body []byte) *Error {
	made := &Error{
		Status:     response.StatusCode,
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	var envelope struct {
		Error   string  `json:"error"`
		Code    string  `json:"code"`
		Details []Fault `json:"details"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Code == "" {
		made.Code = CodeNotCarillon
		made.Message = fmt.Sprintf("the reply has the status %d and is not one of Carillon", response.StatusCode)
		return made
	}
	made.Code, made.Message, made.Details = envelope.Code, envelope.Error, envelope.Details
	return made
}

func noReply(ctx context.Context, request *http.Request, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause // `context canceled` does not say which limit was reached.
	}
	return &NoReplyError{Err: err, host: request.URL.Host}
}
