package listener

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// replaces says whether the service can't make m of the listener in the state.
func (m model) replaces(state model) bool {
	return differsKnown(m.ComputeID, state.ComputeID) || differsKnown(m.ComputeType, state.ComputeType) ||
		differsKnown(m.WorkspaceID, state.WorkspaceID)
}

func differsKnown(planned, current types.String) bool {
	return !planned.IsUnknown() && !planned.Equal(current)
}

// announceReplacement tells deployments of the same plan that the listener goes, and another one comes: only its new ID is
// unknown, not whether they have to be replaced.
func announceReplacement(memo *framework.Memo, planned, state model) {
	switch {
	case memo == nil:
	case !state.ID.IsNull() && planned.replaces(state):
		framework.GoingListeners(memo).Store(state.ID.ValueString(), true)
	case state.ID.IsNull() && !planned.ComputeID.IsUnknown():
		// A tainted listener is planned like a new one. It has been read a moment ago.
		if id, there := framework.ReadListeners(memo).Load(planned.place()); there {
			framework.GoingListeners(memo).Store(id, true)
		}
	}
}

// place is what no two listeners have in common.
func (m model) place() string { return m.WorkspaceID.ValueString() + "/" + m.ComputeID.ValueString() }
