package oauthtoken

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// accessToken provides a token during an operation of Terraform.
type accessToken struct{ framework.EphemeralResource }

var _ ephemeral.EphemeralResourceWithConfigure = (*accessToken)(nil)

// NewEphemeralResource is the ephemeral resource agentplane_oauth_access_token.
func NewEphemeralResource() ephemeral.EphemeralResource { return &accessToken{} }

type accessTokenModel struct {
	wantedModel

	TokenID          types.String         `tfsdk:"token_id"`
	MinimumRemaining timetypes.GoDuration `tfsdk:"minimum_remaining"`
	AccessToken      types.String         `tfsdk:"access_token"`
	ExpiresAt        types.String         `tfsdk:"expires_at"`
	GrantedScopes    types.List           `tfsdk:"granted_scopes"`
}

// Metadata implements ephemeral.EphemeralResource.
func (r *accessToken) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_oauth_access_token"
}

// Schema implements ephemeral.EphemeralResource.
func (r *accessToken) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	token := framework.ComputedString("The token.")
	token.Sensitive = true
	resp.Schema = schema.Schema{
		MarkdownDescription: "The access token of a user at an OAuth provider, for write-only arguments and provider " +
			"configurations. It is stored neither in plans nor in state. The service refreshes a token that is about to " +
			"expire.\n\nIf the user isn't logged in, plans and applies fail, and the error has the URL of the login; the action " +
			"`agentplane_authenticate` waits for one. Requires Terraform 1.10 or newer.",
		Attributes: framework.EphemeralAttributes(map[string]resource.Attribute{
			"provider_id": framework.RequiredString("The `provider_id` of the OAuth provider.", notEmpty),
			"scopes": framework.OptionalTextList("Scopes that the token must have. If one is missing, the user must log in again.",
				listvalidator.ValueStringsAre(notEmpty)),
			"user_id":  framework.OptionalString("User of the token. Default: the user of the provider's API key.", notEmpty),
			"agent_id": framework.OptionalString("Only a token that this agent may use: one that it is connected to, or its own.", notEmpty),
			"token_id": framework.KeptString("ID of the token. Default: the user's default token; null if the service doesn't report it.",
				framework.UUID()),
			"minimum_remaining": framework.OptionalDuration("Minimum remaining lifetime of the token, such as `10m`; without such a " +
				"token, the resource fails. Default: any valid token."),
			"access_token": token,
			"expires_at":   framework.ComputedString("When the token expires (RFC 3339); null if never or unknown."),
			"granted_scopes": resource.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Scopes that the user has granted; null if unknown.",
			},
		}),
	}
}

// Open implements ephemeral.EphemeralResource.
func (r *accessToken) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var config accessTokenModel
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	answer, err := r.In(config.WorkspaceID).Authenticate(ctx, config.toRequest(config))
	if err != nil {
		resp.Diagnostics.Append(requestFailure("Cannot get a token of OAuth provider %q", config.ProviderID).Diagnostics(err)...)
		return
	}
	if answer.Status != api.AuthCompleted {
		resp.Diagnostics.Append(notLoggedIn(config.ProviderID, config.AgentID, *answer)...)
		return
	}
	result := config.with(*answer)
	resp.Diagnostics.Append(result.checkRemaining(r.Now())...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Result.Set(ctx, &result)...)
	}
}

// tokenMetadata is the metadata of a token. The service guarantees none of it.
type tokenMetadata struct {
	TokenID   *string  `json:"token_id"`
	ExpiresAt *string  `json:"expires_at"`
	Scopes    []string `json:"scopes"`
}

// with returns the configuration with the returned token.
func (m accessTokenModel) with(answer api.AuthAuthenticateResponse) accessTokenModel {
	var known tokenMetadata
	if text, err := json.Marshal(answer.Metadata); err == nil {
		if json.Unmarshal(text, &known) != nil {
			known = tokenMetadata{} // Metadata of another form is not about the token.
		}
	}
	m.AccessToken = framework.String(answer.Token)
	m.ExpiresAt = framework.String(known.ExpiresAt)
	if m.TokenID.IsNull() {
		m.TokenID = framework.String(known.TokenID)
	}
	m.GrantedScopes = framework.TextList(known.Scopes)
	return m
}

// checkRemaining refuses a token that expires too soon.
func (m accessTokenModel) checkRemaining(now time.Time) diag.Diagnostics {
	end, err := time.Parse(time.RFC3339, m.ExpiresAt.ValueString())
	least := framework.DurationOr(m.MinimumRemaining, 0)
	left := end.Sub(now)
	if m.MinimumRemaining.IsNull() || err != nil || left >= least { // An unreadable expiry is ignored, and so is null.
		return nil
	}
	return framework.ErrorAt(path.Root("minimum_remaining"), fmt.Sprintf("Token of OAuth provider %q expires too soon", m.ProviderID.ValueString()),
		"The token is valid for another %s, until %s, but minimum_remaining is %s. The service refreshes a token only shortly before it expires. "+
			"Lower minimum_remaining, or log in again, for example with the action agentplane_authenticate and force_new.",
		left.Truncate(time.Second), m.ExpiresAt.ValueString(), least)
}

// notLoggedIn returns the error for a user without a token, with the remedy.
func notLoggedIn(providerID, agentID types.String, answer api.AuthAuthenticateResponse) diag.Diagnostics {
	id := providerID.ValueString()
	switch answer.Status {
	case api.AuthPending:
		return framework.NewError(fmt.Sprintf("OAuth provider %q needs a login", id), "The user has no token, or none with these scopes. Log in at "+
			"this URL within ten minutes, then run Terraform again:\n\n%s\n\nOnly the user of the token may open it. The action "+
			"agentplane_authenticate waits for a login.", *answer.URL)
	case api.AuthConnectionRequired:
		return framework.NewError(fmt.Sprintf("Agent %q is not connected to OAuth provider %q", agentID.ValueString(), id), "The user is logged in, "+
			"but the agent isn't allowed to use the token. Connect the agent with the resource agentplane_agent_connection.")
	case api.AuthTokenExpired:
		return framework.NewError(fmt.Sprintf("Token of OAuth provider %q has expired", id), "The requested token has expired and can't be "+
			"refreshed. Log in again, for example with the action agentplane_authenticate, or replace the token of the agent.")
	default:
		return framework.NewError(fmt.Sprintf("No token of OAuth provider %q", id), "The service returned the status %q, which this version of the "+
			"provider doesn't support.", answer.Status)
	}
}

// requestFailure describes a failed request about the tokens of an OAuth provider. The summary has its ID in place of %q.
func requestFailure(summary string, providerID types.String) framework.Failure {
	return framework.Failure{
		Summary: fmt.Sprintf(summary, providerID.ValueString()),
		NextSteps: map[int]string{
			http.StatusNotFound: "Check provider_id, workspace_id and what else identifies the token. The resource " +
				"agentplane_oauth_provider registers an OAuth provider.",
		},
	}
}
