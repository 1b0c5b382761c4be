package agentconnection

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// connectionSchema is built once: attribute types are derived from it with every answer.
var connectionSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lets an agent use an OAuth token of the user of the provider's API key, so that it can act " +
			"for that user. Destroying the resource disconnects the agent; the user keeps the token. " +
			"In LangSmith, this is part of [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\n" +
			"With `provider_id`, the token is looked up by each apply that connects the agent: before the user's login, for " +
			"example with the action `agentplane_authenticate`, and after a logout, the connection is `pending`, with a " +
			"warning. The first plan after the login connects the agent. A connection that the login has made is taken over, " +
			"but never one of another resource of the same apply: two resources for the same token are refused. " +
			"With `oauth_token_id`, the token must exist; the data source `agentplane_oauth_tokens` lists the IDs.\n\n" +
			"What the service makes of the arguments is `resolved`. Every change to another token replaces the connection.\n\n" +
			"~> Replacing the OAuth provider deletes its tokens and connections: to replace this resource with it, add `replace_triggered_by = [agentplane_oauth_provider.NAME.id]` to its " +
			"`lifecycle` block.",
		Attributes: connectionAttributes(),
	}
})

func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"workspace_id": framework.Replacing(framework.ResourceWorkspaceAttribute("connection")),
		"agent_id": framework.Replacing(framework.RequiredString("ID that the agent uses when it requests tokens; any text. Changing it replaces the "+
			"connection.", agentIDValidator())),
		"oauth_token_id": argument("ID of the token, from `agentplane_oauth_tokens`. Exactly one of this and `provider_id` must be set. Changing it "+
			"to another token replaces the connection.", framework.ExactlyOneOf("oauth_token_id", "provider_id"), framework.UUID()),
		"provider_id": argument("The `provider_id` of the OAuth provider. Set it instead of `oauth_token_id` to connect the agent to the user's " +
			"default token of that provider, or else the newest. Changing it replaces the connection."),
		"provider_account_label": argument("Label that the user has given the account. Set it beside `provider_id` to use only tokens with this "+
			"label. Changing it replaces the connection.", stringvalidator.ConflictsWith(path.MatchRoot("oauth_token_id"))),
		"resolved": schema.SingleNestedAttribute{
			Computed: true,
			MarkdownDescription: "The token of the connection, whichever argument has chosen it, or the one to which the next apply connects the agent; " +
				"null while the user has none.",
			Attributes: map[string]schema.Attribute{
				"oauth_token_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the token."},
				"provider_id":    schema.StringAttribute{Computed: true, MarkdownDescription: "The `provider_id` of the OAuth provider."},
				"provider_account_label": schema.StringAttribute{
					Computed: true, MarkdownDescription: "Label that the user has given the account; null without one.",
				},
			},
		},
		"id": framework.ComputedString("ID of the connection; null while it is pending."),
		"status": framework.ComputedString("`connected`, or `pending` while the user has no token, or has one to which the next " +
			"apply connects the agent."),
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

// argument is one of those that choose the token. Whether a change replaces the connection depends on the token that it has: see plan.
func argument(description string, validators ...validator.String) schema.StringAttribute {
	return framework.OptionalString(description, append(validators, stringvalidator.LengthAtLeast(1))...)
}

// agentIDValidator refuses characters that aren't allowed in a URL path.
func agentIDValidator() validator.String {
	return stringvalidator.All(stringvalidator.LengthAtLeast(1), stringvalidator.NoneOf(".", ".."))
}

// tokenSchema is built once: attribute types are derived from it with every answer.
var tokenSchema = sync.OnceValue(func() schema.Schema {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	return schema.Schema{
		MarkdownDescription: "A token of an OAuth provider that belongs to an agent instead of a user, for example of a " +
			"service account. It is used for all users of the agent. The tokens are stored neither in the plan nor in " +
			"the state (write-only, Terraform 1.11 or newer), and the service never returns them, so drift of the tokens " +
			"can't be detected. In LangSmith, this is part of [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\n" +
			"An agent has one token for each OAuth provider. A token that the agent already has is never replaced: if it " +
			"doesn't disappear within 30 seconds, creating another one fails and says how to import it. While this apply " +
			"destroys it, for example because a block was renamed, the creation waits.\n\n" +
			"~> The service has no partial update: every change sends the configured tokens again. Make sure that they are " +
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
