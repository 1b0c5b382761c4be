package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// find returns nil without an error if the user has no such token.
func find(ctx context.Context, p *framework.ProviderData, workspaceID types.String, id string) (*api.OAuthTokenSummary, error) {
	tokens, err := lookup.UserTokens(ctx, p, p.In(workspaceID))
	for _, token := range tokens {
		if client.SameID(token.ID, id) {
			return &token, err
		}
	}
	return nil, err
}

// forget drops the cached list after a write, whether it succeeded or not.
func forget(p *framework.ProviderData, workspaceID types.String) {
	lookup.ForgetUserTokens(p, p.In(workspaceID))
}
