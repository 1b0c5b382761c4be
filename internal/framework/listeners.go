package framework

import (
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// ListenersKey is where a Memo keeps the listeners of the client's workspace, as the running plan is going to leave them:
// listeners announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }

// GoingListeners are the IDs of the listeners that the running plan replaces. A deployment on one of them is replaced too.
func GoingListeners(m *Memo) *sync.Map { return SharedMap(m, "going listeners") }

// ReadListeners are the IDs of the listeners in the state that the running plan has read, by workspace and compute_id.
func ReadListeners(m *Memo) *sync.Map { return SharedMap(m, "read listeners") }
