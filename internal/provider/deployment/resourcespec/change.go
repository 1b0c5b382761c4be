package resourcespec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Changes returns the fields of the managed part of the spec that differ. The state is enough to tell, unless the plan starts to
// manage a field; current then decides, and without current the spec may differ. undecided says that the state doesn't tell.
func Changes(planned, state types.Object, current *api.ResourceSpec, removed ...string) (fields []string, undecided bool, diags diag.Diagnostics) {
	if planned.IsNull() || planned.Equal(state) {
		return nil, false, nil
	}
	starts := StartsManaging(planned, state)
	_, complete, diags := ToAPI(planned)
	if !complete || current == nil && starts {
		return append(changed(planned, state), removed...), true, diags
	}
	if current == nil {
		has, _, d := ToAPI(state)
		diags.Append(d...)
		current = &has
	}
	sent, d := Merge(current, planned, removed...)
	diags.Append(d...)
	fields = differing(sent, *current, removed...)
	return fields, starts && len(fields) > 0, diags
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
	return len(differing(sorted(wanted), sorted(current), append(slices.Collect(setFields(wanted)), removed...)...)) > 0
}

// differing returns the fields for which Differ is true.
func differing(wanted, current api.ResourceSpec, removed ...string) []string {
	wants, has := canonical(withDefaults(wanted)), canonical(withDefaults(current))
	fields := append(slices.Collect(setFields(wanted)), removed...)
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
	if current == nil {
		return wanted, diags
	}
	spec, err := merged(*current, wanted, removed...)
	if err != nil {
		diags.AddAttributeError(Path, "Cannot merge resource_spec",
			fmt.Sprintf("The service's resource_spec can't be merged with the configuration: %s.", err))
	}
	return spec, diags
}

// merged returns current overwritten by the fields of wanted. Removed fields are left out, and so are defaults that the
// service filled in, so that it derives them again.
func merged(current, wanted api.ResourceSpec, removed ...string) (api.ResourceSpec, error) {
	var both map[string]json.RawMessage
	for _, spec := range []api.ResourceSpec{withoutDefaults(current), wanted} {
		data, err := json.Marshal(spec)
		if err == nil {
			err = json.Unmarshal(data, &both) // Unmarshal overwrites only the fields in data.
		}
		if err != nil {
			return api.ResourceSpec{}, err
		}
	}
	for _, name := range removed {
		delete(both, name)
	}
	data, err := json.Marshal(both)
	if err != nil {
		return api.ResourceSpec{}, err
	}
	var spec api.ResourceSpec
	err = json.Unmarshal(data, &spec)
	return spec, err
}
