package carillon

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/carillon-push/carillon-go/api"
)

func TestValuesAreSentAsTheAPIHasThem(t *testing.T) {
	circle := api.Circle{Point: api.Point{Latitude: 48.8, Longitude: 2.3}, Distance: 5, Unit: api.Km}
	for want, value := range map[string]any{
		`"*"`:                                  Everyone(),
		`{"audience":"a"}`:                     ToAudience("a"),
		`{"device_id":"a"}`:                    ToDevice("a"),
		`[{"criteria":["a<b"],"name":"tags"}]`: Where(Filter("tags", "a<b")),
		`[{"criteria":[{"gte":"2.0"}],"name":"app_version","not_filter":true}]`: Where(
			NotFilter("app_version", Range{"gte": "2.0"})),
		`{"criteria":[{"distance":5,"point":{"latitude":48.8,"longitude":2.3},"unit":"km"}],"name":"location"}`: Filter(
			"location", circle),
		`{"type":"string","value":"gold"}`:               StringAttribute("gold"),
		`{"type":"string","value":["reds","blues"]}`:     StringAttribute("reds", "blues"),
		`{"type":"integer","value":9223372036854775807}`: IntegerAttribute(math.MaxInt64),
		`{"type":"float","value":0.5}`:                   FloatAttribute(0.5),
		`{"type":"date","value":"2026-11-24"}`:           DateAttribute("2026-11-24"),
		`{"type":"boolean","value":true}`:                BooleanAttribute(true),
		`{"app_version":null,"badge":0,"custom":{"plan":null}}`: api.DeviceUpdate{
			AppVersion: Null[string](), Badge: Value(0), Custom: Value(api.CustomAttributes{"plan": nil}),
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

func TestACriterionThatIsNotJSONPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it does not panic")
		}
	}()
	Filter("badge", math.NaN())
}
