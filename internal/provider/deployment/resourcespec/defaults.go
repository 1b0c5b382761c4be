package resourcespec

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// derivedFields are those of all dialects: where a field doesn't exist, its default changes nothing.
var derivedFields = slices.Concat(api.DerivedFields, api.ExtendedDerivedFields)

// withDefaults fills in the documented defaults of the service.
func withDefaults(spec api.ResourceSpec) api.ResourceSpec {
	spec = rounded(spec)
	fields := reflect.ValueOf(&spec).Elem()
	for _, rule := range derivedFields {
		field, base := fieldOf(fields, rule.Field), fieldOf(fields, rule.From)
		if field.IsNil() && !base.IsNil() {
			field.Set(times(base, rule.Factor))
		}
	}
	return spec
}

// withoutDefaults removes values that the service would derive again.
func withoutDefaults(spec api.ResourceSpec) api.ResourceSpec {
	spec = rounded(spec)
	full := withDefaults(spec)
	fields, bases := reflect.ValueOf(&spec).Elem(), reflect.ValueOf(&full).Elem()
	for _, rule := range derivedFields {
		field, base := fieldOf(fields, rule.Field), fieldOf(bases, rule.From)
		if !field.IsNil() && !base.IsNil() && field.Elem().Equal(times(base, rule.Factor).Elem()) {
			field.SetZero()
		}
	}
	return spec
}

// times returns a pointer to a multiple of the number that base points to.
func times(base reflect.Value, factor int64) reflect.Value {
	product := reflect.New(base.Type().Elem())
	if base.Elem().CanInt() {
		product.Elem().SetInt(base.Elem().Int() * factor)
	} else {
		product.Elem().SetFloat(base.Elem().Float() * float64(factor))
	}
	return product
}

// setFields returns the names of the fields that a spec sets, even to empty values.
func setFields(spec api.ResourceSpec) iter.Seq[string] {
	return func(yield func(string) bool) {
		fields := reflect.ValueOf(spec)
		for name, index := range fieldIndexes() {
			if !fields.Field(index).IsZero() && !yield(name) {
				return
			}
		}
		for name := range spec.Extra {
			if !yield(name) {
				return
			}
		}
	}
}

// fieldOf returns the field of a spec with the API's name.
func fieldOf(spec reflect.Value, name string) reflect.Value { return spec.Field(fieldIndexes()[name]) }

var fieldIndexes = sync.OnceValue(func() map[string]int {
	indexes := map[string]int{}
	spec := reflect.TypeFor[api.ResourceSpec]()
	for i := range spec.NumField() {
		name, _, _ := strings.Cut(spec.Field(i).Tag.Get("json"), ",")
		indexes[name] = i
	}
	return indexes
})
