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
const changedWithSecret = "Changed in place, together with the client secret, which the service may ask for again. Users may have to log in again."

var (
	noParams = types.MapValueMust(types.StringType, map[string]attr.Value{})
	noURIs   = types.ListValueMust(types.StringType, []attr.Value{})
)

// oauthProviderSchema is built once, to look up the paths of refused values.
var oauthProviderSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "An OAuth provider of the organization, with which users authorize agents to act for them. " +
			"Create one for each third-party service, with the client that is registered there. In LangSmith, this is [Agent Auth](https://docs.langchain.com/langsmith/agent-auth).\n\n" +
			"~> Destroying or replacing the provider deletes the tokens of all users and agents, and with them the " +
			"connections of agents: plans of a replacement count what is known of them, and `deletion_protection` refuses it. " +
			"To replace connections and tokens together with the provider, add " +
			"`replace_triggered_by = [agentplane_oauth_provider.NAME.id]` to their `lifecycle` blocks.\n\n" +
			"The API never returns the client secret, so drift of the secret can't be detected.",
		Attributes: map[string]schema.Attribute{
			"provider_id": framework.ReplacingKnown(framework.RequiredString("Identifier by which agents refer to the provider, unique in the organization: "+
				"letters, digits, dashes, dots and underscores, starting with a letter or digit, but not "+
				"`mcp-discover`, which is a path of the API. Changing it replaces the provider.",
				providerIDValidator(), stringvalidator.NoneOf(api.ReservedProviderIDs...))),
			"name": framework.RequiredString("Display name. Changed in place.", notEmpty()...),
			"mcp_server_url": framework.ReplacingKnown(framework.KeptString("URL of an MCP server. The service discovers its authorization server (RFC 9728, "+
				"RFC 8414) and registers a client there (RFC 7591), so the client, `auth_url`, `token_url` and their "+
				"settings can't be set as well. Default: none; removing the argument keeps the last value. Changing "+
				"it replaces the provider; the old client stays registered.",
				framework.URL(), stringvalidator.ConflictsWith(discovered...))),
			"client_id": framework.KeptString("ID of the client, as registered with the third-party service. Required without "+
				"`mcp_server_url`. "+changedWithSecret, append(notEmpty(), setOrDiscovered())...),
			"client_secret": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Secret of the client, hidden in plans but stored in the state. Changed in place. " +
					"The service can't clear it: removing the argument keeps the last value. With Terraform 1.11 or " +
					"newer, prefer `client_secret_wo`.",
				Validators: append(notEmpty(), stringvalidator.ConflictsWith(path.MatchRoot("client_secret_wo"))),
			},
			"client_secret_wo": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				WriteOnly: true,
				MarkdownDescription: "Secret of the client, stored neither in the plan nor in the state (write-only, " +
					"Terraform 1.11 or newer). Changed in place: changes are detected with a salted fingerprint, or with " +
					"`client_secret_wo_version` if that is set. It is also sent with a change of `client_id` or `token_url`. The service can't clear it: removing the argument keeps " +
					"the last value.",
				Validators: notEmpty(),
			},
			"client_secret_wo_version": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Version of `client_secret_wo`. If set, a new secret is sent only when the version " +
					"changes, or with a change of `client_id` or `token_url`. Setting it for the first time sends nothing, " +
					"unless the secret is also new.",
				Validators: []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("client_secret_wo"))},
			},
			"auth_url": framework.KeptString("URL of the authorization endpoint, to which users are redirected. Required without "+
				"`mcp_server_url`. Changed in place.", framework.URL(), setOrDiscovered()),
			"token_url": framework.KeptString("URL of the token endpoint. Required without `mcp_server_url`. "+changedWithSecret,
				framework.URL(), setOrDiscovered()),
			"uses_pkce": schema.BoolAttribute{
				Optional:            true,
				Computed:            true,
				MarkdownDescription: "Whether to use PKCE (RFC 7636). Default: `false`. Changed in place.",
				PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
			"code_challenge_method": framework.KeptString("Code challenge method of PKCE: `S256` or `plain`. Default: `S256`. Changed in "+
				"place.", framework.OneOf("S256", "plain")),
			"provider_type": framework.ReplacingKnown(framework.KeptString("Type of a third-party service with special behavior: `microsoft`, `salesforce`, "+
				"`slack` or `x`. Default: detected by the service, usually none. Changing it replaces the provider; "+
				"removing it keeps the last value.", framework.OneOf(api.OAuthProviderTypes...))),
			"token_endpoint_auth_method": framework.ReplacingKnown(framework.KeptString("How the client authenticates at `token_url`: `none`, `client_secret_basic` or "+
				"`client_secret_post`. Default: `client_secret_post`. Changing it replaces the provider.",
				framework.OneOf(api.TokenEndpointAuthMethods...))),
			"authorization_params": schema.MapAttribute{
				Optional:            true,
				Computed:            true,
				ElementType:         types.StringType,
				Default:             mapdefault.StaticValue(noParams),
				MarkdownDescription: "Parameters to add to `auth_url`, by name. Default: none. Changed in place.",
			},
			"allowed_redirect_uris": schema.ListAttribute{
				Optional:    true,
				Computed:    true,
				ElementType: types.StringType,
				Default:     listdefault.StaticValue(noURIs),
				MarkdownDescription: "Redirect URIs to allow in addition to `default_redirect_uri`. Default: none. " +
					"Changed in place.",
				Validators: []validator.List{
					listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				MarkdownDescription: "Whether to refuse any plan that destroys or replaces the provider, which deletes the " +
					"tokens of all users and agents, also with `-replace` and `replace_triggered_by`. To destroy the " +
					"provider, first apply `false`; if it is tainted, run `terraform untaint` first. Default: `false`. " +
					"Changed in place, without a request: not sent to the service.",
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
			"workspace_id": framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("OAuth provider")),
			"id":           framework.ComputedString("ID of the provider, a UUID. Agents and the API use `provider_id` instead."),
			"organization_id": framework.ComputedString(
				"ID of the organization that the provider belongs to."),
			"default_redirect_uri": framework.ComputedString(
				"Redirect URI to register with the third-party service; null if the installation doesn't report it."),
			"is_dynamic_client": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the service registered the client itself.",
				PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
			"created_at": framework.ComputedString("When the provider was created (RFC 3339)."),
			"updated_at": framework.ComputedString("When the provider was last changed (RFC 3339)."),
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
	return framework.Matches(api.ProviderIDForm,
		"must start with a letter or digit and contain only letters, digits, dashes, dots and underscores")
}
