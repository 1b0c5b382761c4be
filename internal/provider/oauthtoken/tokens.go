package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// memoName is the name of the list of the user's tokens, from which a plan reads all of them: the API can't read a single one.
const memoName = "OAuth tokens"

// find returns nil without an error if the user has no such token.
func find(ctx context.Context, p *framework.ProviderData, workspaceID types.String, id string) (*api.OAuthTokenSummary, error) {
	c := p.In(workspaceID)
	tokens, err := framework.Remember(p.Memo, p.AnswersKey(memoName, c), func() ([]api.OAuthTokenSummary, error) { return c.ListOAuthTokens(ctx, "") })
	for _, token := range tokens {
		if client.SameID(token.ID, id) {
			return &token, err
		}
	}
	return nil, err
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	p.Memo.Forget(p.AnswersKey(memoName, p.In(workspaceID)))
}
