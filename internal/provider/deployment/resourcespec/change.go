package resourcespec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Changes returns the fields of the managed part of the spec that differ. The state is enough to tell, unless the plan starts to
// manage a field; current then decides, and without current the spec may differ. undecided is true if the state isn't enough.
func Changes(planned, state types.Object, current *api.ResourceSpec, removed ...string) (fields []string, undecided bool) {
	if planned.IsNull() || planned.Equal(state) {
		return nil, false
	}
	starts := StartsManaging(planned, state)
	wanted, complete, _ := ToAPI(planned)
	if !complete || current == nil && starts {
		return append(changed(planned, state), removed...), true
	}
	if current == nil {
		has, _, _ := ToAPI(state)
		current = &has
	}
	fields = differing(merged(*current, wanted, removed...), *current, removed...)
	return fields, starts && len(fields) > 0
}

// changed returns the fields that planned sets to another value.
func changed(planned, state types.Object) []string {
	var fields []string
	for name, value := range planned.Attributes() {
		if !value.IsNull() && !value.Equal(state.Attributes()[name]) {
			fields = append(fields, name)
		}
	}
	return fields
}

// Differ reports whether any field of wanted differs from the service's value, including defaults, or whether the service has
// more than the default of a removed field. An empty list or map also counts: it removes the current value. The service may have lists in
// another order.
func Differ(wanted, current api.ResourceSpec, removed ...string) bool {
	return len(differing(sorted(wanted), sorted(current), append(setFields(wanted), removed...)...)) > 0
}

// differing returns the fields for which Differ is true.
func differing(wanted, current api.ResourceSpec, removed ...string) []string {
	wants, has := canonical(withDefaults(wanted)), canonical(withDefaults(current))
	fields := append(setFields(wanted), removed...)
	return slices.DeleteFunc(fields, func(name string) bool { return bytes.Equal(wants[name], has[name]) })
}

// Removed reports whether none of the fields, of which there is at least one, has the value any longer that it had before.
func Removed(before, now api.ResourceSpec, fields []string) bool {
	had, has := canonical(before), canonical(now)
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(name string) bool { return bytes.Equal(had[name], has[name]) })
}

// StartsManaging reports whether planned sets a field that is missing in state, and so was missing in the last refresh.
func StartsManaging(planned, state types.Object) bool {
	has := state.Attributes() // A copy.
	for name, value := range planned.Attributes() {
		before, there := has[name]
		if !value.IsNull() && (!there || before.IsNull()) {
			return true
		}
	}
	return false
}

// Merge returns the whole spec to send, because the service replaces all of it: the current spec, overwritten by the
// planned fields, without the removed ones.
func Merge(current *api.ResourceSpec, planned types.Object, removed ...string) (api.ResourceSpec, diag.Diagnostics) {
	wanted, _, diags := ToAPI(planned)
	if current == nil || diags.HasError() {
		return wanted, diags
	}
	return merged(*current, wanted, removed...), diags
}

// merged returns current overwritten by the fields of wanted. Removed fields are left out, and so are defaults that the
// service filled in, so that it derives them again.
func merged(current, wanted api.ResourceSpec, removed ...string) api.ResourceSpec {
	both := decoded[map[string]json.RawMessage](encoded(withoutDefaults(current)))
	maps.Copy(both, decoded[map[string]json.RawMessage](encoded(wanted)))
	for _, name := range removed {
		delete(both, name)
	}
	return decoded[api.ResourceSpec](encoded(both))
}

// Record names the fields that were configured when the service last accepted a spec from the resource. Removing one of them
// from the configuration removes it from the service; any other field was only adopted and may belong to another user. A nil
// Record means that it is not known what was sent, as after an import.
type Record []string

// NewRecord returns the record of a spec that the service has accepted.
func NewRecord(sent types.Object) Record {
	names, _ := Record{}.missing(types.Object{}, sent)
	return append(Record{}, names...)
}

// Removed returns the fields that planned removes from the service.
func (r Record) Removed(planned, state types.Object) []string {
	_, removed := r.missing(planned, state)
	return removed
}

// missing returns the fields of state that planned lacks: those that are only released, and those that are removed. Removing
// the whole spec releases all of them.
func (r Record) missing(planned, state types.Object) (released, removed []string) {
	wanted := planned.Attributes() // A copy.
	for name, before := range state.Attributes() {
		after, there := wanted[name]
		switch {
		case before.IsNull() || planned.IsUnknown() || there && !after.IsNull():
		case !planned.IsNull() && slices.Contains(r, name):
			removed = append(removed, name)
		default:
			released = append(released, name)
		}
	}
	slices.Sort(released)
	slices.Sort(removed)
	return released, removed
}

// WarnOfReleased names the fields that planned no longer manages and that the service keeps.
func (r Record) WarnOfReleased(planned, state types.Object, deployment string) diag.Diagnostics {
	released, _ := r.missing(planned, state)
	if len(released) == 0 {
		return nil
	}
	has, _, diags := ToAPI(state)
	kept := canonical(withoutDefaults(has)) // A default is derived again, so it isn't kept.
	released = slices.DeleteFunc(released, func(name string) bool { return kept[name] == nil })
	names := strings.Join(released, ", ")
	switch {
	case len(released) == 0:
	case planned.IsNull():
		diags.AddAttributeWarning(Path, "resource_spec is no longer managed", fmt.Sprintf("%s is no longer set, so the compute of "+
			"deployment %q is no longer managed. The service keeps these fields: %s. To remove fields that this resource has set, set "+
			"resource_spec = {} and apply that first.", Path, deployment, names))
	default:
		diags.AddAttributeWarning(Path, "Fields of resource_spec are kept", fmt.Sprintf("%s no longer sets these fields of deployment %q, "+
			"but the service keeps them: %s. Only fields that this resource has sent are removed, and there is no record that it has sent "+
			"these, as after an import. To remove a field, first set it to another value and apply that; an empty value empties a list or "+
			"a map.", Path, deployment, names))
	}
	return diags
}

// canonical returns each field of the spec as JSON that is equal if and only if the meaning is: sorted keys, no
// whitespace, and nothing that is equivalent to its absence. Free-form objects are compared as they are.
func canonical(spec api.ResourceSpec) map[string]json.RawMessage {
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(encoded(withoutEmpty(spec).Rounded())))
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
	spec = spec.Rounded()
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
	spec = spec.Rounded()
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
	return slices.Collect(maps.Keys(decoded[map[string]json.RawMessage](encoded(spec))))
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
