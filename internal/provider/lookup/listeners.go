package lookup

import "github.com/agentplane/terraform-provider-agentplane/internal/client"

// ListenersKey is the key in a framework.Memo of the listeners of the client's workspace, as the running plan will leave them: listeners
// announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }
