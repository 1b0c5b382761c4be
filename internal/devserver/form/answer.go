package form

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	// resourceSpec has its own MarshalJSON only to preserve fields of newer services. This server has no such fields.
	resourceSpec = reflect.TypeFor[api.ResourceSpec]()
)

// Complete encodes v with every field of its type. The service returns every documented key, with null where there is no
// value, but the shared types omit nil fields because requests need that.
func Complete(v reflect.Value, dialect *api.Dialect) any {
	if !v.IsValid() {
		return nil
	}
	if v.Type().Implements(marshaler) && v.Type() != resourceSpec && v.Type() != reflect.PointerTo(resourceSpec) {
		return v.Interface()
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return Complete(v.Elem(), dialect)
	case reflect.Struct:
		object := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			if f := WireField(v.Type().Field(i)); f.in(dialect) {
				object[f.Name] = Complete(v.Field(i), dialect)
			}
		}
		return object
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		object := make(map[string]any, v.Len())
		for entry := v.MapRange(); entry.Next(); {
			object[entry.Key().String()] = Complete(entry.Value(), dialect)
		}
		return object
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = Complete(v.Index(i), dialect)
		}
		return list
	default:
		return v.Interface()
	}
}

// Collect converts a list; the result is never nil, so that it is encoded as [].
func Collect[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

// Texts returns the values of an enumeration as strings.
func Texts[S ~string](values []S) []string {
	return Collect(values, func(v S) string { return string(v) })
}

// Beginning returns the first characters of a text, and whether there are more. It doesn't read the rest, which can have megabytes.
func Beginning(text string, characters int) (beginning string, more bool) {
	for at := range text {
		if characters--; characters < 0 {
			return text[:at], true
		}
	}
	return text, false
}

// Shortened is Beginning with an ellipsis in place of the rest.
func Shortened(text string, characters int) string {
	beginning, more := Beginning(text, characters)
	if more {
		return beginning + "…"
	}
	return beginning
}

// DateTime formats times as the service does: in UTC, with microseconds.
func DateTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// Time reads a time in any form that the tracing service accepts from a member of the body; nil if it is absent or empty.
func Time(name string, text *string) (*time.Time, error) {
	if text == nil || *text == "" {
		return nil, nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		return nil, OfFields(NotTime(Body(name), err))
	}
	return &at, nil
}

// SetTime sets a time to that of a member of the body, if there is one.
func SetTime(name string, text *string, to *time.Time) error {
	at, err := Time(name, text)
	if at != nil {
		*to = *at
	}
	return err
}
