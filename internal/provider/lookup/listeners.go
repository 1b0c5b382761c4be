package lookup

import (
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// ListenersKey is the key in a framework.Memo of the listeners of the client's workspace, as the running plan will leave them: listeners
// announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }

// GoingListeners returns the IDs of the listeners that the running plan replaces. Their deployments are replaced too.
func GoingListeners(m *framework.Memo) *sync.Map { return framework.SharedMap(m, "going listeners") }

// ReadListeners returns the IDs of the listeners in state that the running plan has read, by workspace and compute_id.
func ReadListeners(m *framework.Memo) *sync.Map { return framework.SharedMap(m, "read listeners") }
