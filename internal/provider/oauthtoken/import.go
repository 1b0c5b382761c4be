package oauthtoken

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

var importer = framework.Importer{
	TypeName: "agentplane_oauth_token", Noun: "OAuth token", Example: "name:work", Name: "provider_account_label",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		tokens, err := p.In(workspaceID).ListOAuthTokens(ctx, "")
		var ids []string
		for _, token := range tokens {
			if token.ProviderAccountLabel != nil && *token.ProviderAccountLabel == name {
				ids = append(ids, token.ID)
			}
		}
		return ids, err
	},
}
