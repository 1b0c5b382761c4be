package resourcespec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		diags.AddAttributeError(Path, "Invalid resource_spec", fmt.Sprintf("It can't be converted to a "+
			"request: %s.", err))
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
