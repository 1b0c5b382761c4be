package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer imports runs by PROJECT_ID/RUN_ID, optionally prefixed with the workspace, or by identity.
var importer = runImporter{framework.Importer{TypeName: "agentplane_llm_run", Noun: "run"}}

type runImporter struct{ framework.Importer }

// Import implements framework.ResourceImporter.
func (i runImporter) Import(ctx context.Context, p *framework.ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids, diags := i.find(ctx, p, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	workspaceID, id := p.KnownWorkspace(framework.StringOrNull(ids.workspaceID)), types.StringValue(ids.id)
	framework.StoreImported(ctx, resp, framework.Identity{WorkspaceID: workspaceID, ID: id})
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("project_id"), types.StringValue(ids.projectID))...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("trace_id"), id)...)
}

// find reads an import ID, or looks up the project of the run in an identity.
func (i runImporter) find(ctx context.Context, p *framework.ProviderData, req resource.ImportStateRequest) (importID, diag.Diagnostics) {
	if !framework.IsImportByIdentity(req) {
		ids, err := parseImportID(req.ID)
		if err != nil {
			return ids, diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID",
				fmt.Sprintf("%s. The data source agentplane_runs lists the IDs of a project and its runs.", err))}
		}
		return ids, nil
	}
	identity, diags := i.Find(ctx, p, req)
	diags.Append(p.Configured()...)
	if diags.HasError() {
		return importID{}, diags
	}
	projectID, err := p.In(identity.WorkspaceID).FindRunProject(ctx, identity.ID.ValueString())
	if err != nil {
		return importID{}, framework.Failure{Summary: "Cannot read the run"}.Diagnostics(err)
	}
	return importID{identity.WorkspaceID.ValueString(), projectID, identity.ID.ValueString()}, nil
}

type importID struct{ workspaceID, projectID, id string }

// parseImportID reads the IDs and returns them in the service's spelling, so that they don't show as a change.
func parseImportID(text string) (importID, error) {
	parts := strings.Split(text, "/")
	for i, part := range parts {
		id, err := uuid.Parse(part)
		if err != nil {
			parts = nil
			break
		}
		parts[i] = id.String()
	}
	switch len(parts) {
	case 2:
		return importID{projectID: parts[0], id: parts[1]}, nil
	case 3:
		return importID{parts[0], parts[1], parts[2]}, nil
	default:
		return importID{}, fmt.Errorf("%q is neither PROJECT_ID/RUN_ID nor WORKSPACE_ID/PROJECT_ID/RUN_ID, where IDs are UUIDs", text)
	}
}
