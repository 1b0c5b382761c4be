package agentconnection

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// tokenSchema is built once: attribute types are derived from it with every answer.
var tokenSchema = sync.OnceValue(func() schema.Schema {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	return schema.Schema{
		MarkdownDescription: "A token of an OAuth provider that belongs to an agent instead of a user, for example of a " +
			"service account. It is used for all users of the agent. The tokens are stored neither in the plan nor in " +
			"the state (write-only, Terraform 1.11 or newer), and the service never returns them, so drift of the tokens " +
			"can't be detected.\n\n" +
			"An agent has one token for each OAuth provider. A token that the agent already has is never replaced: if it " +
			"doesn't disappear within 30 seconds, creating another one fails and says how to import it. While this apply " +
			"destroys it, for example because a block was renamed, the creation waits.\n\n" +
			"The service has no partial update: every change sends the configured tokens again. Make sure that they are " +
			"current, especially if the OAuth provider issues a new refresh token with each refresh. A change of a token " +
			"that expires needs a new `tokens_wo_version`, because sending the old token again would give it a new lifetime: " +
			"without one, plans warn, also if another user has made the difference, and the apply refuses it.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.Replacing(framework.ResourceWorkspaceAttribute("token")),
			"agent_id": framework.Replacing(framework.RequiredString("ID that the agent uses when it requests tokens; any text. Changing it replaces the "+
				"token.", agentIDValidator())),
			"provider_id": framework.Replacing(framework.RequiredString("The `provider_id` of the OAuth provider. An agent has at most one token of its own "+
				"for each provider. Changing it replaces the token.", notEmpty...)),
			"access_token_wo": schema.StringAttribute{
				Required: true, Sensitive: true, WriteOnly: true,
				MarkdownDescription: "The access token (write-only). Sent when `tokens_wo_version` changes, and with " +
					"every other change. Changed in place.",
				Validators: notEmpty,
			},
			"refresh_token_wo": schema.StringAttribute{
				Optional: true, Sensitive: true, WriteOnly: true,
				MarkdownDescription: "The refresh token (write-only). Without one, the access token is used until it " +
					"expires. Changed in place.",
				Validators: notEmpty,
			},
			"tokens_wo_version": schema.Int64Attribute{
				Required: true,
				MarkdownDescription: "Version of the two tokens. Terraform can't detect that they changed: increase it " +
					"to send new ones. The first apply after an import only records it. Not sent to the service.",
			},
			"expires_in_seconds": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Lifetime of the access token after the apply, in seconds. Default: it doesn't " +
					"expire. The first apply after an import only records it. Changed in place.",
				Validators: []validator.Int64{framework.AtLeast(1)},
			},
			"scopes": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				Default:             setdefault.StaticValue(types.SetValueMust(types.StringType, []attr.Value{})),
				MarkdownDescription: "Scopes that the token has. Default: none. Changed in place.",
				Validators:          []validator.Set{setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"provider_account_label": framework.OptionalString("Label of the account. Changed in place.", notEmpty...),
			"renew": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "If `true` and the stored token has expired, the next apply sends the configured tokens, with " +
					"`expires_in_seconds` as their lifetime. Use it if the configuration always has a current token. Default: " +
					"`false`, and plans only warn. Changed in place. Not sent to the service.",
			},
			"timeouts": framework.Timeouts(context.Background(), "Timeouts of operations. Not sent to the service.", timeouts.Opts{
				Create: true,
				CreateDescription: "How long creating may wait for another token of the agent that the same apply is deleting, a " +
					"duration such as `30s` or `2h45m`. Default: `10m`. Not sent to the service.",
			}),
			"id":             framework.ComputedString("ID of the connection of the agent to the token."),
			"oauth_token_id": framework.ComputedString("ID of the token."),
			"expires_at": framework.ComputedString("When the token expires (RFC 3339); null if it doesn't expire. The " +
				"service refreshes it before that, if possible. Plans warn of a token that has expired."),
			"created_by": framework.ComputedString("User who stored the token."),
			"created_at": framework.ComputedString("When the token was first stored (RFC 3339)."),
		},
	}
})
