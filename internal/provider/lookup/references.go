package lookup

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Attributes to which other resources refer.
var (
	ListenerID     = framework.Reference{TypeName: "agentplane_listener", Attribute: "id"}
	DeploymentID   = framework.Reference{TypeName: "agentplane_deployment", Attribute: "id"}
	DeploymentName = framework.Reference{TypeName: "agentplane_deployment", Attribute: "name"}
	TracingProject = framework.Reference{TypeName: "agentplane_deployment", Attribute: "tracing_project_id"}
)

// Keys identify objects in their workspace, by type: those to which others refer.
var Keys = map[string]framework.Reference{
	"agentplane_listener":   {TypeName: "agentplane_listener", Attribute: "compute_id"},
	"agentplane_deployment": DeploymentName,
}

// ListenersKey is the key in a framework.Memo of the listeners of the client's workspace, as the running plan will leave them: listeners
// announce their changes there, and deployments look their namespaces up.
func ListenersKey(c *client.Client) string { return "listeners/" + c.WorkspaceID() }

// userTokensName is the name of their list.
const userTokensName = "OAuth tokens" //nolint:gosec // Not a credential.

// UserTokens returns the tokens of the user of the provider's key. A plan reads all of them from one list: the API can't read a single
// one.
func UserTokens(ctx context.Context, p *framework.ProviderData, c *client.Client) ([]api.OAuthTokenSummary, error) {
	return framework.RememberList(p, userTokensName, c, func() ([]api.OAuthTokenSummary, error) { return c.ListOAuthTokens(ctx, "") })
}

// ForgetUserTokens drops that list after a write, whether it succeeded or not.
func ForgetUserTokens(p *framework.ProviderData, c *client.Client) {
	p.Memo.Forget(p.AnswersKey(userTokensName, c))
}
