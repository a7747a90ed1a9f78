// Sends by sideshow/apns2: one client, as its documentation says, and a worker for each push in flight.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sideshow/apns2"
	"github.com/sideshow/apns2/payload"
	"github.com/sideshow/apns2/token"
)

type settings struct {
	Host, Topic, KeyFile, KeyID, TeamID, TokensFile, NotificationID string
	Port, InFlight                                                  int
}

type run struct {
	First, Count int
	Different    bool
}

func main() {
	lines := json.NewDecoder(bufio.NewReader(os.Stdin))
	var given settings
	check(lines.Decode(&given))
	key, err := token.AuthKeyFromFile(given.KeyFile)
	check(err)
	text, err := os.ReadFile(given.TokensFile)
	check(err)
	tokens := strings.Fields(string(text))
	client := apns2.NewTokenClient(&token.Token{AuthKey: key, KeyID: given.KeyID, TeamID: given.TeamID})
	client.Host = fmt.Sprintf("https://%s:%d", given.Host, given.Port)

	for next := (run{}); lines.Decode(&next) == nil; next = (run{}) {
		started := time.Now()
		accepted := send(client, given, tokens, next)
		ms := float64(time.Since(started).Microseconds()) / 1000
		fmt.Printf("{\"accepted\":%d,\"ms\":%f}\n", accepted, ms)
	}
}

func send(client *apns2.Client, given settings, tokens []string, next run) int64 {
	var accepted atomic.Int64
	var workers sync.WaitGroup
	numbers := make(chan int, given.InFlight)
	equal := payloadOf(given, "Hello")
	for range given.InFlight {
		workers.Go(func() {
			for number := range numbers {
				body := equal
				if next.Different {
					body = payloadOf(given, fmt.Sprintf("Hello user-%d", number))
				}
				response, err := client.Push(&apns2.Notification{
					DeviceToken: tokens[number],
					Topic:       given.Topic,
					CollapseID:  given.NotificationID,
					Priority:    apns2.PriorityHigh,
					PushType:    apns2.PushTypeAlert,
					Payload:     body,
				})
				if err == nil && response.Sent() {
					accepted.Add(1)
				}
			}
		})
	}
	for number := next.First; number < next.First+next.Count; number++ {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
	return accepted.Load()
}

func payloadOf(given settings, alert string) *payload.Payload {
	return payload.NewPayload().Alert(alert).Custom("order_id", 4711).Custom("_nid", given.NotificationID)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
