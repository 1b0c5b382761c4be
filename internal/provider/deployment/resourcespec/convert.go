package resourcespec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Path is the path of resource_spec in the deployment.
var Path = path.Root("source_config").AtName("resource_spec")

// ToAPI returns the managed part of the spec. It is not complete if an unknown value was left out.
func ToAPI(object types.Object) (spec api.ResourceSpec, complete bool, diags diag.Diagnostics) {
	fields, complete := objectToJSON(object.Attributes(), sameName) // At this level the API's names are in snake case.
	complete = complete && !object.IsUnknown()
	data, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil {
		diags.AddAttributeError(Path, "Invalid resource_spec", fmt.Sprintf("It can't be converted to a request: %s.", err))
	}
	return spec, complete, diags
}

// FromAPI returns the managed part of the service's spec: fields that are null in prior stay null, and equivalent values
// stay as they were written. imported adopts everything that isn't a default. A spec can't be unset as a whole: if a service
// returns none, it doesn't report it.
func FromAPI(prior types.Object, current *api.ResourceSpec, imported bool) (types.Object, diag.Diagnostics) {
	attributeTypes := Types()
	switch {
	case imported && current != nil:
		return Whole(withoutDefaults(*current))
	case prior.IsUnknown() || prior.IsNull():
		return types.ObjectNull(attributeTypes), nil
	case current == nil:
		return prior, nil
	}
	fields := canonical(withDefaults(*current))
	had, _, diags := ToAPI(prior)
	before, inOrder := canonical(sorted(had)), canonical(sorted(withDefaults(*current)))
	values := map[string]attr.Value{}
	for name, t := range attributeTypes {
		written, managed := prior.Attributes()[name]
		switch {
		case !managed || written.IsNull():
			values[name] = framework.NullOf(t)
		case bytes.Equal(before[name], inOrder[name]):
			values[name] = written
		default:
			var d diag.Diagnostics
			values[name], d = newField(name, t, fields[name])
			diags.Append(d...)
		}
	}
	return types.ObjectValueMust(attributeTypes, values), diags
}

// Whole returns everything that the service has, null if it has nothing.
func Whole(current api.ResourceSpec) (types.Object, diag.Diagnostics) {
	attributeTypes, fields := Types(), canonical(current)
	values, found := map[string]attr.Value{}, false
	var diags diag.Diagnostics
	for name, t := range attributeTypes {
		var d diag.Diagnostics
		values[name], d = newField(name, t, fields[name])
		diags.Append(d...)
		found = found || !values[name].IsNull()
	}
	if !found {
		return types.ObjectNull(attributeTypes), diags
	}
	return types.ObjectValueMust(attributeTypes, values), diags
}

// Empty returns a spec with nothing in it, which isn't null.
func Empty() types.Object {
	values := map[string]attr.Value{}
	for name, t := range Types() {
		values[name] = framework.NullOf(t)
	}
	return types.ObjectValueMust(Types(), values)
}

func newField(name string, t attr.Type, data json.RawMessage) (attr.Value, diag.Diagnostics) {
	value, err := fromJSON(t, data)
	if err == nil {
		return value, nil
	}
	return framework.NullOf(t), diag.Diagnostics{diag.NewAttributeErrorDiagnostic(Path.AtName(name), "Unexpected response",
		fmt.Sprintf("The service returned an invalid %s: %s.", name, err))}
}

// Types returns the types of the attributes of resource_spec.
var Types = sync.OnceValue(func() map[string]attr.Type { return framework.NestedTypes(Attribute().GetType()) })

// The values of resource_spec are converted by type instead of field by field: two handwritten lists of forty fields and
// Kubernetes objects would drift apart. Values that don't fit the API fail to decode into api.ResourceSpec, and a test
// converts the whole schema in both directions.

// toJSON converts a value to the API's JSON, nil for null. It is not complete if an unknown value was left out.
func toJSON(value attr.Value) (converted any, complete bool) {
	if value.IsNull() || value.IsUnknown() {
		return nil, !value.IsUnknown()
	}
	complete = true
	switch v := value.(type) {
	case types.Int64:
		return v.ValueInt64(), true
	case types.Float64:
		return v.ValueFloat64(), true
	case types.Bool:
		return v.ValueBool(), true
	case jsontypes.Normalized:
		return json.RawMessage(v.ValueString()), true
	case types.String:
		return v.ValueString(), true
	case types.List:
		list := make([]any, len(v.Elements()))
		for i, element := range v.Elements() {
			var ok bool
			list[i], ok = toJSON(element)
			complete = complete && ok
		}
		return list, complete
	case types.Map:
		return objectToJSON(v.Elements(), sameName)
	case types.Object:
		return objectToJSON(v.Attributes(), wireName)
	}
	panic(fmt.Sprintf("resource_spec holds a %T, which has no JSON form", value))
}

func sameName(name string) string { return name }

// objectToJSON leaves nulls out.
func objectToJSON(values map[string]attr.Value, name func(string) string) (map[string]any, bool) {
	object, complete := map[string]any{}, true
	for key, value := range values {
		converted, ok := toJSON(value)
		complete = complete && ok
		if converted != nil {
			object[name(key)] = converted
		}
	}
	return object, complete
}

// fromJSON is the inverse of toJSON for a value of type t. An absent value is null.
func fromJSON(t attr.Type, data json.RawMessage) (attr.Value, error) {
	if len(data) == 0 || string(data) == "null" {
		return framework.NullOf(t), nil
	}
	switch t := t.(type) {
	case basetypes.Int64Type:
		n, err := decodeJSON[int64](data)
		return types.Int64Value(n), err
	case basetypes.Float64Type:
		n, err := decodeJSON[float64](data)
		return types.Float64Value(n), err
	case basetypes.BoolType:
		b, err := decodeJSON[bool](data)
		return types.BoolValue(b), err
	case jsontypes.NormalizedType:
		return jsontypes.NewNormalizedValue(string(data)), nil
	case basetypes.StringType:
		s, err := decodeJSON[string](data)
		return types.StringValue(s), err
	case basetypes.ListType:
		elements, err := decodeJSON[[]json.RawMessage](data)
		if err != nil {
			return nil, err
		}
		values := make([]attr.Value, len(elements))
		for i, element := range elements {
			if values[i], err = fromJSON(t.ElemType, element); err != nil {
				return nil, err
			}
		}
		return types.ListValueMust(t.ElemType, values), nil
	case basetypes.MapType, basetypes.ObjectType:
		return membersFromJSON(t, data)
	}
	panic(fmt.Sprintf("resource_spec has a %T, which has no JSON form", t))
}

// membersFromJSON is fromJSON for maps and for objects, whose attributes have other names in JSON.
func membersFromJSON(t attr.Type, data json.RawMessage) (attr.Value, error) {
	members, err := decodeJSON[map[string]json.RawMessage](data)
	values := map[string]attr.Value{}
	convert := func(name string, t attr.Type, member json.RawMessage) {
		if err == nil {
			values[name], err = fromJSON(t, member)
		}
	}
	if of, isMap := t.(basetypes.MapType); isMap {
		for name, member := range members {
			convert(name, of.ElemType, member)
		}
		if err != nil {
			return nil, err
		}
		return types.MapValueMust(of.ElemType, values), nil
	}
	object, _ := t.(basetypes.ObjectType)
	for name, of := range object.AttrTypes {
		convert(name, of, members[wireName(name)])
	}
	if err != nil {
		return nil, err
	}
	return types.ObjectValueMust(object.AttrTypes, values), nil
}

func decodeJSON[T any](data json.RawMessage) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

// wireName is Kubernetes' name of an attribute: camel case, without the _json suffix.
func wireName(attribute string) string {
	attribute = strings.TrimSuffix(attribute, "_json")
	if attribute == "downward_api" {
		return "downwardAPI"
	}
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
