// Command api is docs/api.md in Go: the same calls in the same order. CARILLON_URL and CARILLON_KEY say where, and with which
// key. It prints each reply as a line of JSON, with the section that it belongs to.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	carillon "github.com/carillon-push/carillon-go"
)

func main() {
	client, err := carillon.New(os.Getenv("CARILLON_URL"), os.Getenv("CARILLON_KEY"))
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	firstPush(ctx, client)
	deviceID := registerDevices(ctx, client)
	reportEvents(ctx, client, deviceID)
	sent := sendNotifications(ctx, client)
	setMoments(ctx, client, deviceID)
	followNotification(ctx, client, sent.ID, deviceID)
	askAboutAudiences(ctx, client, sent.To.ID, deviceID)
	workAsAdmin(ctx, client)
	readTheApp(ctx, client)
}

// must returns a reply, or ends the program with the error. A back end would return it.
func must[T any](reply T, err error) T {
	check(err)
	return reply
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// show prints a reply, or a part of one.
func show(section string, reply any) {
	line := must(json.Marshal(map[string]any{"section": section, "reply": reply}))
	fmt.Println(string(line))
}
