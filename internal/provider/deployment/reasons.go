package deployment

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// reasons are the changes that make a new revision. A known list must not differ when Terraform plans again during the apply, so it is
// a function of the state, the private state and the configuration.
type reasons struct {
	// changes are paths of attributes and map keys, and the words below, but never values.
	changes []string
	// undecided says that there may be other changes: a value is still unknown, or the service decides.
	undecided bool
}

// The reasons that aren't a changed attribute.
const (
	reasonCreated = "created"
	reasonFailed  = "failed rollout"
)

func (r reasons) any() bool { return len(r.changes) > 0 || r.undecided }

// add adds the attribute at a path, which has a new value.
func (r *reasons) add(at path.Path, value attr.Value) {
	if object, is := value.(types.Object); value.IsUnknown() || is && !known(object) {
		r.undecided = true
		return
	}
	r.changes = append(r.changes, at.String())
}

// addKey adds a key that a map gets or loses.
func (r *reasons) addKey(attribute, key string) {
	r.add(path.Root(attribute).AtMapKey(key), types.StringNull())
}

// addMap adds the keys in which two maps differ, or the whole attribute if no key tells the difference.
func (r *reasons) addMap(attribute string, planned, state types.Map) {
	if planned.IsUnknown() || planned.Equal(state) {
		r.undecided = r.undecided || planned.IsUnknown()
		return
	}
	wanted, has := planned.Elements(), state.Elements()
	for key, value := range wanted {
		switch before, there := has[key]; {
		case !there:
			r.addKey(attribute, key)
		case !value.Equal(before):
			r.add(path.Root(attribute).AtMapKey(key), value)
		}
	}
	for key := range has {
		if _, stays := wanted[key]; !stays {
			r.addKey(attribute, key)
		}
	}
	if !r.any() {
		r.add(path.Root(attribute), planned)
	}
}

// object is the attribute revision_reasons for a revision that follows another one.
func (r reasons) object(previous types.String) types.Object {
	return types.ObjectValueMust(attributeTypes("revision_reasons"), map[string]attr.Value{
		"previous_revision_id": previous, "changes": nameSet(slices.Values(r.changes)),
	})
}
