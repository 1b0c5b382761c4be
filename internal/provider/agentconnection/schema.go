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
		MarkdownDescription: "Lets an agent use an OAuth token of the user of the provider's API key, so that it can act for " +
			"that user. Destroying the resource disconnects the agent; the user keeps the token. In LangSmith, this is part of " +
			"[Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\nWith `provider_id`, the connection is `pending`, " +
			"with a warning, until the user logs in, for example with the action `agentplane_authenticate`, and after a logout. " +
			"The first plan after the login connects the agent. A connection that the login has made is taken over, but two " +
			"resources for the same token are refused. With `oauth_token_id`, the token must exist.\n\n`resolved` has the token " +
			"that was chosen. A change to another token replaces the connection.\n\n~> Replacing the OAuth provider deletes its " +
			"tokens and connections. To replace this resource with it, add " +
			"`replace_triggered_by = [agentplane_oauth_provider.NAME.id]` to its `lifecycle` block.",
		Attributes: connectionAttributes(),
	}
})

func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"workspace_id": framework.Replacing(framework.ResourceWorkspaceAttribute("connection")),
		"agent_id": framework.Replacing(framework.RequiredString("ID that the agent uses to request tokens; any text. Changing "+
			"it replaces the connection.", agentIDValidator())),
		"oauth_token_id": argument("ID of the token, from `agentplane_oauth_tokens`. Exactly one of this and `provider_id` must "+
			"be set.", framework.ExactlyOneOf("oauth_token_id", "provider_id"), framework.UUID()),
		"provider_id": argument("The `provider_id` of the OAuth provider: connects the agent to the user's default token, or " +
			"else the newest."),
		"provider_account_label": argument("Label that the user has given the account. With `provider_id`, only tokens with this "+
			"label are used.", stringvalidator.ConflictsWith(path.MatchRoot("oauth_token_id"))),
		"resolved": schema.SingleNestedAttribute{
			Computed: true,
			MarkdownDescription: "The token of the connection, or of the one that the next apply makes; null while the user has " +
				"none.",
			Attributes: map[string]schema.Attribute{
				"oauth_token_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the token."},
				"provider_id":    schema.StringAttribute{Computed: true, MarkdownDescription: "The `provider_id` of the OAuth provider."},
				"provider_account_label": schema.StringAttribute{
					Computed: true, MarkdownDescription: "Label that the user has given the account.",
				},
			},
		},
		"id":     framework.ComputedString("ID of the connection; null while it is pending."),
		"status": framework.ComputedString("`connected`, or `pending` until an apply finds a token of the user."),
		"scopes": schema.SetAttribute{
			Computed: true, ElementType: types.StringType, MarkdownDescription: "Scopes that the user has granted.",
			PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
		},
		"expires_at": framework.ComputedString("When the token expires (RFC 3339), unless the service refreshes it; null if never."),
		"created_by": framework.ComputedString("User who created the connection."),
		"created_at": framework.ComputedString("Time of creation (RFC 3339)."),
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
		MarkdownDescription: "A token of an OAuth provider that belongs to an agent instead of a user, for example of a service " +
			"account. It is used for all users of the agent. Changes are made in place unless stated otherwise. The tokens are " +
			"stored neither in plans nor in state, and the service never returns them, so their drift can't be detected. In " +
			"LangSmith, this is part of [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\nAn agent has one token " +
			"for each OAuth provider. Creating another one fails after 30 seconds and says how to import the first; while the " +
			"same apply destroys that, it waits.\n\n~> Every change sends the configured tokens again. Make sure that they are " +
			"current, especially if the OAuth provider issues a new refresh token with each refresh. A change of a token that " +
			"expires needs a new `tokens_wo_version`, because sending the old token again would give it a new lifetime: without " +
			"one, plans warn and the apply fails.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.Replacing(framework.ResourceWorkspaceAttribute("token")),
			"agent_id": framework.Replacing(framework.RequiredString("ID that the agent uses to request tokens; any text. "+
				"Changing it replaces the token.", agentIDValidator())),
			"provider_id": framework.Replacing(framework.RequiredString("The `provider_id` of the OAuth provider. Changing it "+
				"replaces the token.", notEmpty...)),
			"access_token_wo":  framework.WriteOnly(framework.RequiredString("The access token. Sent when `tokens_wo_version` changes, and with every other change.", notEmpty...)),
			"refresh_token_wo": framework.WriteOnly(framework.OptionalString("The refresh token. Without one, the access token is used until it expires.", notEmpty...)),
			"tokens_wo_version": schema.Int64Attribute{
				Required: true,
				MarkdownDescription: "Version of the two tokens: increase it to send new ones. The first apply after an import " +
					"only records it.",
			},
			"expires_in_seconds": framework.OptionalInt64("Lifetime of the access token after the apply, in seconds. Default: unlimited. The first "+
				"apply after an import only records it.", framework.AtLeast(1)),
			"scopes": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				Default:             setdefault.StaticValue(types.SetValueMust(types.StringType, []attr.Value{})),
				MarkdownDescription: "Scopes of the token.",
				Validators:          []validator.Set{setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"provider_account_label": framework.OptionalString("Label of the account.", notEmpty...),
			"renew": framework.OptionalBool("Whether applies replace an expired token with the configured one, for `expires_in_seconds`. Use it " +
				"if the configuration always has a current token. Default: `false`: plans only warn."),
			"timeouts": framework.Timeouts(context.Background(), "Timeouts of operations.", timeouts.Opts{
				Create: true,
				CreateDescription: "How long creating may wait for the deletion of another token, such as `30s` or `2h45m`. " +
					"Default: `10m`.",
			}),
			"id":             framework.ComputedString("ID of the agent's connection to the token."),
			"oauth_token_id": framework.ComputedString("ID of the token."),
			"expires_at": framework.ComputedString("When the token expires (RFC 3339), unless the service refreshes it; null if " +
				"never. Plans warn of an expired token."),
			"created_by": framework.ComputedString("User who stored the token."),
			"created_at": framework.ComputedString("When the token was first stored (RFC 3339)."),
		},
	}
})
