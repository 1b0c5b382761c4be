package oauthprovider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// recordKey is the key of the record in the private state.
const recordKey = "replaceable"

// record is what a plan needs to know of a provider to replace it on request (-replace, replace_triggered_by). Terraform then plans an
// update, and after it a creation, which gets the private state of the first plan but not the state. Of the diagnostics of the second
// plan, it shows only errors.
type record struct {
	ProviderID string `json:"provider_id"`
	Protected  bool   `json:"protected,omitempty"`
}

func (m model) record() record {
	return record{m.ProviderID.ValueString(), m.DeletionProtection.ValueBool()}
}

func (r record) save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	return framework.SavePrivate(ctx, private, recordKey, r)
}

// refuseDestroy returns an error if the provider is protected.
func (m model) refuseDestroy() diag.Diagnostics {
	if !m.DeletionProtection.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "OAuth provider is protected",
		fmt.Sprintf("OAuth provider %q would be destroyed with the tokens of its users, but its deletion_protection is true. Set it to false "+
			"and apply that first, or keep the provider by removing it from the state only (`terraform state rm`). If it is tainted, run "+
			"`terraform untaint` with its address first.", m.ProviderID.ValueString()))}
}

// refuseRequest refuses a plan without a state that creates the second half of the replacement of a protected provider.
func refuseRequest(ctx context.Context, before framework.PrivateReader, private framework.PrivateWriter) diag.Diagnostics {
	var old record
	diags := framework.LoadPrivate(ctx, before, recordKey, &old)
	if old.ProviderID == "" {
		return diags
	}
	diags.Append(private.SetKey(ctx, recordKey, nil)...)
	if old.Protected {
		diags.Append(old.refuse(path.Root("deletion_protection"), "A request, by -replace or replace_triggered_by,")...)
	}
	return diags
}

func (r record) refuse(at path.Path, what string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "OAuth provider is protected",
		fmt.Sprintf("%s replaces OAuth provider %q, which destroys it with the tokens of its users, but its deletion_protection is true. Set "+
			"deletion_protection to false and apply that first, or revert this.", what, r.ProviderID))}
}

// replaced refuses a change that replaces a protected provider, and otherwise warns of the tokens that it deletes.
func (r *oauthProviderResource) replaced(ctx context.Context, planned, state model) diag.Diagnostics {
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
			return state.record().refuse(at, fmt.Sprintf("Changing %s", at))
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
		return fmt.Sprintf("Replacement deletes its tokens, which couldn't be counted: %s.", strings.TrimSuffix(err.Error(), "."))
	}
	connections, agents, err := countConnections(ctx, c, providerID)
	connected := count(connections, "connection") + agents
	if err != nil {
		connected = fmt.Sprintf("connections that couldn't be counted (%s)", strings.TrimSuffix(err.Error(), "."))
	}
	return fmt.Sprintf("Replacement deletes %s of the user of the API key and %s, and the tokens of all other users, which the service doesn't list.",
		count(len(tokens), "token"), connected)
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

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
