package main

import (
	"bytes"
	"context"

	carillon "github.com/carillon-push/carillon-go"
)

type object = map[string]any

// call makes a call for which the client has no method.
func call(ctx context.Context, client *carillon.Client, method, path string, body any) any {
	var reply any
	check(client.Call(ctx, method, path, body, &reply))
	return reply
}

func workAsAdmin(ctx context.Context, client *carillon.Client) {
	key := object{"name": "back end", "scopes": []string{"read", "write"}}
	show("Keys and credentials > Create an API key", call(ctx, client, "POST", "/v6/keys", object{"key": key}))
	stored := call(ctx, client, "GET", "/v6/credentials", nil)
	show("Keys and credentials > Read credentials and routes", stored)
	show("Audit log", call(ctx, client, "GET", "/v6/audit?action=devices.imported&per=1", nil))
}

func readTheApp(ctx context.Context, client *carillon.Client) {
	overview := call(ctx, client, "GET", "/v6/overview?days=1&time_zone=Europe/London", nil)
	show("The app > Overview", overview)
	show("The app > Status", call(ctx, client, "GET", "/v6/status", nil))
	show("Health and metrics", call(ctx, client, "GET", "/healthz", nil))
	show("Health and metrics", call(ctx, client, "GET", "/readyz", nil))
	var metrics []byte
	check(client.Call(ctx, "GET", "/metrics", nil, &metrics))
	show("Health and metrics", bytes.Contains(metrics, []byte("carillon_pushes_total")))
}
