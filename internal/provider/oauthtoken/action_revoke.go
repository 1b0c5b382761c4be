package oauthtoken

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewRevokeAction is the action agentplane_revoke_oauth_tokens.
func NewRevokeAction() action.Action {
	return framework.NewAction(framework.ActionSpec[revokeModel]{
		Name: "revoke_oauth_tokens", Invoke: revoke,
		Description: "Deletes all tokens of an OAuth provider that belong to the user of the provider's API key, " +
			"with the connections of agents to them. Afterwards, the user has to log in again. The service deletes the " +
			"tokens, but the OAuth provider may accept them until they expire. An OAuth provider that doesn't exist is an error.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_id": schema.StringAttribute{
					Required: true, MarkdownDescription: "The `provider_id` of the OAuth provider.",
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
			}
		},
	})
}

type revokeModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
}

func revoke(ctx context.Context, provider *framework.ProviderData, config revokeModel, tell func(message string)) diag.Diagnostics {
	c, id := provider.In(config.WorkspaceID), config.ProviderID.ValueString()
	tokens, err := c.ListOAuthTokens(ctx, id)
	if err == nil && len(tokens) == 0 { // The service accepts the deletion for any ID.
		_, err = c.GetOAuthProvider(ctx, id)
	}
	if err == nil {
		err = c.DeleteOAuthTokens(ctx, id)
	}
	if err != nil {
		return requestFailure("Cannot revoke the tokens of OAuth provider %q", config.ProviderID).Diagnostics(err)
	}
	tell(fmt.Sprintf("OAuth provider %q: %s revoked", id, framework.Plural(len(tokens), "token")))
	return nil
}
