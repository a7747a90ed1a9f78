package carillon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"
)

var hello = NotificationRequest{To: ToUser("user-17"), Payload: &Payload{Alert: Ptr("Hello")}}

func TestSendSignsInAndSendsTheNotification(t *testing.T) {
	server := serve(t, created())
	sent, err := server.client(t).CreateNotification(t.Context(), hello)
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
	if _, err := server.client(t).CreateNotification(t.Context(), hello); err != nil {
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
	for _, options := range [][]CallOption{nil, nil, {IdempotencyKey("order-4711")}} {
		if _, err := client.CreateNotification(t.Context(), hello, options...); err != nil {
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
	items := []BatchItem{{Notification: hello, IdempotencyKey: Ptr("mine")}, {Notification: hello}}
	entries, err := server.client(t).CreateNotifications(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || *entries[0].ID != createdID || entries[0].Err() != nil || *entries[1].Code != "not_found" || entries[1].Err() == nil {
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
	if _, err := server.client(t).CreateNotification(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{7250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}
	if !slices.Equal(server.waits, want) {
		t.Errorf("waited %v", server.waits)
	}
}

func TestWhatMayCountTwiceIsRepeatedOnlyIfNothingWasDone(t *testing.T) {
	report := func(server *fakeServer) error {
		return server.client(t).ReportDeviceEvents(t.Context(), createdID, []DeviceEvent{{Name: "purchase"}})
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
	_, err := server.client(t, WithRetries(2)).CreateNotification(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.Status != 503 || len(server.received()) != 3 {
		t.Errorf("got %v after %d tries", err, len(server.received()))
	}
}

func TestACallThatWouldWaitLongerThanItsTimeEnds(t *testing.T) {
	limited := refusal(429, "rate_limited")
	limited.headers = map[string]string{"Retry-After": "3600"}
	server := serve(t, limited, created())
	_, err := server.client(t).CreateNotification(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.RetryAfter != time.Hour || len(server.received()) != 1 {
		t.Errorf("got %v after %d tries", err, len(server.received()))
	}
}

func TestATryHasALimitOfTime(t *testing.T) {
	server := serve(t, reply{isCut: true}, created())
	_, err := server.client(t, WithTryTimeout(time.Nanosecond), WithRetries(0)).CreateNotification(t.Context(), hello)
	var lost *NoReplyError
	if !errors.As(err, &lost) || !errors.Is(err, errTryTimeout) {
		t.Errorf("got %v", err)
	}
	_, err = server.client(t, WithCallTimeout(time.Nanosecond)).CreateNotification(t.Context(), hello)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestACanceledCallIsNotRepeated(t *testing.T) {
	server := serve(t, created())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.client(t).CreateNotification(ctx, hello); !errors.Is(err, context.Canceled) || len(server.received()) != 0 {
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
	_, err := server.client(t).CreateNotification(t.Context(), hello)
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
	_, err := server.client(t).CreateNotification(t.Context(), hello)
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeNotCarillon || refused.Status != 413 {
		t.Errorf("got %v", err)
	}
}

func TestAListIsReadPageByPage(t *testing.T) {
	page := func(id, cursor string) reply {
		return reply{status: 200, body: `{"deliveries": [{"device_id": "` + id + `"}], "meta": {"cursor": ` + cursor + `}}`}
	}
	server := serve(t, page("1", `"next"`), page("2", "null"))
	client := server.client(t)
	var ids []string
	for found, err := range Pages(func(cursor string) (*DeliveryList, error) {
		return client.SearchDeliveries(t.Context(), "a", SearchDeliveriesQuery{Per: 1, Cursor: cursor})
	}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, found.Deliveries[0].DeviceID)
	}
	path := "GET /v6/notifications/a/deliveries"
	want := []string{path + "?per=1", path + "?cursor=next&per=1"}
	if !slices.Equal(ids, []string{"1", "2"}) || !slices.Equal(server.calls(), want) {
		t.Errorf("got %v by %v", ids, server.calls())
	}
}

func TestAListEndsWithAnError(t *testing.T) {
	client := serve(t, refusal(403, "forbidden")).client(t)
	times := 0
	for _, err := range Pages(func(cursor string) (*NotificationList, error) {
		return client.ListNotifications(t.Context(), ListNotificationsQuery{Cursor: cursor})
	}) {
		times++
		if err == nil {
			t.Error("the refusal is lost")
		}
	}
	if times != 1 {
		t.Errorf("yielded %d times", times)
	}
}

func TestAnImportIsSentOnceAsItIsMade(t *testing.T) {
	result := `{"imported": 2, "updated": 0, "unchanged": 0, "rejected_count": 0, "rejected": []}`
	server := serve(t, reply{status: 200, body: result}, reply{isCut: true})
	client := server.client(t)
	devices := []DeviceRegistration{{Platform: "Android", PushToken: Ptr("a")}, {Platform: "Android", PushToken: Ptr("b")}}
	imported, err := client.ImportDevices(t.Context(), slices.Values(devices))
	want := `{"platform":"Android","push_token":"a"}` + "\n" + `{"platform":"Android","push_token":"b"}` + "\n"
	if err != nil || imported.Imported != 2 || server.received()[0].body != want {
		t.Errorf("got %v, %v", imported, err)
	}
	if _, err := client.ImportDevices(t.Context(), slices.Values(devices)); err == nil || len(server.received()) != 2 {
		t.Errorf("got %v after %d requests", err, len(server.received()))
	}
}

func TestAStreamMayLastLongerThanATry(t *testing.T) {
	line := `data: {"state": "sent"}` + "\n"
	server := serve(t, reply{status: 200, body: "event: end\n" + line, headers: map[string]string{"Content-Type": "text/event-stream"}})
	var states []string
	for progress, err := range server.client(t, WithCallTimeout(time.Minute)).WatchNotification(t.Context(), createdID) {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, progress.State)
	}
	if !slices.Equal(states, []string{"sent"}) {
		t.Errorf("read %q", states)
	}
}

func TestACallWithoutAMethodHasItsReplyAsTheCallerWantsIt(t *testing.T) {
	server := serve(t, reply{status: 200, body: `{"status": "up"}`}, reply{status: 200, body: "up 1"}, reply{status: 204})
	client := server.client(t)
	var health struct{ Status string }
	var metrics []byte
	for _, err := range []error{
		client.Call(t.Context(), "GET", "/healthz", nil, &health),
		client.Call(t.Context(), "GET", "/metrics", nil, &metrics),
		client.Call(t.Context(), "DELETE", "/v6/keys/a", nil, nil),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if health.Status != "up" || string(metrics) != "up 1" {
		t.Errorf("got %q and %q", health.Status, metrics)
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	body := `{"device": {"custom": {"visits": {"type": "integer", "value": 9007199254740993}}}}`
	read, err := serve(t, reply{status: 200, body: body}).client(t).ReadDevice(t.Context(), createdID)
	if err != nil || read.Device.Custom["visits"].Value != json.Number("9007199254740993") {
		t.Errorf("got %+v, %v", read, err)
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
