package oauthprovider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// plan fills in the defaults, and plans an update if only the write-only secret changes.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned, config := planning.Plan, planning.Config
	if config.MCPServerURL.IsNull() { // An existing URL, as after an import, is kept.
		planned.MCPServerURL = framework.PlannedOr(planned.MCPServerURL, types.StringNull())
	}
	planned = planned.withDefaults(config)
	if config.DeletionProtection.IsNull() {
		planned.DeletionProtection = types.BoolValue(false)
	}
	if planning.State != nil {
		return planChange(ctx, planning, planned)
	}
	if planning.Client != nil && !planned.WorkspaceID.IsUnknown() {
		lookup.PlanOAuthProvider(planning.ProviderData, planning.In(planned.WorkspaceID), planned.ProviderID)
	}
	return planned, refuseRequest(ctx, planning)
}

func planChange(ctx context.Context, planning *framework.Planning[model], planned model) (model, diag.Diagnostics) {
	config, state := planning.Config, *planning.State
	prints, diags := framework.LoadFingerprint(ctx, planning.Private, framework.ClientSecretKey)
	if planned.differs(state) || secretChanges(planned, state, prints) {
		planned.UpdatedAt = types.StringUnknown()
	}
	var left bool
	diags.Append(framework.LoadPrivate(ctx, planning.Private, framework.ClientSecretLeftKey, &left)...)
	if warnings := planned.warnLeftBehind(state, prints); !left && len(warnings) > 0 {
		planned.UpdatedAt = types.StringUnknown() // The update sends nothing, but records that the warning was given.
		diags.Append(warnings...)
	}
	if config.TokenEndpointAuthMethod.IsNull() && !planned.TokenEndpointAuthMethod.Equal(state.TokenEndpointAuthMethod) {
		planning.RequiresReplace.Append(path.Root("token_endpoint_auth_method"))
	}
	if config.DeletionProtection.IsNull() && state.DeletionProtection.IsNull() {
		planned.DeletionProtection = types.BoolNull() // A state of the version before: the next refresh stores the default.
	}
	return planned, append(diags, refuseReplacement(ctx, planning.Operation, planned)...)
}

// warnLeftBehind warns that the service keeps a secret that was removed from the configuration. prints are of the last one that it
// accepted.
func (m model) warnLeftBehind(state model, prints framework.Fingerprint) diag.Diagnostics {
	if state.ClientSecret.IsNull() && !prints.Holds(secretName) || !m.secret().IsNull() {
		return nil
	}
	name := "client_secret"
	if state.ClientSecret.IsNull() {
		name = "client_secret_wo"
	}
	return framework.WarningAt(path.Root(name), "Client secret is kept", "%s of OAuth provider %q was removed from the configuration, but the "+
		"service can't remove a secret and keeps using the last one. To stop using it, revoke it where it was issued, or replace the provider.",
		name, m.ProviderID.ValueString())
}

// validate warns of a secret that is never used.
func (m model) validate() diag.Diagnostics {
	if m.TokenEndpointAuthMethod.ValueString() != string(api.TokenEndpointAuthNone) || m.secret().IsNull() {
		return nil
	}
	return framework.WarningAt(path.Root("token_endpoint_auth_method"), "Client secret is not used", "With token_endpoint_auth_method \"none\", "+
		"the client doesn't authenticate at token_url, so its secret is never used. Remove the secret, or choose client_secret_basic or "+
		"client_secret_post.")
}

// protection is the deletion_protection of a provider in state.
func (m model) protection() framework.Protection {
	return framework.Protection{
		On: m.DeletionProtection, Noun: "OAuth provider", Label: strconv.Quote(m.ProviderID.ValueString()), With: "the tokens of its users",
	}
}

// record has the facts about a provider in state that a replacement on request needs.
func (m model) record() framework.Record {
	return framework.Record{ID: m.ProviderID.ValueString(), Protected: m.DeletionProtection.ValueBool()}
}

// refuseRequest refuses the creation that is the second half of a replacement of a protected provider on request.
func refuseRequest(ctx context.Context, planning *framework.Planning[model]) diag.Diagnostics {
	if planning.Replaced.ID == "" {
		return nil
	}
	replaced := planning.Plan
	replaced.ProviderID, replaced.DeletionProtection = types.StringValue(planning.Replaced.ID), types.BoolValue(planning.Replaced.Protected)
	return planning.UnlessGone(ctx, replaced, replaced.protection().RefuseRequest())
}

// refuseReplacement refuses a change that replaces a protected provider, and otherwise warns of the tokens that it deletes.
func refuseReplacement(ctx context.Context, op *framework.Operation[model], planned model) diag.Diagnostics {
	state := *op.State
	for _, fixed := range []struct {
		name    string
		is, was types.String
	}{
		{"provider_id", planned.ProviderID, state.ProviderID},
		{"workspace_id", planned.WorkspaceID, state.WorkspaceID},
		{"mcp_server_url", planned.MCPServerURL, state.MCPServerURL},
		{"provider_type", planned.ProviderType, state.ProviderType},
		{"token_endpoint_auth_method", planned.TokenEndpointAuthMethod, state.TokenEndpointAuthMethod},
	} {
		at := path.Root(fixed.name)
		switch {
		case fixed.is.IsUnknown(), fixed.is.Equal(fixed.was), fixed.name == "workspace_id" && fixed.was.IsNull(): // Null before the first refresh.
		case state.DeletionProtection.ValueBool():
			return op.UnlessGone(ctx, state, state.protection().RefuseReplacement(at))
		case op.Client != nil: // Otherwise nothing is known of the tokens.
			return framework.WarningAt(at, "Replacement deletes tokens", "Changing %s replaces OAuth provider %q. %s All users have to log in "+
				"again.\n\nTo replace the connections and tokens of agents with the provider, add this line to the lifecycle blocks of "+
				"agentplane_agent_connection and agentplane_agent_provider_token, with the address of this resource in place of ADDRESS; "+
				"otherwise, the next apply repairs them:\n\n    replace_triggered_by = [ADDRESS.id]", at, state.ProviderID.ValueString(),
				countTokens(ctx, op.In(state.WorkspaceID), state.ProviderID.ValueString()))
		}
	}
	return nil
}

// countTokens describes the tokens and connections that a replacement deletes. The service lists only those of the key's user, and
// connections only by agent, of which token events name some.
func countTokens(ctx context.Context, c *client.Client, providerID string) string {
	tokens, err := c.ListOAuthTokens(ctx, providerID)
	if err != nil {
		return fmt.Sprintf("Replacement deletes its tokens, which couldn't be counted: %s", framework.Sentence(err.Error()))
	}
	connections, agents, err := countConnections(ctx, c, providerID)
	connected := framework.Plural(connections, "connection") + agents
	if err != nil {
		connected = fmt.Sprintf("connections that couldn't be counted (%s)", strings.TrimSuffix(err.Error(), "."))
	}
	return fmt.Sprintf("Replacement deletes %s of the user of the API key and %s, and the tokens of all other users, which the service doesn't list.",
		framework.Plural(len(tokens), "token"), connected)
}

// mostEvents is how many events the service lists at once, and mostAgents how many agents a plan asks about.
const (
	mostEvents = 200
	mostAgents = 10
)

// countConnections counts the connections to tokens of a provider, and names their agents.
func countConnections(ctx context.Context, c *client.Client, providerID string) (connections int, agents string, err error) {
	events, err := c.ListTokenEvents(ctx, providerID, mostEvents)
	if err != nil {
		return 0, "", err
	}
	var asked, connected []string
	for _, event := range events {
		if event.AgentID == nil || slices.Contains(asked, *event.AgentID) || len(asked) == mostAgents {
			continue
		}
		asked = append(asked, *event.AgentID)
		for connection, err := range c.AgentConnections(*event.AgentID).List(ctx) {
			if err != nil {
				return 0, "", err
			}
			if connection.ProviderID == providerID {
				connections++
				connected = append(connected, fmt.Sprintf("%q", *event.AgentID))
			}
		}
	}
	if connected = slices.Compact(connected); len(connected) > 0 {
		agents = " (agents " + strings.Join(connected, ", ") + ")"
	}
	return connections, agents, nil
}
