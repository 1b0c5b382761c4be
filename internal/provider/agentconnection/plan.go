package agentconnection

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// plan plans to connect the agent once a refresh has found a token, and to record another choice of the same token.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned, state, p := planning.Plan, planning.State, planning.ProviderData
	by, diags := loadChoice(ctx, planning.Private)
	changes, creates := !reflect.DeepEqual(planned.choice(), by), state == nil
	if creates || !changes && planned.AgentID.Equal(state.AgentID) {
		diags.Append(claim(p, planned, creates, creates && !changes)...)
	}
	if creates || changes {
		destroyed := ""
		if !creates && !state.ID.IsNull() && len(planned.replacing(*state)) > 0 {
			destroyed = fmt.Sprintf("Connection %s of agent %q", state.ID.ValueString(), state.AgentID.ValueString())
		}
		diags.Append(lookup.CheckOAuthProvider(ctx, p, planned.WorkspaceID, planned.ProviderID, destroyed)...)
	}
	if !planned.choice().made() && (creates || !state.ID.IsNull()) { // Otherwise the apply takes an existing connection over.
		diags.Append(unique.Check(ctx, p, "connection", planned, state)...)
	}
	if creates {
		return planned, diags
	}
	planning.RequiresReplace.Append(planned.replacing(*state)...)
	planned.Resolved = state.chosen(by).Resolved
	switch isConnected := !state.ID.IsNull(); {
	case !isConnected && (changes || !planned.Resolved.IsNull()):
		planned = planned.withUnknown()
	case isConnected && changes:
		planned.Status = types.StringUnknown()
	}
	return planned, diags
}

// unique is the key of a connection to a configured token.
var unique = framework.UniqueKey[model]{
	Attribute: "agent_id", Words: "agent_id and oauth_token_id",
	ID: func(m model) types.String { return types.StringValue(importID(m.AgentID, m.ID.ValueString())) },
	Values: func(m model) (types.String, types.String, []attr.Value) {
		return m.AgentID, m.WorkspaceID, []attr.Value{m.OAuthTokenID}
	},
	Holder: func(ctx context.Context, p *framework.ProviderData, planned model) (string, error) {
		connections := client.Items(connectionsOf(ctx, p, p.In(planned.WorkspaceID), planned.AgentID.ValueString()))
		found, err := connectionTo(connections, planned.OAuthTokenID.ValueString())
		if found == nil {
			return "", err
		}
		return importID(planned.AgentID, found.ID), nil
	},
}

// claim refuses two resources for one connection in one plan: destroying one of them would remove it from the other. What exists
// claims its own, too. A replacement is planned as a change and then as a creation, which has the private state of the former.
func claim(p *framework.ProviderData, planned model, creates, replaces bool) diag.Diagnostics {
	by := planned.choice()
	if p.Client == nil || p.Memo.Applying.Load() || planned.WorkspaceID.IsUnknown() || planned.AgentID.IsUnknown() ||
		planned.ProviderID.IsUnknown() || planned.ProviderAccountLabel.IsUnknown() || !by.made() {
		return nil
	}
	key := fmt.Sprintf("%s %q %s", p.In(planned.WorkspaceID).WorkspaceID(), planned.AgentID.ValueString(), by)
	created, kept := framework.SharedMap(p.Memo, "created connections"), framework.SharedMap(p.Memo, "kept connections")
	var twice bool
	if creates {
		_, twice = created.LoadOrStore(key, replaces)
		if _, keeps := kept.Load(key); keeps && !replaces {
			twice = true
		}
	} else {
		kept.Store(key, true)
		replaced, creating := created.Load(key)
		twice = creating && replaced == false
	}
	if !twice {
		return nil
	}
	return framework.ErrorAt(path.Root("provider_id"), "Connection is claimed twice", "This plan connects agent %q twice to the user's token of "+
		"%s, but that is one connection. Remove one of the resources.", planned.AgentID.ValueString(), by)
}

// checkKey checks that the agent has no other token for the OAuth provider. If the plan replaces a token, another one is an error: nothing
// must be destroyed in vain. For a new one, it is only a warning: the other one may be tainted, at another address, or the one that is
// replaced, and this plan may destroy it. The apply checks again.
func checkKey(ctx context.Context, provider *framework.ProviderData, planned tokenModel, state *tokenModel) diag.Diagnostics {
	if provider.Client == nil || provider.Memo.Applying.Load() {
		return nil
	}
	for _, key := range []struct {
		name  string
		value types.String
	}{{"workspace_id", planned.WorkspaceID}, {"agent_id", planned.AgentID}, {"provider_id", planned.ProviderID}} {
		switch {
		case !key.value.IsUnknown():
		case state == nil:
			return nil
		default:
			return framework.WarningAt(path.Root(key.name), "Replacement not checked", "%s will only be known during the apply. If the agent then "+
				"has another token, token %s is destroyed and the new one can't be stored. To have it checked, first apply what it depends on, "+
				"for example with -target.", key.name, state.ID.ValueString())
		}
	}
	at, c := path.Root("provider_id"), provider.In(planned.WorkspaceID)
	var diags diag.Diagnostics
	if state == nil {
		diags = claimToken(provider, c, planned)
	}
	connections, err := connectionsOf(ctx, provider, c, planned.AgentID.ValueString())
	var holders []api.AgentConnectionResponse
	if err == nil {
		holders, err = ownTokens(ctx, usersTokens(provider, c), connections, planned.ProviderID.ValueString())
	}
	switch {
	case err != nil && state != nil:
		diags.AddAttributeError(at, "Replacement can't be checked", fmt.Sprintf("Token %s would be destroyed, but it isn't known whether the "+
			"new one can be stored, because looking for another token of the agent failed: %v. Use a key that may read it, or make two applies: "+
			"remove the token in the first, and add it again in the second.", state.ID.ValueString(), err))
	case err != nil || len(holders) == 0: // A creation looks again.
	case state != nil:
		diags.AddAttributeError(at, "Agent has a token already", fmt.Sprintf("Token %s would be replaced. %s Choose another OAuth provider. Or, if "+
			"the other token is to be destroyed, make two applies: first that one, then this one.", state.ID.ValueString(), takenText(planned, holders[0])))
	default:
		diags.AddAttributeWarning(at, "Agent has a token already", takenText(planned, holders[0])+" If this resource is tainted, there is "+
			"nothing to do.\n\n"+
			provider.Taken(planned.WorkspaceID, importID(planned.AgentID, holders[0].ID), "token", "provider_id"))
	}
	return diags
}

// claimToken refuses a second new token of an agent for the same OAuth provider in one plan.
func claimToken(provider *framework.ProviderData, c *client.Client, planned tokenModel) diag.Diagnostics {
	key := fmt.Sprintf("%s %q %q", c.WorkspaceID(), planned.AgentID.ValueString(), planned.ProviderID.ValueString())
	if _, granted := framework.Claim(provider.Memo, "tokens", key, ""); granted {
		return nil
	}
	return framework.ErrorAt(path.Root("provider_id"), "Token is claimed twice", "This plan stores two tokens of agent %q for OAuth provider %q, "+
		"but an agent has one for each provider. Remove one of the resources.", planned.AgentID.ValueString(), planned.ProviderID.ValueString())
}

// takenBy names the token that an agent has, with the remedies.
func takenBy(provider *framework.ProviderData, planned tokenModel, holder api.AgentConnectionResponse) string {
	return takenText(planned, holder) + "\n\n" + provider.Taken(planned.WorkspaceID, importID(planned.AgentID, holder.ID), "token", "provider_id")
}

func takenText(planned tokenModel, holder api.AgentConnectionResponse) string {
	return fmt.Sprintf("Agent %q already has a token for OAuth provider %q: connection %s.",
		planned.AgentID.ValueString(), planned.ProviderID.ValueString(), holder.ID)
}

// sameKey reports whether the plan doesn't replace the token of a state. A state may lack the workspace before its first refresh.
func (m tokenModel) sameKey(state tokenModel) bool {
	return (m.WorkspaceID.Equal(state.WorkspaceID) || state.WorkspaceID.IsNull() && !m.WorkspaceID.IsUnknown()) && m.AgentID.Equal(state.AgentID) && m.ProviderID.Equal(state.ProviderID)
}

// sends reports whether the plan sends the tokens.
func (m tokenModel) sends(state tokenModel, now time.Time) bool {
	return m.differs(state) || m.Renew.ValueBool() && state.expired(now)
}

// expired reports whether the access token has expired, as far as the service says.
func (m tokenModel) expired(now time.Time) bool {
	at, err := time.Parse(time.RFC3339, m.ExpiresAt.ValueString())
	return err == nil && !now.Before(at)
}

// warnOfExpiry warns of an expired token unless the plan sends another one, and of changes that the apply will refuse. These are only
// warnings, because another user may have made the difference, and a destruction plans the configuration, too.
func (m tokenModel) warnOfExpiry(state tokenModel, now time.Time) diag.Diagnostics {
	diags := m.refuseStale(state, now)
	for i, refused := range diags {
		diags[i] = diag.NewWarningDiagnostic(refused.Summary(), refused.Detail())
		if at, ok := refused.(diag.DiagnosticWithPath); ok {
			diags[i] = diag.WithPath(at.Path(), diags[i])
		}
	}
	if state.expired(now) && !m.sends(state, now) {
		diags.AddAttributeWarning(path.Root("expires_at"), "Token has expired", fmt.Sprintf("The access token of agent %q for OAuth provider %q "+
			"expired at %s, and the service has not refreshed it. Set access_token_wo to a current token and increase tokens_wo_version. If "+
			"access_token_wo is always current, set renew to true: then plans send it when the stored one has expired.",
			m.AgentID.ValueString(), m.ProviderID.ValueString(), state.ExpiresAt.ValueString()))
	}
	return diags
}

// refuseStale refuses changes that would send a token that isn't new with a fresh lifetime: the service stores settings only together
// with tokens.
func (m tokenModel) refuseStale(state tokenModel, now time.Time) diag.Diagnostics {
	renewed := m.Renew.ValueBool() && state.expired(now)
	if renewed || !m.TokensWOVersion.Equal(state.TokensWOVersion) || m.ExpiresInSeconds.IsNull() && state.ExpiresAt.IsNull() {
		return nil
	}
	var diags diag.Diagnostics
	for name, values := range map[string][2]attr.Value{
		"expires_in_seconds": {m.ExpiresInSeconds, state.ExpiresInSeconds}, "scopes": {m.Scopes, state.Scopes},
		"provider_account_label": {m.ProviderAccountLabel, state.ProviderAccountLabel},
	} {
		if !values[0].IsUnknown() && !values[0].Equal(values[1]) {
			diags.Append(framework.ErrorAt(path.Root(name), "New version required", "%s would change from %s to %s. The service stores it only together "+
				"with the tokens, and sending the same tokens again would give them a new lifetime, although they were issued earlier. An apply "+
				"refuses that: set access_token_wo to a current token and increase tokens_wo_version.", name, shown(values[1]), shown(values[0]))...)
		}
	}
	return diags
}

func shown(value attr.Value) string {
	if value.IsNull() {
		return "no value"
	}
	return value.String()
}
