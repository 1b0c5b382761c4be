package modelprice

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *modelPriceResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Workspace of the model price, a UUID. Default: the provider's.",
		},
		"id": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "ID of the model price, a UUID.",
		},
	}}
}

// ImportState implements resource.ResourceWithImportState: by identity, or by a string.
func (r *modelPriceResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var found identityModel
	var diags diag.Diagnostics
	if !framework.IsImportByIdentity(req) {
		found, diags = r.importByString(ctx, req.ID)
	} else {
		diags = req.Identity.Get(ctx, &found)
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if found.WorkspaceID.IsNull() && r.Client != nil {
		found.WorkspaceID = framework.StringOrNull(r.Client.WorkspaceID())
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("workspace_id"), found.WorkspaceID)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
	}
}

// importByString finds what ID, WORKSPACE/ID, name:NAME or WORKSPACE/name:NAME stand for.
func (r *modelPriceResource) importByString(ctx context.Context, text string) (identityModel, diag.Diagnostics) {
	parsed, err := framework.ParseImportID(text)
	if err != nil {
		return identityModel{}, diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID",
			fmt.Sprintf("%s. For example: `terraform import agentplane_model_price.example name:example-large`.", err))}
	}
	found := identityModel{WorkspaceID: framework.StringOrNull(parsed.WorkspaceID), ID: framework.StringOrNull(parsed.ID)}
	if parsed.Name == "" {
		return found, nil
	}
	diags := r.Configured()
	if diags.HasError() {
		return found, diags
	}
	prices, err := r.prices(ctx, found.WorkspaceID)
	if err != nil {
		return found, framework.Failure{Summary: fmt.Sprintf("Cannot look up model price %q", parsed.Name)}.Diagnostics(err)
	}
	var ids []string
	for _, price := range prices {
		if price.TenantID != nil && price.Name == parsed.Name {
			ids = append(ids, price.ID)
		}
	}
	switch len(ids) {
	case 1:
		found.ID = types.StringValue(ids[0])
		return found, nil
	case 0:
		return found, diag.Diagnostics{diag.NewErrorDiagnostic("Model price not found",
			fmt.Sprintf("No entry of the workspace has the name %q. Check it and workspace_id, or import by ID. Those that come with "+
				"the service can't be managed.", parsed.Name))}
	default:
		return found, diag.Diagnostics{diag.NewErrorDiagnostic("Model price is ambiguous",
			fmt.Sprintf("%d entries of the workspace have the name %q. Import one of them by its ID: %s.", len(ids), parsed.Name,
				strings.Join(ids, ", ")))}
	}
}
