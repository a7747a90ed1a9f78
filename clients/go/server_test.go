package carillon

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// A reply of the server: a status and a body, or a connection that is cut when the request has arrived.
type reply struct {
	status  int
	body    string
	headers map[string]string
	isCut   bool
}

type received struct {
	call    string
	headers http.Header
	body    string
}

type fakeServer struct {
	mutex   sync.Mutex
	url     string
	replies []reply
	seen    []received
	waits   []time.Duration
}

// serve answers the requests with the replies, in their order.
func serve(t *testing.T, replies ...reply) *fakeServer {
	t.Helper()
	server := &fakeServer{replies: replies}
	listening := httptest.NewServer(http.HandlerFunc(server.answer))
	t.Cleanup(listening.Close)
	server.url = listening.URL
	return server
}

func (s *fakeServer) answer(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	s.mutex.Lock()
	s.seen = append(s.seen, received{request.Method + " " + request.URL.RequestURI(), request.Header, string(body)})
	next := reply{status: http.StatusTeapot, body: "no reply is left"}
	if len(s.replies) > 0 {
		next, s.replies = s.replies[0], s.replies[1:]
	}
	s.mutex.Unlock()
	if next.isCut {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range next.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(next.status)
	_, _ = io.WriteString(w, next.body)
}

// client makes a client that notes how long it would wait instead of waiting.
func (s *fakeServer) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	noWaits := func(sending *transport) {
		sending.random = func() float64 { return 1 }
		sending.sleep = func(_ context.Context, wait time.Duration) error {
			s.waits = append(s.waits, wait)
			return nil
		}
	}
	client, err := New(s.url, "carillon_key", append([]Option{noWaits}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// received returns the requests so far.
func (s *fakeServer) received() []received {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.seen)
}

func (s *fakeServer) calls() []string {
	requests := s.received()
	calls := make([]string, len(requests))
	for index, request := range requests {
		calls[index] = request.call
	}
	return calls
}

func refusal(status int, code string) reply {
	return reply{status: status, body: fmt.Sprintf(`{"error": "A sentence.", "code": %q}`, code)}
}

const createdID = "a0cb688f-908b-4799-94e8-72e8837799c2"

func created() reply {
	return reply{status: http.StatusCreated, body: `{"created_at": "2026-11-21T01:13:41.129Z", "state": "scheduled",
		"id": "` + createdID + `", "to": {"id": "user-17", "type": "User"}, "notification": {}}`}
}
