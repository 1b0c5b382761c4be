package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// The values of status.
const (
	connected = "connected"
	pending   = "pending"
)

// model is a connection as configuration, plan and state hold it.
type model struct {
	listedModel
	Status types.String `tfsdk:"status"`
	// Resolved is the token that the connection has, a resolvedModel. The arguments have only what is configured.
	Resolved types.Object `tfsdk:"resolved"`
}

// resolvedModel is the token of a connection, however it was chosen.
type resolvedModel struct {
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
}

func resolvedTypes() map[string]attr.Type {
	return framework.NestedTypes(connectionSchema().Attributes["resolved"].GetType())
}

func (r resolvedModel) object() types.Object {
	as := resolvedTypes()
	if r.OAuthTokenID.IsNull() {
		return types.ObjectNull(as)
	}
	return framework.ToObject(as, r)
}

// listedModel is what all connections have: those in the list, where all are connected, and those to tokens of an agent.
type listedModel struct {
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	AgentID              types.String `tfsdk:"agent_id"`
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ID                   types.String `tfsdk:"id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	Scopes               types.Set    `tfsdk:"scopes"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	CreatedBy            types.String `tfsdk:"created_by"`
	CreatedAt            types.String `tfsdk:"created_at"`
}

// identityModel identifies a connection by its ID and its agent: connections are listed by agent only.
type identityModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	ID          types.String `tfsdk:"id"`
}

func (m listedModel) identity() identityModel { return identityModel{m.WorkspaceID, m.AgentID, m.ID} }

// connectionIdentity is the resource identity of a connection: by its ID, or by the choice of its token, which stays the same while
// users log out and in again.
type connectionIdentity struct {
	identityModel
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
}

// ResourceIdentity implements framework.Identified: by the choice of the token, if the configuration has one.
func (m model) ResourceIdentity() any {
	identity := connectionIdentity{identityModel: m.identity()}
	if by := m.choice(); by.made() {
		identity.ID = types.StringNull()
		identity.ProviderID, identity.ProviderAccountLabel = types.StringValue(by.ProviderID), framework.String(by.Label)
	}
	return identity
}

// newModel is the connection to a token that was chosen in that way, as the service answers it.
func newModel(workspaceID types.String, answer api.AgentConnectionResponse, by choice) model {
	return model{Status: types.StringValue(connected), listedModel: newListed(workspaceID, answer)}.chosen(by)
}

func newListed(workspaceID types.String, answer api.AgentConnectionResponse) listedModel {
	return framework.Flatten(listedModel{WorkspaceID: workspaceID}, answer)
}

// newPending is a connection that waits for a login, or for an apply that connects the agent to token; nil if there is none.
func newPending(workspaceID, agentID types.String, token *api.OAuthTokenSummary, by choice) model {
	m := model{Status: types.StringValue(pending), listedModel: listedModel{
		WorkspaceID: workspaceID, AgentID: agentID, Scopes: types.SetNull(types.StringType),
	}}
	if token != nil {
		m.OAuthTokenID, m.ProviderID = types.StringValue(token.ID), types.StringValue(token.ProviderID)
		m.ProviderAccountLabel = framework.String(token.ProviderAccountLabel)
	}
	return m.chosen(by)
}

// resolved is the token of a connection. States of the version before have it in the arguments.
func (m model) resolved() resolvedModel {
	if m.Resolved.IsNull() || m.Resolved.IsUnknown() {
		return resolvedModel{m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel}
	}
	return framework.FromObject[resolvedModel](m.Resolved)
}

// chosen is a connection whose arguments are those of a choice.
func (m model) chosen(by choice) model {
	token := m.resolved()
	m.Resolved = token.object()
	m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel = token.OAuthTokenID, types.StringNull(), types.StringNull()
	if by.made() {
		m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel = types.StringNull(), types.StringValue(by.ProviderID), framework.String(by.Label)
	}
	return m
}

// replacing returns the arguments that select another token than the one in the state, or than the one that a pending connection waits for.
func (m model) replacing(state model) path.Paths {
	var paths path.Paths
	has := state.resolved()
	for name, values := range map[string][2]types.String{
		"oauth_token_id": {m.OAuthTokenID, has.OAuthTokenID}, "provider_id": {m.ProviderID, has.ProviderID},
		"provider_account_label": {m.ProviderAccountLabel, has.ProviderAccountLabel},
	} {
		if !values[0].IsNull() && !values[0].Equal(values[1]) {
			paths.Append(path.Root(name))
		}
	}
	return paths
}

// withUnknown is a plan that an apply will decide: nothing that was null is expected to stay so.
func (m model) withUnknown() model {
	for _, attribute := range []*types.String{&m.ID, &m.Status, &m.ExpiresAt, &m.CreatedBy, &m.CreatedAt} {
		*attribute = types.StringUnknown()
	}
	m.Scopes = types.SetUnknown(types.StringType)
	m.Resolved = types.ObjectUnknown(resolvedTypes())
	return m
}

// choice is that of a configuration, whose values are known.
func (m model) choice() choice {
	if !m.OAuthTokenID.IsNull() {
		return choice{}
	}
	return choice{m.ProviderID.ValueString(), m.ProviderAccountLabel.ValueStringPointer()}
}

// tokenModel is a token of an agent as configuration, plan and state hold it.
type tokenModel struct {
	listedModel
	AccessTokenWO    types.String   `tfsdk:"access_token_wo"`  // In the configuration only.
	RefreshTokenWO   types.String   `tfsdk:"refresh_token_wo"` // In the configuration only.
	TokensWOVersion  types.Int64    `tfsdk:"tokens_wo_version"`
	ExpiresInSeconds types.Int64    `tfsdk:"expires_in_seconds"`
	Renew            types.Bool     `tfsdk:"renew"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`
}

// ResourceIdentity implements framework.Identified.
func (m tokenModel) ResourceIdentity() any { return m.identity() }

// toUpsert is the whole token.
func (m tokenModel) toUpsert() api.UpsertAgentProviderTokenRequest {
	request := framework.Expand[api.UpsertAgentProviderTokenRequest](m)
	request.AccessToken, request.RefreshToken = m.AccessTokenWO.ValueString(), framework.ToOptional[string](m.RefreshTokenWO)
	return request
}

// newTokenModel is the token as the service answers it. What it never shows stays as in prior.
func newTokenModel(prior tokenModel, answer api.AgentConnectionResponse) tokenModel {
	return framework.Flatten(prior, answer)
}

// differs reports whether something is to be sent. After an import, the first version and lifetime are only recorded: the tokens are there.
func (m tokenModel) differs(state tokenModel) bool {
	imported := state.TokensWOVersion.IsNull()
	return !imported && (!m.TokensWOVersion.Equal(state.TokensWOVersion) || !m.ExpiresInSeconds.Equal(state.ExpiresInSeconds)) ||
		!m.Scopes.Equal(state.Scopes) || !m.ProviderAccountLabel.Equal(state.ProviderAccountLabel)
}

// choice is how a configuration without oauth_token_id chooses the user's token. The zero value belongs to one with it.
type choice struct {
	ProviderID string  `json:"provider_id,omitempty"`
	Label      *string `json:"label,omitempty"`
}

// loadChoice returns the choice in the private state: the state has the IDs of the token, however it was chosen.
func loadChoice(ctx context.Context, private framework.PrivateReader) (choice, diag.Diagnostics) {
	var by choice
	diags := framework.LoadPrivate(ctx, private, framework.ChoiceKey, &by)
	return by, diags
}

// save records the choice. The form with oauth_token_id needs no record.
func (by choice) save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	if !by.made() {
		return framework.ClearPrivate(ctx, private, framework.ChoiceKey)
	}
	return framework.SavePrivate(ctx, private, framework.ChoiceKey, by)
}

func (by choice) made() bool { return by.ProviderID != "" }

// from returns the chosen one of the user's tokens, and nil if there is none: like the service, the default, or else the newest.
func (by choice) from(tokens []api.OAuthTokenSummary) *api.OAuthTokenSummary {
	var chosen *api.OAuthTokenSummary
	for _, token := range tokens {
		switch {
		case token.ProviderID != by.ProviderID, by.Label != nil && !framework.String(by.Label).Equal(framework.String(token.ProviderAccountLabel)):
		case chosen == nil, token.IsDefault, !chosen.IsDefault && token.CreatedAt > chosen.CreatedAt:
			chosen = &token
		}
	}
	return chosen
}

func (by choice) String() string {
	if by.Label == nil {
		return fmt.Sprintf("OAuth provider %q", by.ProviderID)
	}
	return fmt.Sprintf("OAuth provider %q with the label %q", by.ProviderID, *by.Label)
}

// warn explains why a connection is pending.
func (by choice) warn(agentID types.String) diag.Diagnostics {
	return framework.WarningAt(path.Root("provider_id"), fmt.Sprintf("Agent %q is not connected yet", agentID.ValueString()),
		"The user of the provider's API key has no token of %s: log in first, for example with the action agentplane_authenticate, and apply "+
			"again. Until then, the connection is pending.", by)
}
