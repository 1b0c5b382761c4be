package resourcespec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

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
		diags.AddAttributeWarning(Path, "resource_spec is no longer managed",
			fmt.Sprintf("%s is no longer set, so the compute of deployment %q is no longer managed. The service keeps these "+
				"fields: %s. To remove fields that this resource has set, set resource_spec = {} and apply that first.",
				Path, deployment, names))
	default:
		diags.AddAttributeWarning(Path, "Fields of resource_spec are kept",
			fmt.Sprintf("%s no longer sets these fields of deployment %q, but the service keeps them: %s. Only fields that "+
				"this resource has sent are removed, and there is no record that it has sent these, as after an import. To "+
				"remove a field, first set it to another value and apply that; an empty value empties a list or a map.",
				Path, deployment, names))
	}
	return diags
}
