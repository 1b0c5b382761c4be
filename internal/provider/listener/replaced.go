package listener

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// replaces says whether the change from state to m requires a replacement.
func (m model) replaces(state model) bool {
	return differsKnown(m.ComputeID, state.ComputeID) || differsKnown(m.ComputeType, state.ComputeType) ||
		differsKnown(m.WorkspaceID, state.WorkspaceID)
}

func differsKnown(planned, current types.String) bool {
	return !planned.IsUnknown() && !planned.Equal(current)
}

// announceReplacement tells deployments in the same plan that the listener is being replaced: its new ID is unknown, but
// it is certain that they have to be replaced.
func announceReplacement(memo *framework.Memo, planned, state model) {
	switch {
	case memo == nil:
	case !state.ID.IsNull() && planned.replaces(state):
		framework.GoingListeners(memo).Store(state.ID.ValueString(), true)
	case state.ID.IsNull() && !planned.ComputeID.IsUnknown():
		// A tainted listener is planned like a new one. It has just been read.
		if id, there := framework.ReadListeners(memo).Load(planned.place()); there {
			framework.GoingListeners(memo).Store(id, true)
		}
	}
}

// place identifies a listener: no two have the same.
func (m model) place() string { return m.WorkspaceID.ValueString() + "/" + m.ComputeID.ValueString() }
