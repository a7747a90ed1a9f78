package carillon

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

type example = struct {
	Example json.RawMessage `json:"example"`
}

type operation struct {
	ID         string   `json:"operationId"`
	Tags       []string `json:"tags"`
	Parameters []struct {
		Name    string `json:"name"`
		In      string `json:"in"`
		Example any    `json:"example"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]example `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]example `json:"content"`
	} `json:"responses"`
}

// Each call of a back end is made with the examples of openapi.json: every parameter and field is sent and returned.
func TestTheClientMakesEachCallOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Skip(err)
	}
	var document struct {
		Paths map[string]map[string]operation `json:"paths"`
	}
	if err := decode(text, &document); err != nil {
		t.Fatal(err)
	}
	tags := []string{"Notifications", "Audiences", "Devices", "Users", "Channels", "Webhooks"}
	made := 0
	for path, byMethod := range document.Paths {
		for method, call := range byMethod {
			if strings.HasPrefix(path, "/v6/") && slices.Contains(tags, call.Tags[0]) {
				made++
				t.Run(call.ID, func(t *testing.T) { makeCall(t, strings.ToUpper(method), path, call) })
			}
		}
	}
	if made < 50 {
		t.Errorf("made %d calls", made)
	}
}

func makeCall(t *testing.T, verb, path string, call operation) {
	answer, mediaType := reply{}, ""
	for status, documented := range call.Responses {
		if _, err := fmt.Sscan(status, &answer.status); err != nil || answer.status > 299 {
			continue
		}
		for each, content := range documented.Content {
			if mediaType != "application/json" {
				answer.body, mediaType = textOf(content.Example), each
			}
		}
		if answer.body != "" {
			break
		}
	}
	answer.status = http.StatusOK
	server := serve(t, answer)
	client := server.client(t)
	method := reflect.ValueOf(client).MethodByName(pascalCase(call.ID))
	words := []reflect.Value{reflect.ValueOf(t.Context())}
	query := map[string]any{}
	var key string
	for _, parameter := range call.Parameters {
		switch parameter.In {
		case "path":
			words = append(words, reflect.ValueOf(parameter.Example))
			path = strings.ReplaceAll(path, "{"+parameter.Name+"}", url.PathEscape(parameter.Example.(string)))
		case "query":
			if parameter.Name != "format" {
				query[parameter.Name] = parameter.Example
			}
		case "header":
			key = parameter.Example.(string)
		}
	}
	var body json.RawMessage
	isLines := false
	for each, content := range call.RequestBody.Content {
		if body == nil || each == "application/json" {
			body, isLines = content.Example, each != "application/json"
		}
	}
	if body != nil {
		words = append(words, argument(t, method.Type().In(len(words)), body, isLines))
	}
	if len(query) > 0 {
		words = append(words, jsonInto(t, method.Type().In(len(words)), query))
	}
	if key != "" {
		words = append(words, reflect.ValueOf(IdempotencyKey(key)))
	}
	results := method.Call(words)
	got := readAll(t, results)
	request := server.received()[0]
	want := verb + " " + path
	if len(query) > 0 {
		values := url.Values{}
		for name, value := range query {
			values.Set(name, fmt.Sprint(value))
		}
		want += "?" + values.Encode()
	}
	if request.call != want || request.headers.Get("Idempotency-Key") != key {
		t.Errorf("sent %s instead of %s", request.call, want)
	}
	if body != nil && !isLines && call.ID != "createNotifications" {
		equal(t, request.body, string(body))
	}
	if isLines || call.ID == "createNotifications" {
		contains(t, request.body, textOf(body))
	}
	if mediaType == "application/json" && answer.body != "{}" {
		equal(t, got, answer.body)
	} else if mediaType != "" && answer.body != "{}" {
		contains(t, got, strings.ReplaceAll(answer.body, "data: ", ""))
	}
}

// argument makes the body, or its only field, of the JSON.
func argument(t *testing.T, of reflect.Type, body json.RawMessage, isLines bool) reflect.Value {
	if isLines {
		var devices []DeviceRegistration
		for line := range strings.Lines(textOf(body)) {
			devices = append(devices, jsonInto(t, reflect.TypeFor[DeviceRegistration](), json.RawMessage(line)).Interface().(DeviceRegistration))
		}
		return reflect.ValueOf(slices.Values(devices))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) == nil && len(fields) == 1 {
		for _, only := range fields {
			return jsonInto(t, of, only)
		}
	}
	return jsonInto(t, of, body)
}

func jsonInto(t *testing.T, of reflect.Type, value any) reflect.Value {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	into := reflect.New(of)
	if err := decode(text, into.Interface()); err != nil {
		t.Fatal(err)
	}
	return into.Elem()
}

// readAll is the JSON of a reply, or of the values of a stream.
func readAll(t *testing.T, results []reflect.Value) string {
	t.Helper()
	var values []any
	switch first := results[0].Interface().(type) {
	case iter.Seq2[NotificationProgress, error]:
		for value, err := range first {
			values = append(values, value, err)
		}
	case iter.Seq2[FoundDelivery, error]:
		for value, err := range first {
			values = append(values, value, err)
		}
	default:
		if err, _ := results[len(results)-1].Interface().(error); err != nil {
			t.Fatal(err)
		}
		values = []any{first}
	}
	text := ""
	for _, value := range values {
		if value != nil {
			line, _ := json.Marshal(value)
			text += string(line) + "\n"
		}
	}
	return text
}

// textOf is a text that is an example, or the JSON of another example.
func textOf(example json.RawMessage) string {
	var text string
	if json.Unmarshal(example, &text) == nil {
		return text
	}
	return string(example)
}

// equal compares JSON, times by their moment.
func equal(t *testing.T, got, want string) {
	t.Helper()
	if comparable(t, got) != comparable(t, want) {
		t.Errorf("got %s\ninstead of %s", comparable(t, got), comparable(t, want))
	}
}

// contains looks for each line or item of JSON; those of a batch have keys as well.
func contains(t *testing.T, got, want string) {
	t.Helper()
	values := func(text string) []any {
		var items []any
		if json.Unmarshal([]byte(text), &items) == nil {
			return items
		}
		for line := range strings.Lines(text) {
			var item any
			if decode([]byte(line), &item) == nil {
				items = append(items, item)
			}
		}
		return items
	}
	all := values(got)
	for index, item := range values(want) {
		if have, ok := all[index].(map[string]any); ok {
			for name := range have {
				if _, isGiven := item.(map[string]any)[name]; !isGiven && name == "idempotency_key" {
					delete(have, name)
				}
			}
		}
		left, _ := json.Marshal(all[index])
		right, _ := json.Marshal(item)
		equal(t, string(left), string(right))
	}
}

var timeText = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)

func comparable(t *testing.T, text string) string {
	t.Helper()
	return timeText.ReplaceAllStringFunc(normal(t, text), func(written string) string {
		moment, _ := time.Parse(time.RFC3339, written)
		return moment.Format(time.RFC3339Nano)
	})
}

func pascalCase(id string) string {
	return strings.ToUpper(id[:1]) + id[1:]
}

// What only this test reads: parts of requests.

func (t *NotificationTarget) UnmarshalJSON(text []byte) error {
	return decode(text, &t.value)
}

func (v *Payload) UnmarshalJSON(text []byte) error {
	type known Payload
	return readOpen(text, (*known)(v), &v.Extra)
}

func (v *PayloadChanges) UnmarshalJSON(text []byte) error {
	type known PayloadChanges
	return readOpen(text, (*known)(v), &v.Extra)
}

func readOpen(text []byte, known any, extra *map[string]any) error {
	if err := decode(text, known); err != nil {
		return err
	}
	if err := decode(text, extra); err != nil {
		return err
	}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(known).Elem()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		delete(*extra, name)
	}
	return nil
}
