package form

import (
	"encoding/json"
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
