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

const noun = "OAuth provider"

func (m model) label() string { return strconv.Quote(m.ProviderID.ValueString()) }

// protection is the deletion_protection of the provider of a state.
func (m model) protection() framework.Protection {
	return framework.Protection{On: m.DeletionProtection, Noun: noun, Label: m.label(), With: "the tokens of its users"}
}

// unlessGone returns the diagnostics that refuse to destroy the provider of a state, and none if that is gone.
func (r *oauthProviderResource) unlessGone(ctx context.Context, state model, private framework.PrivateReader, refused diag.Diagnostics) diag.Diagnostics {
	return framework.UnlessGone(ctx, &r.ProviderData, private, noun, state.label(), refused, framework.Finding(state, read))
}

// refuseRequest refuses a plan without a state that creates the second half of the replacement of a protected provider.
func (r *oauthProviderResource) refuseRequest(
	ctx context.Context, old framework.Record, private framework.PrivateReader, planned model,
) diag.Diagnostics {
	if old.ID == "" {
		return nil
	}
	planned.ProviderID, planned.DeletionProtection = types.StringValue(old.ID), types.BoolValue(old.Protected)
	return r.unlessGone(ctx, planned, private, planned.protection().RefuseRequest())
}

// replaced refuses a change that replaces a protected provider, and otherwise warns of the tokens that it deletes.
func (r *oauthProviderResource) replaced(ctx context.Context, private framework.PrivateReader, planned, state model) diag.Diagnostics {
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
			return r.unlessGone(ctx, state, private, state.protection().RefuseReplacement(at))
		case r.Client != nil: // Otherwise nothing is known of the tokens.
			return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Replacement deletes tokens",
				fmt.Sprintf("Changing %s replaces OAuth provider %q. %s All users have to log in again.\n\nTo replace the connections and "+
					"tokens of agents with the provider, add this line to the lifecycle blocks of agentplane_agent_connection and "+
					"agentplane_agent_provider_token, with the address of this resource in place of ADDRESS; otherwise, the next apply "+
					"repairs them:\n\n    replace_triggered_by = [ADDRESS.id]", at, state.ProviderID.ValueString(), r.countTokens(ctx, state)))}
		}
	}
	return nil
}

// countTokens says how many tokens and connections a replacement deletes. The service lists only those of the key's user, and
// connections only by agent, of which token events name some.
func (r *oauthProviderResource) countTokens(ctx context.Context, old model) string {
	c, providerID := r.In(old.WorkspaceID), old.ProviderID.ValueString()
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
