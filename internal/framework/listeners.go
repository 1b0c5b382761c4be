package framework

import "github.com/agentplane/terraform-provider-agentplane/internal/client"

// ListenersKey is where a Memo keeps the listeners of the client's workspace, as the running plan is going to leave them:
// listeners announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }
