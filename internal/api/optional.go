package api

import (
	"bytes"
	"encoding/json"
)

// Optional is a request field that distinguishes absent, null and a value: a PATCH leaves an absent field unchanged. The zero
// Optional is absent; its struct tag needs omitzero to omit it.
type Optional[T any] struct {
	// Present means that the field is on the wire, as null or as a value.
	Present bool
	// Value is nil if the field is absent or null.
	Value *T
}

// Some returns a field with the value v.
func Some[T any](v T) Optional[T] { return Optional[T]{Present: true, Value: &v} }

// FromPtr returns an absent field for nil, and otherwise a field with the value *v.
func FromPtr[T any](v *T) Optional[T] { return Optional[T]{Present: v != nil, Value: v} }

// IsZero reports whether the field is absent; encoding/json calls it for omitzero.
func (o Optional[T]) IsZero() bool { return !o.Present }

// Get returns the value and whether there is one.
func (o Optional[T]) Get() (T, bool) {
	if o.Value == nil {
		var zero T
		return zero, false
	}
	return *o.Value, true
}

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON is also called for null, but only if the field is on the wire.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Present, o.Value = true, nil
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	o.Value = new(T)
	return json.Unmarshal(data, o.Value)
}

// NonEmpty returns nil for an empty value.
func NonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// OrEmpty returns an empty value for nil.
func OrEmpty[T any](value *T) (empty T) {
	if value == nil {
		return empty
	}
	return *value
}

// Converted converts an optional value; nil for none.
func Converted[From, To any](value *From, convert func(From) To) *To {
	if value == nil {
		return nil
	}
	return new(convert(*value))
}

// Keep replaces a nullable field if the request has a value for it.
func Keep[T any](to **T, from Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = &v
	}
}

// Set is Keep for a field that is never null.
func Set[T any](to *T, from Optional[T]) {
	if v, sent := from.Get(); sent {
		*to = v
	}
}
