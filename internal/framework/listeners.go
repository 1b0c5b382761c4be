package framework

import (
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// ListenersKey is the key in a Memo of the listeners of the client's workspace, as the running plan will leave them: listeners
// announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }

// GoingListeners returns the IDs of the listeners that the running plan replaces. Their deployments are replaced too.
func GoingListeners(m *Memo) *sync.Map { return SharedMap(m, "going listeners") }

// ReadListeners returns the IDs of the listeners in state that the running plan has read, by workspace and compute_id.
func ReadListeners(m *Memo) *sync.Map { return SharedMap(m, "read listeners") }
