// A gateway that accepts all pushes, as fast as Go's net/http, and keeps for each push token the place in the tray that its
// push takes: main PORT STATUS_PORT CERTIFICATE KEY. GET / of the second port gives the counts, POST / sets them to zero.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

const shardCount = 64

// A phone replaces a push by another one in the same place. A second place is a second push that a person sees.
type shard struct {
	sync.Mutex
	places                         map[uint64]uint64
	received, repeated, shownTwice int
}

var (
	seed   = maphash.MakeSeed()
	shards [shardCount]shard
)

func keep(token, place []byte) {
	key := maphash.Bytes(seed, token)
	at := &shards[key%shardCount]
	shown := maphash.Bytes(seed, place)
	at.Lock()
	defer at.Unlock()
	at.received++
	before, known := at.places[key]
	if !known {
		at.places[key] = shown
		return
	}
	at.repeated++
	if before != shown {
		at.shownTwice++
	}
}

func reset() {
	for i := range shards {
		at := &shards[i]
		at.Lock()
		at.places = map[uint64]uint64{}
		at.received, at.repeated, at.shownTwice = 0, 0, 0
		at.Unlock()
	}
}

// The text of a field in compact JSON. Tokens and tags have nothing that JSON escapes.
func field(body []byte, name string) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return text
}

func apple(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	token := strings.TrimPrefix(r.URL.Path, "/3/device/")
	keep([]byte(token), []byte(r.Header.Get("apns-collapse-id")))
	w.WriteHeader(200)
}

func google(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(400)
		return
	}
	keep(field(body, "token"), field(body, "tag"))
	answer(w, map[string]any{"name": "projects/carillon-bench/messages/1"})
}

func oauth(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{"access_token": "token", "expires_in": 3599, "token_type": "Bearer"})
}

func answer(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("content-type", "application/json")
	json.NewEncoder(w).Encode(body)
}

func status(w http.ResponseWriter, r *http.Request) {
	if r.Method == "POST" {
		reset()
	}
	received, repeated, shownTwice := 0, 0, 0
	for i := range shards {
		at := &shards[i]
		at.Lock()
		received, repeated, shownTwice = received+at.received, repeated+at.repeated, shownTwice+at.shownTwice
		at.Unlock()
	}
	answer(w, map[string]any{"received": received, "repeated": repeated, "shown_twice": shownTwice})
}

func main() {
	reset()
	gateways := http.NewServeMux()
	gateways.HandleFunc("/3/device/", apple)
	gateways.HandleFunc("/v1/projects/", google)
	gateways.HandleFunc("/token", oauth)
	go http.ListenAndServe("127.0.0.1:"+os.Args[2], http.HandlerFunc(status))
	fmt.Println("listening")
	fmt.Println(http.ListenAndServeTLS("127.0.0.1:"+os.Args[1], os.Args[3], os.Args[4], gateways))
}
