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

// ToAPI returns the managed part of the spec. It is not complete if an unknown value was left out, or if it can't be converted.
func ToAPI(object types.Object) (spec api.ResourceSpec, complete bool, diags diag.Diagnostics) {
	fields, complete := map[string]any{}, !object.IsUnknown()
	for name, value := range object.Attributes() { // At this level the API's names are in snake case.
		var known bool
		fields[name], known = framework.JSON(value, wireName)
		complete = complete && known
	}
	data, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil {
		diags.AddAttributeError(Path, "Invalid resource_spec", fmt.Sprintf("It can't be converted to a request: %s.", err))
	}
	return spec, complete && err == nil, diags
}

// FromAPI returns the managed part of the service's spec: fields that are null in prior stay null, and equivalent values
// stay as they were written. imported adopts everything that isn't a default. A spec can't be unset as a whole: if a service
// returns none, it doesn't report it.
func FromAPI(prior types.Object, current *api.ResourceSpec, imported bool) types.Object {
	attributeTypes := Types()
	switch {
	case imported && current != nil:
		return Whole(withoutDefaults(*current))
	case prior.IsUnknown() || prior.IsNull():
		return types.ObjectNull(attributeTypes)
	case current == nil:
		return prior
	}
	fields := canonical(withDefaults(*current))
	had, _, _ := ToAPI(prior)
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
			values[name] = fromJSON(t, fields[name])
		}
	}
	return types.ObjectValueMust(attributeTypes, values)
}

// Whole returns everything that the service has, null if it has nothing.
func Whole(current api.ResourceSpec) types.Object {
	attributeTypes, fields := Types(), canonical(current)
	values, found := map[string]attr.Value{}, false
	for name, t := range attributeTypes {
		values[name] = fromJSON(t, fields[name])
		found = found || !values[name].IsNull()
	}
	if !found {
		return types.ObjectNull(attributeTypes)
	}
	return types.ObjectValueMust(attributeTypes, values)
}

// Empty returns a spec with nothing in it, which isn't null.
func Empty() types.Object {
	values := map[string]attr.Value{}
	for name, t := range Types() {
		values[name] = framework.NullOf(t)
	}
	return types.ObjectValueMust(Types(), values)
}

// Types returns the types of the attributes of resource_spec.
var Types = sync.OnceValue(func() map[string]attr.Type { return framework.NestedTypes(Attribute().GetType()) })

// The values of resource_spec are converted by type instead of field by field: two handwritten lists of forty fields and
// Kubernetes objects would drift apart. Values that don't fit the API fail to decode into api.ResourceSpec, and a test
// converts the whole schema in both directions.

// fromJSON is the inverse of framework.JSON for a value of type t. An absent value is null. The JSON comes from api.ResourceSpec, whose types are
// those of the schema.
func fromJSON(t attr.Type, data json.RawMessage) attr.Value {
	if len(data) == 0 || string(data) == "null" {
		return framework.NullOf(t)
	}
	switch t := t.(type) {
	case basetypes.Int64Type:
		return types.Int64Value(decoded[int64](data))
	case basetypes.Float64Type:
		return types.Float64Value(decoded[float64](data))
	case basetypes.BoolType:
		return types.BoolValue(decoded[bool](data))
	case jsontypes.NormalizedType:
		return jsontypes.NewNormalizedValue(string(data))
	case basetypes.StringType:
		return types.StringValue(decoded[string](data))
	case basetypes.ListType:
		values := []attr.Value{}
		for _, element := range decoded[[]json.RawMessage](data) {
			values = append(values, fromJSON(t.ElemType, element))
		}
		return types.ListValueMust(t.ElemType, values)
	case basetypes.MapType:
		values := map[string]attr.Value{}
		for name, member := range decoded[map[string]json.RawMessage](data) {
			values[name] = fromJSON(t.ElemType, member)
		}
		return types.MapValueMust(t.ElemType, values)
	case basetypes.ObjectType:
		members, values := decoded[map[string]json.RawMessage](data), map[string]attr.Value{}
		for name, of := range t.AttrTypes {
			values[name] = fromJSON(of, members[wireName(name)])
		}
		return types.ObjectValueMust(t.AttrTypes, values)
	}
	panic(fmt.Sprintf("resource_spec has a %T, which has no JSON form", t))
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
