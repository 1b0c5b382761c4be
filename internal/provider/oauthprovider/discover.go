package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// discovered are the attributes that an MCP server's authorization server determines.
var discovered = []path.Expression{
	path.MatchRoot("client_id"), path.MatchRoot("client_secret"), path.MatchRoot("client_secret_wo"), path.MatchRoot("auth_url"),
	path.MatchRoot("token_url"), path.MatchRoot("uses_pkce"), path.MatchRoot("code_challenge_method"), path.MatchRoot("provider_type"),
	path.MatchRoot("token_endpoint_auth_method"),
}

// isDiscovered reports whether the service discovers the endpoints and registers the client.
func (m model) isDiscovered() bool { return !m.MCPServerURL.IsNull() && !m.MCPServerURL.IsUnknown() }

// withDefaults fills in what the configuration omits, unless it is, or may be, discovered.
func (m model) withDefaults(config model) model {
	if !m.MCPServerURL.IsNull() {
		return m
	}
	m.UsesPKCE = configuredOr(config.UsesPKCE, m.UsesPKCE, types.BoolValue(false))
	m.CodeChallengeMethod = configuredOr(config.CodeChallengeMethod, m.CodeChallengeMethod, types.StringValue(defaultCodeChallengeMethod))
	m.TokenEndpointAuthMethod = configuredOr(config.TokenEndpointAuthMethod, m.TokenEndpointAuthMethod,
		types.StringValue(string(defaultTokenEndpointAuthMethod)))
	return m
}

func configuredOr[T attr.Value](configured, planned, byDefault T) T {
	if configured.IsNull() {
		return byDefault
	}
	return planned
}

// discover creates the provider of an MCP server. The discovery request accepts nothing else, so the rest of the
// configuration is sent as a change.
func discover(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan, c := op.Plan, writer(op.ProviderData, op.Plan.WorkspaceID)
	made, err := c.CreateMCPOAuthProvider(ctx, plan.toDiscover())
	if err != nil {
		return nil, notCreated(ctx, op, err)
	}
	current := newModel(plan, *made)
	patch := framework.KeepPlanned(ctx, plan, current).toPatch(current)
	if patch == (api.OAuthProviderUpdateRequest{}) {
		return &current, nil
	}
	patched, err := c.PatchOAuthProvider(ctx, plan.ProviderID.ValueString(), patch, made.UpdatedAt)
	if err != nil {
		// The client is registered. After an error, the next apply would replace the provider and register another client.
		return &current, framework.AsWarnings(plan.failure("complete").Diagnostics(err), "The provider was created without the rest of its "+
			"configuration. The next plan shows the difference, and the next apply changes it in place.")
	}
	return new(newModel(plan, *patched)), nil
}
