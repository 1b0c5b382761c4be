package oauthprovider

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// The documented defaults of the API.
const (
	defaultCodeChallengeMethod     = "S256"
	defaultTokenEndpointAuthMethod = api.TokenEndpointAuthClientSecretPost
)

// changedWithSecret describes an argument that decides to whom secrets are sent.
const changedWithSecret = "Sent together with the client secret. A change may make users log in again."

var (
	noParams = types.MapValueMust(types.StringType, map[string]attr.Value{})
	noURIs   = types.ListValueMust(types.StringType, []attr.Value{})
)

// oauthProviderSchema is built once, to look up the paths of refused values.
var oauthProviderSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "An OAuth provider of the organization, with which users authorize agents to act for them. Create " +
			"one for each third-party service, with the client that is registered there. Changes are made in place unless stated " +
			"otherwise. In LangSmith, this is [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\n~> Destroying or " +
			"replacing the provider deletes the tokens of all users and agents, and the connections of agents; " +
			"`deletion_protection` refuses it. To replace connections and tokens together with the provider, add " +
			"`replace_triggered_by = [agentplane_oauth_provider.NAME.id]` to their `lifecycle` blocks.\n\nThe API never returns " +
			"the client secret, so its drift can't be detected.",
		Attributes: map[string]schema.Attribute{
			"provider_id": framework.ReplacingKnown(framework.RequiredString("Identifier by which agents refer to the provider. Unique in the "+
				"organization: letters, digits, dashes, dots and underscores, beginning with a letter or digit; not `mcp-discover`. Changing it "+
				"replaces the provider.", providerIDValidator(), stringvalidator.NoneOf(api.ReservedProviderIDs...))),
			"name": framework.RequiredString("Display name.", notEmpty()...),
			"mcp_server_url": framework.ReplacingKnown(framework.KeptString("URL of an MCP server. The service discovers its authorization server "+
				"(RFC 9728, RFC 8414) and registers a client there (RFC 7591), in place of the client, `auth_url`, `token_url` and their "+
				"settings. Removing it keeps the last value. Changing it replaces the provider; the old client stays registered.", framework.URL(),
				stringvalidator.ConflictsWith(discovered...))),
			"client_id": framework.KeptString("ID of the client, as registered with the third-party service. Required without "+
				"`mcp_server_url`. "+changedWithSecret, append(notEmpty(), setOrDiscovered())...),
			"client_secret": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Secret of the client, hidden in plans but stored in state; prefer `client_secret_wo`. " +
					"Removing it keeps the last value.",
				Validators: append(notEmpty(), stringvalidator.ConflictsWith(path.MatchRoot("client_secret_wo"))),
			},
			"client_secret_wo": framework.WriteOnly(framework.OptionalString("Secret of the client, stored neither in plans nor in state. Changes are detected with a "+
				"salted fingerprint, or with `client_secret_wo_version` if set. Also sent with a change of `client_id` or "+
				"`token_url`. Removing it keeps the last value.", notEmpty()...)),
			"client_secret_wo_version": framework.OptionalInt64("Version of `client_secret_wo`. If set, a new secret is sent only when the version changes, "+
				"or with `client_id` or `token_url`. Setting it for the first time sends only a new secret.", int64validator.AlsoRequires(path.MatchRoot("client_secret_wo"))),
			"auth_url": framework.KeptString("URL of the authorization endpoint. Required without `mcp_server_url`.", framework.URL(), setOrDiscovered()),
			"token_url": framework.KeptString("URL of the token endpoint. Required without `mcp_server_url`. "+changedWithSecret,
				framework.URL(), setOrDiscovered()),
			"uses_pkce":             framework.KeptBool("Whether to use PKCE (RFC 7636). Default: `false`."),
			"code_challenge_method": framework.KeptString("Code challenge method of PKCE: `S256` or `plain`. Default: `S256`.", framework.OneOf("S256", "plain")),
			"provider_type": framework.ReplacingKnown(framework.KeptString("Type of a third-party service with special behavior: "+
				"`microsoft`, `salesforce`, `slack` or `x`. Default: detected, usually none. Removing it keeps the last value. "+
				"Changing it replaces the provider.", framework.OneOf(api.OAuthProviderTypes...))),
			"token_endpoint_auth_method": framework.ReplacingKnown(framework.KeptString("Authentication of the client: `none`, "+
				"`client_secret_basic` or `client_secret_post`. Default: `client_secret_post`. Changing it replaces the provider.",
				framework.OneOf(api.TokenEndpointAuthMethods...))),
			"authorization_params": schema.MapAttribute{
				Optional:            true,
				Computed:            true,
				ElementType:         types.StringType,
				Default:             mapdefault.StaticValue(noParams),
				MarkdownDescription: "Parameters to add to `auth_url`, by name.",
			},
			"allowed_redirect_uris": schema.ListAttribute{
				Optional:            true,
				Computed:            true,
				ElementType:         types.StringType,
				Default:             listdefault.StaticValue(noURIs),
				MarkdownDescription: "Redirect URIs to allow in addition to `default_redirect_uri`.",
				Validators: []validator.List{
					listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"deletion_protection": framework.KeptBool("Whether to refuse plans that destroy or replace the provider. To destroy it, first apply " +
				"`false`; if it is tainted, run `terraform untaint` before. Default: `false`."),
			"workspace_id":         framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("OAuth provider")),
			"id":                   framework.ComputedString("ID of the provider. Agents and the API use `provider_id` instead."),
			"organization_id":      framework.ComputedString("ID of the organization."),
			"default_redirect_uri": framework.ComputedString("Redirect URI to register with the third-party service; null if unknown."),
			"is_dynamic_client": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the service registered the client itself.",
				PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
			"created_at": framework.ComputedString("Time of creation (RFC 3339)."),
			"updated_at": framework.ComputedString("Time of the last change (RFC 3339)."),
		},
	}
})

// setOrDiscovered requires an attribute unless it is discovered.
func setOrDiscovered() validator.String {
	return stringvalidator.AtLeastOneOf(path.MatchRoot("mcp_server_url"))
}

func notEmpty() []validator.String { return []validator.String{stringvalidator.LengthAtLeast(1)} }

// providerIDValidator refuses characters that aren't allowed in a URL path or in an import ID.
func providerIDValidator() validator.String {
	return framework.Matches(api.ProviderIDForm, "must start with a letter or digit and contain only letters, digits, dashes, dots and underscores")
}
