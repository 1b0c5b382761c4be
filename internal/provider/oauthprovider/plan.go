package oauthprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace and the defaults, and plans an update
// if only the write-only secret changes.
func (r *oauthProviderResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, planned, state model
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.Diagnostics.Append(r.unlessGone(ctx, state, req.Private, state.protection().RefuseDestroy())...)
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned.WorkspaceID = r.PlannedWorkspace(req.Config, planned.WorkspaceID)
	if config.MCPServerURL.IsNull() { // An existing URL, as after an import, is kept.
		planned.MCPServerURL = framework.PlannedOr(planned.MCPServerURL, types.StringNull())
	}
	planned = planned.withDefaults(config)
	if config.DeletionProtection.IsNull() {
		planned.DeletionProtection = types.BoolValue(false)
	}
	if req.State.Raw.IsNull() {
		old, diags := framework.TakeRecord(ctx, req.Private, resp.Private)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(r.refuseRequest(ctx, old, req.Private, planned)...)
		resp.Diagnostics.Append(unique.Check(ctx, &r.ProviderData, noun, planned, nil)...)
		if r.Client != nil && !planned.WorkspaceID.IsUnknown() {
			lookup.PlanOAuthProvider(&r.ProviderData, r.In(planned.WorkspaceID), planned.ProviderID)
		}
	} else {
		prints, diags := framework.LoadFingerprint(ctx, req.Private, framework.ClientSecretKey)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		planned.ClientSecretWO = config.ClientSecretWO
		if planned.differs(state) || secretChanges(planned, state, prints) {
			planned.UpdatedAt = types.StringUnknown()
		}
		var left bool
		resp.Diagnostics.Append(framework.LoadPrivate(ctx, req.Private, framework.ClientSecretLeftKey, &left)...)
		if warnings := planned.warnLeftBehind(state, prints); !left && len(warnings) > 0 {
			planned.UpdatedAt = types.StringUnknown() // The update sends nothing, but records that the warning was given.
			resp.Diagnostics.Append(warnings...)
		}
		if config.TokenEndpointAuthMethod.IsNull() && !planned.TokenEndpointAuthMethod.Equal(state.TokenEndpointAuthMethod) {
			resp.RequiresReplace.Append(path.Root("token_endpoint_auth_method"))
		}
		if config.DeletionProtection.IsNull() && state.DeletionProtection.IsNull() {
			planned.DeletionProtection = types.BoolNull() // A state of the version before: the next refresh stores the default.
		}
		resp.Diagnostics.Append(r.replaced(ctx, req.Private, planned, state)...)
		resp.Diagnostics.Append(unique.Check(ctx, &r.ProviderData, noun, planned, &state)...)
		record := framework.Record{ID: state.ProviderID.ValueString(), Protected: state.DeletionProtection.ValueBool()}
		resp.Diagnostics.Append(record.Save(ctx, resp.Private)...)
	}
	planned.ClientSecretWO = types.StringNull()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
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

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *oauthProviderResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.TokenEndpointAuthMethod.ValueString() == string(api.TokenEndpointAuthNone) && !config.secret().IsNull() {
		resp.Diagnostics.AddAttributeWarning(path.Root("token_endpoint_auth_method"), "Client secret is not used",
			"With token_endpoint_auth_method \"none\", the client doesn't authenticate at token_url, so its secret is "+
				"never used. Remove the secret, or choose client_secret_basic or client_secret_post.")
	}
}
