package carillon

import (
	"github.com/oapi-codegen/nullable"

	"github.com/carillon-push/carillon-go/api"
)

// Value is a value for a field that may also be null or left out.
func Value[T any](value T) nullable.Nullable[T] {
	return nullable.NewNullableWithValue(value)
}

// Null removes what a field had; a field that is left out keeps it.
func Null[T any]() nullable.Nullable[T] {
	return nullable.NewNullNullable[T]()
}

// Everyone is every device of the app.
func Everyone() api.NotificationTarget {
	return target("*")
}

// ToAudience is the devices of a stored audience.
func ToAudience(id string) api.NotificationTarget {
	return target(api.StoredTarget{Audience: id})
}

// ToDevice is one device.
func ToDevice(id string) api.NotificationTarget {
	return target(api.DeviceTarget{DeviceID: id})
}

// ToUser is the devices of one user.
func ToUser(id string) api.NotificationTarget {
	return target(api.UserTarget{UserID: id})
}

// Where is the devices that all of the filters select.
func Where(filters ...api.Filter) api.NotificationTarget {
	return target(filters)
}

func target(value any) api.NotificationTarget {
	var made api.NotificationTarget
	mustUnmarshal(&made, value)
	return made
}

// Range is a criterion: {"gte": 10, "lt": 20}, with versions, numbers, or dates such as now-7d/d.
type Range map[string]any

// Filter selects devices that fit one of the criteria, which are texts, numbers, booleans, a [Range], or an [api.Circle] or
// [api.Polygon]; docs/filters.md of Carillon lists what each attribute takes. It panics if a criterion is not JSON.
func Filter(name string, criteria ...any) api.Filter {
	return filter(name, criteria, false)
}

// NotFilter selects the devices that the filter does not.
func NotFilter(name string, criteria ...any) api.Filter {
	return filter(name, criteria, true)
}

func filter(name string, criteria []any, isNegated bool) api.Filter {
	var made api.Filter
	fields := map[string]any{"name": name, "criteria": criteria}
	if isNegated {
		fields["not_filter"] = true
	}
	mustUnmarshal(&made, fields)
	return made
}

// StringAttribute is a custom attribute with one text or several.
func StringAttribute(values ...string) *api.CustomAttribute {
	return attribute("string", values)
}

// IntegerAttribute is a custom attribute with one whole number or several.
func IntegerAttribute(values ...int64) *api.CustomAttribute {
	return attribute("integer", values)
}

// FloatAttribute is a custom attribute with one number or several.
func FloatAttribute(values ...float64) *api.CustomAttribute {
	return attribute("float", values)
}

// DateAttribute is a custom attribute with one date or several, in ISO 8601.
func DateAttribute(values ...string) *api.CustomAttribute {
	return attribute("date", values)
}

// BooleanAttribute is a custom attribute that is true or false.
func BooleanAttribute(value bool) *api.CustomAttribute {
	return attribute("boolean", []bool{value})
}

func attribute[T any](kind string, values []T) *api.CustomAttribute {
	var made api.CustomAttribute
	fields := map[string]any{"type": kind, "value": values}
	if len(values) == 1 {
		fields["value"] = values[0]
	}
	mustUnmarshal(&made, fields)
	return &made
}

// mustUnmarshal sets a generated type that is one of several forms, which is kept as JSON.
func mustUnmarshal(made interface{ UnmarshalJSON([]byte) error }, value any) {
	if err := made.UnmarshalJSON(mustMarshal(value)); err != nil {
		panic("carillon: " + err.Error())
	}
}
