package resourcespec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// canonical returns each field of the spec as JSON that is equal if and only if the meaning is: sorted keys, no
// whitespace, and nothing that is equivalent to its absence. Free-form objects are compared as they are.
func canonical(spec api.ResourceSpec) map[string]json.RawMessage {
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(encoded(rounded(withoutEmpty(spec)))))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		panic(err)
	}
	fields := map[string]json.RawMessage{}
	for name, value := range tree {
		fields[name] = encoded(value)
	}
	return fields
}

// encoded returns the JSON of a spec or of a part of it: strings, numbers, and JSON that was decoded before, which can't fail.
func encoded(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}

// decoded is the inverse of encoded.
func decoded[T any](data json.RawMessage) (value T) {
	if err := json.Unmarshal(data, &value); err != nil {
		panic(err)
	}
	return value
}

// rounded makes the numbers of cores those that the service keeps.
func rounded(spec api.ResourceSpec) api.ResourceSpec {
	fields := reflect.ValueOf(&spec).Elem()
	for name := range api.CPUBounds {
		if cores, is := reflect.TypeAssert[*api.CPU](fieldOf(fields, name)); is && cores != nil {
			fieldOf(fields, name).Set(reflect.ValueOf(new(api.RoundedCPU(name, *cores))))
		}
	}
	return spec
}

var freeForm = reflect.TypeFor[api.Object]()

// sorted returns the spec with its lists in one order, except for those whose order has a meaning: init_containers, command, args and
// env_from. A service may return the others in an order of its own.
func sorted(spec api.ResourceSpec) api.ResourceSpec {
	spec = withoutEmpty(spec) // A copy.
	sortBy(spec.ImagePullSecrets, func(r api.LocalObjectReference) string { return r.Name })
	sortBy(spec.Volumes, func(v api.Volume) string { return v.Name })
	sortBy(spec.VolumeMounts, func(m api.VolumeMount) string { return m.MountPath })
	sortBy(spec.Sidecars, func(c api.Container) string { return c.Name })
	for _, container := range slices.Concat(spec.InitContainers, spec.Sidecars) {
		sortBy(container.Env, func(v api.EnvVar) string { return v.Name })
		sortBy(container.VolumeMounts, func(m api.VolumeMount) string { return m.MountPath })
	}
	return spec
}

func sortBy[T any](list []T, key func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// withoutEmpty removes empty strings, lists and maps at every depth: the service may return them as absent, or the
// reverse. A free-form object keeps its empty values: emptyDir: {} has a meaning.
func withoutEmpty(spec api.ResourceSpec) api.ResourceSpec {
	return prune(reflect.ValueOf(spec)).Interface().(api.ResourceSpec) //nolint:forcetypeassert // prune keeps the type.
}

// prune copies instead of changing its argument.
func prune(v reflect.Value) reflect.Value {
	switch {
	case v.Type() == freeForm:
		return v
	case v.Kind() == reflect.Struct:
		pruned := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			pruned.Field(i).Set(prune(v.Field(i)))
		}
		return pruned
	case v.Kind() == reflect.Pointer && !v.IsNil():
		inner := prune(v.Elem())
		if inner.Kind() == reflect.String && inner.Len() == 0 || inner.Kind() == reflect.Struct && inner.IsZero() {
			return reflect.Zero(v.Type())
		}
		pruned := reflect.New(v.Type().Elem())
		pruned.Elem().Set(inner)
		return pruned
	case v.Kind() == reflect.Slice && v.Len() > 0:
		pruned := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			pruned.Index(i).Set(prune(v.Index(i)))
		}
		return pruned
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0:
		return reflect.Zero(v.Type())
	}
	return v
}

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
func setFields(spec api.ResourceSpec) []string {
	fields, names := reflect.ValueOf(spec), slices.Collect(maps.Keys(spec.Extra))
	for name, index := range fieldIndexes() {
		if !fields.Field(index).IsZero() {
			names = append(names, name)
		}
	}
	return names
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
