package api

import (
	"bytes"
	"encoding/json"
)

// Optional is a request field for which absent, null and a value are three different things: PATCH leaves an absent
// field alone. The zero Optional is absent; its struct tag needs omitzero to stay off the wire.
type Optional[T any] struct {
	// Present says that the field is on the wire, as null or as a value.
	Present bool
	// Value is nil when the field is absent or null.
	Value *T
}

// Some is a field that carries v.
func Some[T any](v T) Optional[T] { return Optional[T]{Present: true, Value: &v} }

// FromPtr is absent for nil and carries *v otherwise.
func FromPtr[T any](v *T) Optional[T] { return Optional[T]{Present: v != nil, Value: v} }

// IsZero says that the field is absent; encoding/json asks it for omitzero.
func (o Optional[T]) IsZero() bool { return !o.Present }

// Get returns the value, and whether there is one.
func (o Optional[T]) Get() (T, bool) {
	if o.Value == nil {
		var zero T
		return zero, false
	}
	return *o.Value, true
}

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON is called for null too, and only when the field is on the wire.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Present, o.Value = true, nil
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	o.Value = new(T)
	return json.Unmarshal(data, o.Value)
}
