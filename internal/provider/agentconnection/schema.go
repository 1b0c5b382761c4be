package agentconnection

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// connectionSchema is built once: attribute types are derived from it with every answer.
var connectionSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lets an agent use an OAuth token of the user of the provider's API key, so that it can act " +
			"for that user. The user must have logged in before, for example with the action `agentplane_authenticate`; " +
			"the data source `agentplane_oauth_tokens` lists the IDs of their tokens. Destroying the resource " +
			"disconnects the agent; the user keeps the token.\n\n" +
			"All arguments replace the connection.",
		Attributes: connectionAttributes(),
	}
})

func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"workspace_id": framework.ResourceWorkspaceAttribute("connection"),
		"agent_id": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "ID that the agent uses when it requests tokens; any text. Changing it replaces the " +
				"connection.",
			PlanModifiers: []planmodifier.String{framework.ReplaceString()},
			Validators:    []validator.String{agentIDValidator()},
		},
		"oauth_token_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the token, from `agentplane_oauth_tokens`. Changing it replaces the connection.",
			PlanModifiers:       []planmodifier.String{framework.ReplaceString()},
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"id":                     framework.ComputedString("ID of the connection."),
		"provider_id":            framework.ComputedString("The `provider_id` of the OAuth provider that the token is for."),
		"provider_account_label": framework.ComputedString("Label that the user has given the account; null without one."),
		"scopes": schema.SetAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Scopes that the user has granted.",
			PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
		},
		"expires_at": framework.ComputedString("When the token expires (RFC 3339); null if it doesn't expire. The " +
			"service refreshes tokens before that, if the OAuth provider allows it."),
		"created_by": framework.ComputedString("User who created the connection."),
		"created_at": framework.ComputedString("When the connection was created (RFC 3339)."),
	}
}

// agentIDValidator refuses characters that aren't allowed in a URL path.
func agentIDValidator() validator.String {
	return stringvalidator.All(stringvalidator.LengthAtLeast(1), stringvalidator.NoneOf(".", ".."))
}

// scopesOf are the scopes that were answered.
func scopesOf(ctx context.Context, scopes []string) types.Set {
	set, diags := types.SetValueFrom(ctx, types.StringType, append([]string{}, scopes...))
	if diags.HasError() {
		return types.SetNull(types.StringType) // Texts always make a set.
	}
	return set
}
