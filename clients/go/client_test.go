package carillon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillon-push/carillon-go/api"
)

var hello = api.NotificationRequest{To: ToUser("user-17"), Payload: &api.Payload{Alert: Ptr("Hello")}}

func TestSendSignsInAndSendsTheNotification(t *testing.T) {
	server := serve(t, created())
	sent, err := server.client(t).Send(t.Context(), hello)
	if err != nil || sent.ID != createdID {
		t.Fatalf("got %v, %v", sent, err)
	}
	request := server.received()[0]
	if _, key, _ := (&http.Request{Header: request.headers}).BasicAuth(); key != "carillon_key" {
		t.Errorf("the key is not the password: %q", request.headers.Get("Authorization"))
	}
	want := `{"notification":{"payload":{"alert":"Hello"},"to":{"user_id":"user-17"}}}`
	if got := normal(t, request.body); got != want {
		t.Errorf("sent %s", got)
	}
}

func TestSendRepeatsALostReplyWithTheSameKey(t *testing.T) {
	server := serve(t, reply{isCut: true}, refusal(503, "unavailable"), created())
	if _, err := server.client(t).Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 0, 3)
	for _, request := range server.received() {
		keys = append(keys, request.headers.Get("Idempotency-Key"))
	}
	if len(keys) != 3 || keys[0] == "" || len(slices.Compact(keys)) != 1 {
		t.Errorf("the keys of the tries are %q", keys)
	}
}

func TestEachCallOfSendHasAKeyOfItsOwn(t *testing.T) {
	server := serve(t, created(), created(), created())
	client := server.client(t)
	for _, editors := range [][]api.RequestEditorFn{nil, nil, {IdempotencyKey("order-4711")}} {
		if _, err := client.Send(t.Context(), hello, editors...); err != nil {
			t.Fatal(err)
		}
	}
	first, second, own := keyOf(server, 0), keyOf(server, 1), keyOf(server, 2)
	if first == second || own != "order-4711" {
		t.Errorf("the keys are %q, %q and %q", first, second, own)
	}
}

func TestSendBatchGivesKeysToTheItemsWithoutOne(t *testing.T) {
	stored := `{"line": 1, "status": 201, "created_at": "2026-11-21T01:13:41.352Z", "state": "scheduled", "id": "` + createdID +
		`", "to": {"id": "user-17", "type": "User"}}`
	refused := `{"line": 2, "status": 404, "error": "No such audience.", "code": "not_found"}`
	server := serve(t, reply{isCut: true}, reply{status: 200, body: "[" + stored + "," + refused + "]"})
	items := []api.BatchItem{{Notification: hello, IdempotencyKey: Ptr("mine")}, {Notification: hello}}
	entries, err := server.client(t).SendBatch(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].Stored.ID != createdID || entries[1].Err.Code != "not_found" {
		t.Errorf("got %+v", entries)
	}
	if server.received()[0].body != server.received()[1].body {
		t.Error("the tries differ")
	}
	var sent []struct {
		Key string `json:"idempotency_key"`
	}
	if err := json.Unmarshal([]byte(server.received()[1].body), &sent); err != nil || sent[0].Key != "mine" || sent[1].Key == "" {
		t.Errorf("the keys are %+v, %v", sent, err)
	}
}

func TestWaitsAreLongerEachTimeAndAddRetryAfter(t *testing.T) {
	limited := refusal(429, "rate_limited")
	limited.headers = map[string]string{"Retry-After": "7"}
	server := serve(t, limited, refusal(502, "x"), refusal(503, "unavailable"), refusal(504, "x"), created())
	if _, err := server.client(t).Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{7250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}
	if !slices.Equal(server.waits, want) {
		t.Errorf("waited %v", server.waits)
	}
}

func TestWhatMayCountTwiceIsRepeatedOnlyIfNothingWasDone(t *testing.T) {
	report := func(server *fakeServer) error {
		return server.client(t).ReportEvents(t.Context(), createdID, api.DeviceEvent{Name: "purchase"})
	}
	limited := serve(t, refusal(429, "rate_limited"), reply{status: 202, body: "{}"})
	if err := report(limited); err != nil || len(limited.received()) != 2 {
		t.Errorf("after 429: %v, %d tries", err, len(limited.received()))
	}
	for _, first := range []reply{{isCut: true}, refusal(503, "unavailable")} {
		server := serve(t, first, reply{status: 202, body: "{}"})
		if err := report(server); err == nil || len(server.received()) != 1 {
			t.Errorf("%+v: %v, %d tries", first, err, len(server.received()))
		}
	}
}

func TestRetriesHaveALimit(t *testing.T) {
	unavailable := refusal(503, "unavailable")
	server := serve(t, unavailable, unavailable, unavailable, created())
	_, err := server.client(t, WithRetries(2)).Send(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 503 || len(server.received()) != 3 {
		t.Errorf("got %v after %d tries", err, len(server.received()))
	}
}

func TestACallThatWouldWaitLongerThanItsTimeEnds(t *testing.T) {
	limited := refusal(429, "rate_limited")
	limited.headers = map[string]string{"Retry-After": "3600"}
	server := serve(t, limited, created())
	_, err := server.client(t).Send(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.RetryAfter != time.Hour || len(server.received()) != 1 {
		t.Errorf("got %v after %d tries", err, len(server.received()))
	}
}

func TestATryHasALimitOfTime(t *testing.T) {
	server := serve(t, reply{isCut: true}, created())
	_, err := server.client(t, WithTryTimeout(time.Nanosecond), WithRetries(0)).Send(t.Context(), hello)
	var lost *NoReplyError
	if !errors.As(err, &lost) || !errors.Is(err, errTryTimeout) {
		t.Errorf("got %v", err)
	}
	_, err = server.client(t, WithCallTimeout(time.Nanosecond)).Send(t.Context(), hello)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestACanceledCallIsNotRepeated(t *testing.T) {
	server := serve(t, created())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.client(t).Send(ctx, hello); !errors.Is(err, context.Canceled) || len(server.received()) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestARefusalIsAnErrorWithAllThatTheServerSays(t *testing.T) {
	server := serve(t, reply{
		status: 422,
		body: `{"error": "to is required", "code": "invalid_request",
			"details": [{"path": "notification.to", "message": "is required"}]}`,
		headers: map[string]string{"X-Request-Id": "abc"},
	})
	_, err := server.client(t).Send(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	if refused.Code != "invalid_request" || refused.RequestID != "abc" || refused.Details[0].Path != "notification.to" {
		t.Errorf("got %+v", refused)
	}
	if err.Error() != "carillon: to is required (422 invalid_request)" {
		t.Errorf("the sentence is %q", err)
	}
}

func TestAReplyOfAProxyIsAnError(t *testing.T) {
	server := serve(t, reply{status: 413, body: "<html>Too large</html>"})
	_, err := server.client(t).Send(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeNotCarillon || refused.Status != 413 {
		t.Errorf("got %v", err)
	}
}

func TestAListIsReadPageByPage(t *testing.T) {
	page := func(id, cursor string) reply {
		return reply{status: 200, body: `{"entries": [{"id": "` + id + `", "at": "2026-11-21T01:13:41.352Z",
			"by": {"kind": "key", "id": null, "name": null}, "action": "a", "object_id": null, "before": null, "after": null,
			"address": null, "request_id": null}], "meta": {"cursor": ` + cursor + `}}`}
	}
	server := serve(t, page("1", `"next"`), page("2", "null"))
	var ids []string
	for entry, err := range server.client(t).AuditLog(t.Context(), api.ListAuditParams{Per: Ptr(1)}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, entry.ID)
	}
	want := []string{"GET /v6/audit?per=1", "GET /v6/audit?per=1&cursor=next"}
	if !slices.Equal(ids, []string{"1", "2"}) || !slices.Equal(server.calls(), want) {
		t.Errorf("got %v by %v", ids, server.calls())
	}
}

func TestAListEndsWithAnError(t *testing.T) {
	server := serve(t, refusal(403, "forbidden"))
	times := 0
	for _, err := range server.client(t).Notifications(t.Context(), api.ListNotificationsParams{}) {
		times++
		if err == nil {
			t.Error("the refusal is lost")
		}
	}
	if times != 1 {
		t.Errorf("yielded %d times", times)
	}
}

func TestAnImportIsSentAsItIsRead(t *testing.T) {
	result := `{"imported": 1, "updated": 0, "unchanged": 0, "rejected_count": 0, "rejected": []}`
	server := serve(t, reply{status: 200, body: result}, reply{isCut: true})
	client := server.client(t)
	line := `{"platform": "Android", "push_token": "a"}`
	imported, err := client.Import(t.Context(), strings.NewReader(line))
	if err != nil || imported.Imported != 1 || server.received()[0].body != line {
		t.Errorf("got %v, %v", imported, err)
	}
	if _, err := client.Import(t.Context(), strings.NewReader(line)); err == nil || len(server.received()) != 2 {
		t.Errorf("got %v after %d requests", err, len(server.received()))
	}
}

func TestAStreamMayLastLongerThanACall(t *testing.T) {
	server := serve(t, reply{status: 200, body: "event: end\n", headers: map[string]string{"Content-Type": "text/event-stream"}})
	response, err := server.client(t, WithCallTimeout(time.Minute)).WatchNotification(t.Context(), createdID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if string(text) != "event: end\n" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestHealthIsReadWithoutTheKey(t *testing.T) {
	server := serve(t, reply{status: 503, body: `{"status": "down", "database": "down", "queue": "up"}`})
	health, err := server.client(t).ReadReadinessWithResponse(t.Context())
	if err != nil || health.StatusCode() != 503 || server.received()[0].headers.Get("Authorization") != "" {
		t.Errorf("got %v, %v", health, err)
	}
}

func TestHealthHasALimitOfTime(t *testing.T) {
	client := serve(t, reply{status: 200, body: "{}"}).client(t, WithTryTimeout(time.Nanosecond))
	if _, err := client.ReadLivenessWithResponse(t.Context()); !errors.Is(err, errTryTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestAnAddressWithoutASchemeIsRefused(t *testing.T) {
	for _, address := range []string{"localhost:8080", "", "ftp://a", "://"} {
		if _, err := New(address, "key"); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}

func TestRetryAfterIsANumberOrADate(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"5": 5 * time.Second, " 0 ": 0, "": 0, "soon": 0, "-3": 0,
		"Tue, 24 Nov 2026 12:00:09 GMT": 9 * time.Second, "Tue, 24 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q is %v", header, got)
		}
	}
}

func keyOf(server *fakeServer, request int) string {
	return server.received()[request].headers.Get("Idempotency-Key")
}

// normal is JSON with sorted keys and without spaces.
func normal(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	sorted, _ := json.Marshal(value)
	return string(sorted)
}
