package deployment

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// onlyInPlan drops warnings when an apply plans again: the plan that is being applied has already shown them.
func (r *deploymentResource) onlyInPlan(state model, warnings diag.Diagnostics) diag.Diagnostics {
	key := "warned/" + state.ID.ValueString()
	if len(warnings) == 0 || !r.refreshed(state.ID) && r.Notes.Take(key) == state.version() {
		return nil
	}
	r.Notes.Leave(key, state.version())
	return warnings
}

// version identifies the state that a plan starts from. A plan and its apply start from the same one.
func (m model) version() string {
	return m.UpdatedAt.ValueString() + " " + m.LatestRevisionID.ValueString()
}

// refreshing notes that a deployment is being refreshed, which only plans do. refreshed says whether it was, which means
// that no apply is running.
func (r *deploymentResource) refreshing(id types.String) {
	if r.Memo != nil {
		r.refreshes().Store(id.ValueString(), true)
	}
}

func (r *deploymentResource) refreshed(id types.String) bool {
	if r.Memo == nil {
		return false
	}
	_, refreshed := r.refreshes().Load(id.ValueString())
	return refreshed
}

func (r *deploymentResource) refreshes() *sync.Map {
	return framework.SharedMap(r.Memo, "refreshed deployments")
}
