package carillon

import (
	"encoding/json"
	"net/http"
)

// Ptr returns a pointer to a value, for fields that may be left out.
func Ptr[T any](value T) *T {
	return &value
}

// Nullable is a field that is left out, null, or a value, and each means something else: null removes what a device has.
type Nullable[T any] struct {
	value  *T
	isNull bool
}

// Value is a value for a field that may also be null or left out.
func Value[T any](value T) Nullable[T] {
	return Nullable[T]{value: &value}
}

// Null removes what a field had; a field that is left out keeps it.
func Null[T any]() Nullable[T] {
	return Nullable[T]{isNull: true}
}

// IsZero reports whether the field is left out.
func (n Nullable[T]) IsZero() bool {
	return n.value == nil && !n.isNull
}

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(n.value)
}

// Get returns the value; false if the field is null or left out.
func (n Nullable[T]) Get() (value T, isSet bool) {
	if n.value == nil {
		return value, false
	}
	return *n.value, true
}

// UnmarshalJSON reads a value, or null.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.value, n.isNull = nil, string(text) == "null"
	return decode(text, &n.value)
}

// withExtra adds the keys of the app to those of the API.
func withExtra(known any, extra map[string]any) ([]byte, error) {
	text, err := json.Marshal(known)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	all := map[string]any{}
	if err := decode(text, &all); err != nil {
		return nil, err
	}
	for name, value := range extra {
		if _, isKnown := all[name]; !isKnown {
			all[name] = value
		}
	}
	return json.Marshal(all)
}

// NotificationTarget is the devices that a notification is for: [Everyone], [ToAudience], [ToDevice], [ToUser] or [Where].
type NotificationTarget struct {
	value any
}

// MarshalJSON writes the target as the API has it.
func (t NotificationTarget) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.value)
}

// Everyone is every device of the app.
func Everyone() NotificationTarget {
	return NotificationTarget{"*"}
}

// ToAudience is the devices of a stored audience.
func ToAudience(id string) NotificationTarget {
	return NotificationTarget{StoredTarget{Audience: id}}
}

// ToDevice is one device.
func ToDevice(id string) NotificationTarget {
	return NotificationTarget{DeviceTarget{DeviceID: id}}
}

// ToUser is the devices of one user.
func ToUser(id string) NotificationTarget {
	return NotificationTarget{UserTarget{UserID: id}}
}

// Where is the devices that all of the filters select.
func Where(filters ...Filter) NotificationTarget {
	return NotificationTarget{filters}
}

// Range is a criterion: {"gte": 10, "lt": 20}, with versions, numbers, or dates such as now-7d/d.
type Range map[string]any

// Is selects devices that fit one of the criteria, which are texts, numbers, booleans, a [Range], or a [Circle] or [Polygon];
// docs/filters.md of Carillon lists what each attribute takes.
func Is(name string, criteria ...any) Filter {
	return Filter{Name: name, Criteria: criteria}
}

// IsNot selects the devices that [Is] does not.
func IsNot(name string, criteria ...any) Filter {
	return Filter{Name: name, Criteria: criteria, NotFilter: Ptr(true)}
}

// StringAttribute is a custom attribute with one text or several.
func StringAttribute(values ...string) *CustomAttribute {
	return attribute("string", values)
}

// IntegerAttribute is a custom attribute with one whole number or several.
func IntegerAttribute(values ...int64) *CustomAttribute {
	return attribute("integer", values)
}

// FloatAttribute is a custom attribute with one number or several.
func FloatAttribute(values ...float64) *CustomAttribute {
	return attribute("float", values)
}

// DateAttribute is a custom attribute with one date or several, in ISO 8601.
func DateAttribute(values ...string) *CustomAttribute {
	return attribute("date", values)
}

// BooleanAttribute is a custom attribute that is true or false.
func BooleanAttribute(value bool) *CustomAttribute {
	return attribute("boolean", []bool{value})
}

func attribute[T any](kind string, values []T) *CustomAttribute {
	if len(values) == 1 {
		return &CustomAttribute{Type: kind, Value: values[0]}
	}
	return &CustomAttribute{Type: kind, Value: values}
}

// Err is why the notification was refused; nil if it is stored.
func (e BatchEntry) Err() error {
	if e.Status == http.StatusCreated {
		return nil
	}
	refusal := &Error{Status: e.Status, Details: e.Details}
	if e.Code != nil && e.Error != nil {
		refusal.Code, refusal.Message = *e.Code, *e.Error
	}
	return refusal
}
