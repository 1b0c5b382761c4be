package oauthtoken

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// tokenSchema is built once, to look up the paths of refused values.
var tokenSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A token of an OAuth provider that was obtained elsewhere, stored for the user of the provider's " +
			"API key. Agents use it by an `agentplane_agent_connection`; a token that belongs to an agent itself is an " +
			"`agentplane_agent_provider_token`. The tokens are stored neither in plans nor in state, and the service never " +
			"returns them. In LangSmith, this is part of [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\nA " +
			"user can have several tokens of an OAuth provider.\n\n~> Another token, expiry or list of scopes replaces the " +
			"token. Deleting or replacing it deletes the connections of agents to it.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("token")),
			"provider_id":  framework.ReplacingKnown(framework.RequiredString("The `provider_id` of the OAuth provider. Changing it replaces the token.", notEmpty)),
			"access_token_wo": framework.WriteOnly(framework.RequiredString("The access token. Changing it replaces the token, unless `tokens_wo_version` is set: then "+
				"only another version does.", notEmpty)),
			"refresh_token_wo": framework.WriteOnly(framework.OptionalString("The refresh token, with which the service renews the access token. Changing it replaces "+
				"the token, as with `access_token_wo`.", notEmpty)),
			"tokens_wo_version": framework.OptionalInt64("Version of the two tokens: changing it replaces the token. Default: a salted fingerprint " +
				"detects changes, except of an imported token. The first apply after an import only records it."),
			"expires_in_seconds": framework.OptionalInt64("Lifetime of the access token after the apply, in seconds. Default: unlimited. Changing it "+
				"replaces the token; the first apply after an import only records it.", framework.AtLeast(1)),
			"scopes": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				Default:             setdefault.StaticValue(noScopes),
				MarkdownDescription: "Scopes of the token. Changing them replaces the token.",
				PlanModifiers:       []planmodifier.Set{setplanmodifier.RequiresReplace()},
				Validators:          []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(notEmpty)},
			},
			"provider_account_label": framework.KeptString("Label of the account. Removing it keeps the last value.", notEmpty),
			"is_default": framework.BoolOr(false, "Whether the token is the user's default for the OAuth provider, instead of the previous "+
				"one. Default: `false`."),
			"id":         framework.ComputedString("ID of the token: the `oauth_token_id` of an `agentplane_agent_connection`."),
			"expires_at": framework.ComputedString("When the token expires (RFC 3339), unless the service refreshes it; null if never."),
			"created_at": framework.ComputedString("Time of creation (RFC 3339)."),
			"updated_at": framework.ComputedString("When the token or its metadata last changed (RFC 3339)."),
		},
	}
})

// attributePath finds the attribute of a location in a request body.
func attributePath(loc []api.LocStep) (path.Path, bool) {
	switch loc[0].Key {
	case "access_token", "refresh_token":
		return path.Root(loc[0].Key + "_wo"), true
	}
	return framework.SchemaPath(tokenSchema(), loc)
}
