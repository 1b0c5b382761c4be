package oauthprovider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// dataModel has the attributes that the service returns.
type dataModel struct {
	ProviderID              types.String `tfsdk:"provider_id"`
	Name                    types.String `tfsdk:"name"`
	MCPServerURL            types.String `tfsdk:"mcp_server_url"`
	ClientID                types.String `tfsdk:"client_id"`
	AuthURL                 types.String `tfsdk:"auth_url"`
	TokenURL                types.String `tfsdk:"token_url"`
	UsesPKCE                types.Bool   `tfsdk:"uses_pkce"`
	CodeChallengeMethod     types.String `tfsdk:"code_challenge_method"`
	ProviderType            types.String `tfsdk:"provider_type"`
	TokenEndpointAuthMethod types.String `tfsdk:"token_endpoint_auth_method"`
	AuthorizationParams     types.Map    `tfsdk:"authorization_params"`
	AllowedRedirectURIs     types.List   `tfsdk:"allowed_redirect_uris"`
	ID                      types.String `tfsdk:"id"`
	OrganizationID          types.String `tfsdk:"organization_id"`
	DefaultRedirectURI      types.String `tfsdk:"default_redirect_uri"`
	IsDynamicClient         types.Bool   `tfsdk:"is_dynamic_client"`
	CreatedAt               types.String `tfsdk:"created_at"`
	UpdatedAt               types.String `tfsdk:"updated_at"`
}

// model is the resource in configuration, plan and state.
type model struct {
	dataModel
	WorkspaceID           types.String `tfsdk:"workspace_id"`
	ClientSecret          types.String `tfsdk:"client_secret"`
	ClientSecretWO        types.String `tfsdk:"client_secret_wo"` // In the configuration only.
	ClientSecretWOVersion types.Int64  `tfsdk:"client_secret_wo_version"`
	DeletionProtection    types.Bool   `tfsdk:"deletion_protection"`
}

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any {
	return identityModel{WorkspaceID: m.WorkspaceID, ProviderID: m.ProviderID}
}

// identityModel is the resource identity: the API identifies providers by the provider_id, not the id.
type identityModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ProviderID  types.String `tfsdk:"provider_id"`
}

// toCreate converts the whole provider to a create request. Everything in m is known, including the write-only secret.
func (m model) toCreate() api.OAuthProviderCreateRequest {
	request := framework.Expand[api.OAuthProviderCreateRequest](m)
	request.ClientSecret = framework.ToOptional[string](m.secret())
	return request
}

// toDiscover is a create request for which the service discovers the rest.
func (m model) toDiscover() api.MCPOAuthProviderCreateRequest {
	return framework.Expand[api.MCPOAuthProviderCreateRequest](m)
}

// toPatch is the request that changes current to m: the fields that differ, without the secret, which can't be compared.
func (m model) toPatch(current model) api.OAuthProviderUpdateRequest {
	patch := framework.Expand[api.OAuthProviderUpdateRequest](framework.Changes(m, current))
	patch.ClientSecret = api.Optional[string]{}
	return patch
}

// differs reports whether toPatch has, or may have, something to change. Values may be unknown.
func (m model) differs(current model) bool {
	m.ClientSecret = current.ClientSecret
	return framework.MayDiffer[api.OAuthProviderUpdateRequest](m, current)
}

// newModel converts the provider that the service returned. prior, a state or a plan, supplies what the service doesn't
// return: the secret, and fields that older installations don't have. The result has no unknown values.
func newModel(prior model, answer api.OAuthProviderResponse) model {
	m := framework.Flatten(prior, answer)
	m.MCPServerURL = sameServer(prior.MCPServerURL, m.MCPServerURL)
	m.CodeChallengeMethod = framework.AnsweredOr(m.CodeChallengeMethod, prior.CodeChallengeMethod,
		types.StringValue(defaultCodeChallengeMethod))
	m.TokenEndpointAuthMethod = framework.AnsweredOr(m.TokenEndpointAuthMethod, prior.TokenEndpointAuthMethod, types.StringValue(string(defaultTokenEndpointAuthMethod)))
	m.AuthorizationParams = framework.AnsweredOr(m.AuthorizationParams, prior.AuthorizationParams, noParams)
	m.AllowedRedirectURIs = framework.AnsweredOr(framework.TextsInOrder(prior.AllowedRedirectURIs, answer.AllowedRedirectURIs), prior.AllowedRedirectURIs, noURIs)
	m.DeletionProtection = framework.AnsweredOr(types.BoolNull(), prior.DeletionProtection, types.BoolValue(false))
	return m
}

// sameServer returns prior if the service returned the same URL with or without a trailing slash, which is no change.
func sameServer(prior, answered types.String) types.String {
	if strings.TrimSuffix(prior.ValueString(), "/") == strings.TrimSuffix(answered.ValueString(), "/") && !answered.IsNull() && !prior.IsNull() {
		return prior
	}
	return answered
}

// secretName is the name of the secret in its fingerprint.
const secretName = "client_secret"

// secret returns the client secret, whichever attribute has it; null if none is managed. The write-only one must have been
// copied from the configuration.
func (m model) secret() types.String {
	if !m.ClientSecretWO.IsNull() {
		return m.ClientSecretWO
	}
	return m.ClientSecret
}

// secretChanges reports whether the secret is managed and differs, or may differ, from the one that the service accepted
// last. Between two versions, only their difference counts.
func secretChanges(planned, state model, prints framework.Fingerprint) bool {
	secret := planned.secret()
	switch {
	case secret.IsNull():
		return false
	case !prints.Holds(secretName):
		return true
	case !planned.ClientSecretWOVersion.IsNull() && !state.ClientSecretWOVersion.IsNull():
		return !planned.ClientSecretWOVersion.Equal(state.ClientSecretWOVersion)
	}
	return prints.Differs(secretName, secret)
}

// accepted records the secret that a request sent, if it sent one.
func accepted(ctx context.Context, op *framework.Operation[model], prints framework.Fingerprint, sent api.Optional[string]) diag.Diagnostics {
	secret, ok := sent.Get()
	if !ok {
		return nil
	}
	return prints.With(secretName, secret).Save(ctx, op.Private, framework.ClientSecretKey)
}

// recreated warns if a provider was deleted and created again with the same provider_id. A refresh also drops the fingerprint of its
// secret, which is unknown.
func recreated(ctx context.Context, op *framework.Operation[model], before, found model) diag.Diagnostics {
	const createdAgain = "OAuth provider was created again"
	switch {
	case before.ID.IsNull() || found.ID.Equal(before.ID):
		return nil
	case op.Verb != "read":
		return framework.NewWarning(createdAgain, "OAuth provider %q was deleted and created again outside of Terraform during this apply: its ID is "+
			"now %s. The next plan shows what differs, and sends the configured client secret, if there is one.", found.ProviderID.ValueString(),
			found.ID.ValueString())
	}
	prints, diags := framework.LoadFingerprint(ctx, op.Private, framework.ClientSecretKey)
	diags.AddAttributeWarning(path.Root("id"), createdAgain, fmt.Sprintf("OAuth provider %q was deleted and created again outside of Terraform: its ID "+
		"is now %s. Its client secret is unknown, so the next apply sends the configured one, if there is one.",
		found.ProviderID.ValueString(), found.ID.ValueString()))
	if prints.Holds(secretName) {
		diags.Append(framework.Fingerprint{}.Save(ctx, op.Private, framework.ClientSecretKey)...)
	}
	return diags
}
