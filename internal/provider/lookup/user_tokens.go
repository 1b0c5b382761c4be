package lookup

import (
	"context"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
