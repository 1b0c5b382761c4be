package client

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// normalizeIDs gives UUIDs their usual spelling: another spelling would be taken for another object. An ID whose tag is `format:"uuid"`
// must be one, because it becomes part of paths and of states. An ID may be missing.
func normalizeIDs(object any) error {
	return normalizeIn(reflect.ValueOf(object))
}

func normalizeIn(v reflect.Value) error {
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
			if err := normalizeIn(value); err != nil {
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

// checkID checks that a response is the requested object: caches and proxies may mix responses up.
func checkID(noun, requested, got string) error {
	switch {
	case got == "":
		return fmt.Errorf("the response is not a %s: it has no id", noun)
	case !SameID(requested, got):
		return fmt.Errorf("the response is about another %s: its id is %q, not %q", noun, got, requested)
	}
	return nil
}

// checkName is checkID for objects that users name. A response without the name is accepted, because some services return only an ID.
func checkName(of kind, requested, id, got string) error {
	switch {
	case id == "":
		return fmt.Errorf("the response is not a %s: it has no id", of.noun())
	case got != requested && got != "":
		return fmt.Errorf("the response is about another %s: its %s is %q, not %q", of.noun(), of.key, got, requested)
	}
	return nil
}

// SameID reports whether two IDs are the same UUID, in any spelling.
func SameID(a, b string) bool { return plainID(a) == plainID(b) }

// plainID returns the spelling in which equal UUIDs are equal.
func plainID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }
