package client

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// isUUIDs refuses an object in which an ID of the documented format, which the structs have as a tag, is anything else: it would become
// part of paths and of states. An ID that is missing is a matter of the operation. A UUID gets its usual spelling, also where other IDs are
// valid (the tag is then "id"): in another one, it would be taken for another object.
func isUUIDs(object any) error {
	return notUUID(reflect.ValueOf(object))
}

func notUUID(v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		v = v.Elem() // Zero if it is nil.
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		field, value := v.Type().Field(i), reflect.Indirect(v.Field(i))
		format := field.Tag.Get("format")
		if format == "" {
			if err := notUUID(value); err != nil {
				return err
			}
			continue
		}
		if !value.IsValid() || value.String() == "" {
			continue
		}
		switch id, err := uuid.Parse(value.String()); {
		case err == nil:
			value.SetString(id.String())
		case format == "uuid":
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return fmt.Errorf("its %s is %q, which is not a UUID", name, mask.Snippet(value.String()))
		}
	}
	return nil
}

// hasID checks that a response is an object of a kind at all.
func hasID(kind, id string) error {
	if id == "" {
		return fmt.Errorf("the response is not a %s: it has no id", kind)
	}
	return nil
}

// isAsked checks that an object is the requested one: caches and proxies may mix responses up.
func isAsked(kind, asked, got string) error {
	if err := hasID(kind, got); err != nil {
		return err
	}
	if SameID(asked, got) {
		return nil
	}
	return fmt.Errorf("the response is about another %s: its id is %q, not %q", kind, got, asked)
}

// SameID reports whether two IDs are the same UUID, in any spelling.
func SameID(a, b string) bool { return plainID(a) == plainID(b) }

// plainID returns the spelling in which equal UUIDs are equal.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }
