package carillon

import (
	"encoding/json"
	"math"
	"testing"
)

func TestValuesAreSentAsTheAPIHasThem(t *testing.T) {
	circle := Circle{Point: Point{Latitude: 48.8, Longitude: 2.3}, Distance: 5, Unit: "km"}
	for want, value := range map[string]any{
		`"*"`:                                  Everyone(),
		`{"audience":"a"}`:                     ToAudience("a"),
		`{"device_id":"a"}`:                    ToDevice("a"),
		`[{"criteria":["a<b"],"name":"tags"}]`: Where(Is("tags", "a<b")),
		`[{"criteria":[{"gte":"2.0"}],"name":"app_version","not_filter":true}]`: Where(
			IsNot("app_version", Range{"gte": "2.0"})),
		`{"criteria":[{"distance":5,"point":{"latitude":48.8,"longitude":2.3},"unit":"km"}],"name":"location"}`: Is(
			"location", circle),
		`{"type":"string","value":"gold"}`:               StringAttribute("gold"),
		`{"type":"string","value":["reds","blues"]}`:     StringAttribute("reds", "blues"),
		`{"type":"integer","value":9223372036854775807}`: IntegerAttribute(math.MaxInt64),
		`{"type":"float","value":0.5}`:                   FloatAttribute(0.5),
		`{"type":"date","value":"2026-11-24"}`:           DateAttribute("2026-11-24"),
		`{"type":"boolean","value":true}`:                BooleanAttribute(true),
		`{"alert":"Hello","order_id":4711}`: Payload{
			Alert: Ptr("Hello"), Extra: map[string]any{"order_id": 4711, "alert": "not this one"},
		},
		`{"app_version":null,"badge":0,"custom":{"plan":null}}`: DeviceUpdate{
			AppVersion: Null[string](), Badge: Value(0), Custom: Value(CustomAttributes{"plan": nil}),
		},
	} {
		sent, err := json.Marshal(value)
		if err != nil || string(sent) != want {
			if normal(t, string(sent)) != normal(t, want) {
				t.Errorf("got %s, %v instead of %s", sent, err, want)
			}
		}
	}
}
