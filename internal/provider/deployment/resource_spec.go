package deployment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

var resourceSpecPath = path.Root("source_config").AtName("resource_spec")

// toResourceSpec is the managed part of the spec. It is not complete while an unknown is left out.
func toResourceSpec(object types.Object) (spec api.ResourceSpec, complete bool, diags diag.Diagnostics) {
	fields, complete := map[string]any{}, !object.IsUnknown()
	for name, value := range object.Attributes() {
		converted, ok := toJSON(value)
		complete = complete && ok
		if converted != nil {
			fields[name] = converted // The API's own names are in snake case on this level.
		}
	}
	data, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil {
		diags.AddAttributeError(resourceSpecPath, "Invalid resource_spec", fmt.Sprintf("It has no form that the service "+
			"knows: %s.", err))
	}
	return spec, complete, diags
}

// newResourceSpec is the managed part of what the service holds: fields that are null in prior stay null, and fields
// that mean the same stay as they were written. imported adopts everything that is more than a default.
func newResourceSpec(prior types.Object, held *api.ResourceSpec, imported bool) (types.Object, diag.Diagnostics) {
	if held == nil {
		held = &api.ResourceSpec{}
	}
	if imported {
		return wholeResourceSpec(withoutDefaults(*held))
	}
	attributeTypes := specTypes()
	if prior.IsUnknown() || prior.IsNull() {
		return types.ObjectNull(attributeTypes), nil
	}
	fields := canonical(withDefaults(*held))
	had, _, diags := toResourceSpec(prior)
	before := canonical(had)
	values := map[string]attr.Value{}
	for name, t := range attributeTypes {
		written, managed := prior.Attributes()[name]
		switch {
		case !managed || written.IsNull():
			values[name] = nullOf(t)
		case bytes.Equal(before[name], fields[name]):
			values[name] = written
		default:
			var d diag.Diagnostics
			values[name], d = newSpecField(name, t, fields[name])
			diags.Append(d...)
		}
	}
	return types.ObjectValueMust(attributeTypes, values), diags
}

// wholeResourceSpec is everything that the service holds, null when it holds nothing.
func wholeResourceSpec(held api.ResourceSpec) (types.Object, diag.Diagnostics) {
	attributeTypes, fields := specTypes(), canonical(held)
	values, found := map[string]attr.Value{}, false
	var diags diag.Diagnostics
	for name, t := range attributeTypes {
		var d diag.Diagnostics
		values[name], d = newSpecField(name, t, fields[name])
		diags.Append(d...)
		found = found || !values[name].IsNull()
	}
	if !found {
		return types.ObjectNull(attributeTypes), diags
	}
	return types.ObjectValueMust(attributeTypes, values), diags
}

func newSpecField(name string, t attr.Type, data json.RawMessage) (attr.Value, diag.Diagnostics) {
	value, err := fromJSON(t, data)
	if err == nil {
		return value, nil
	}
	return nullOf(t), diag.Diagnostics{diag.NewAttributeErrorDiagnostic(resourceSpecPath.AtName(name), "Unexpected answer",
		fmt.Sprintf("The service reports a %s that is not of the documented form: %s.", name, err))}
}

// specChanges says whether any field of wanted is not what the service holds, defaults included. An empty list or map is
// wanted, too: it takes away what is held.
func specChanges(wanted, held api.ResourceSpec) bool {
	wants, has := canonical(wanted), canonical(withDefaults(held))
	for name := range setFields(wanted) {
		if !bytes.Equal(wants[name], has[name]) {
			return true
		}
	}
	return false
}

// specStartsManaging says whether planned sets a field that state, and so the last refresh, knows nothing about.
func specStartsManaging(planned, state types.Object) bool {
	for name, value := range planned.Attributes() {
		before, there := state.Attributes()[name]
		if !value.IsNull() && (!there || before.IsNull()) {
			return true
		}
	}
	return false
}

// merged is held with the fields of wanted put over it. Defaults that the service filled in are left out, so that it
// derives them again from what they follow.
func merged(held, wanted api.ResourceSpec) (api.ResourceSpec, error) {
	var both map[string]json.RawMessage
	for _, spec := range []api.ResourceSpec{withoutDefaults(held), wanted} {
		data, err := json.Marshal(spec)
		if err == nil {
			err = json.Unmarshal(data, &both) // Adds to what is there.
		}
		if err != nil {
			return api.ResourceSpec{}, err
		}
	}
	data, err := json.Marshal(both)
	if err != nil {
		return api.ResourceSpec{}, err
	}
	var spec api.ResourceSpec
	err = json.Unmarshal(data, &spec)
	return spec, err
}

// specTypes are the attribute types of resource_spec.
func specTypes() map[string]attr.Type {
	return nestedTypes(attributeTypes("source_config")["resource_spec"])
}

func nestedTypes(t attr.Type) map[string]attr.Type {
	object, ok := t.(attr.TypeWithAttributeTypes)
	if !ok {
		panic(fmt.Sprintf("%T is not the type of a nested attribute", t))
	}
	return object.AttributeTypes()
}
