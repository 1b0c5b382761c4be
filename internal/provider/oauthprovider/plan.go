package oauthprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(name), "Client secret is kept",
		fmt.Sprintf("%s of OAuth provider %q was removed from the configuration, but the service can't remove "+
			"a secret and keeps using the last one. To stop using it, revoke it where it was issued, or replace the "+
			"provider.", name, m.ProviderID.ValueString()))}
}

// validate warns of a secret that is never used.
func (m model) validate() diag.Diagnostics {
	if m.TokenEndpointAuthMethod.ValueString() != string(api.TokenEndpointAuthNone) || m.secret().IsNull() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("token_endpoint_auth_method"), "Client secret is not used",
		"With token_endpoint_auth_method \"none\", the client doesn't authenticate at token_url, so its secret is "+
			"never used. Remove the secret, or choose client_secret_basic or client_secret_post.")}
}
