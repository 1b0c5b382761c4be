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

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
			return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Replacement deletes tokens",
				fmt.Sprintf("Changing %s replaces OAuth provider %q. %s All users have to log in again.\n\nTo replace the connections and "+
					"tokens of agents with the provider, add this line to the lifecycle blocks of agentplane_agent_connection and "+
					"agentplane_agent_provider_token, with the address of this resource in place of ADDRESS; otherwise, the next apply "+
					"repairs them:\n\n    replace_triggered_by = [ADDRESS.id]", at, state.ProviderID.ValueString(), countTokens(ctx, op.In(state.WorkspaceID), state.ProviderID.ValueString())))}
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
		for connection, err := range c.ListAgentConnections(ctx, *event.AgentID) {
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
