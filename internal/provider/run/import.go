package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// ImportState implements resource.ResourceWithImportState: by PROJECT_ID/RUN_ID, optionally prefixed with the workspace.
func (r *llmRunResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids, err := parseImportID(req.ID)
	if err != nil {
		resp.Diagnostics.AddError("Invalid import ID",
			fmt.Sprintf("%s. The data source agentplane_runs lists the IDs of a project and its runs.", err))
		return
	}
	if ids.workspaceID == "" && r.Client != nil {
		ids.workspaceID = r.Client.WorkspaceID()
	}
	for name, id := range map[string]string{"workspace_id": ids.workspaceID, "project_id": ids.projectID, "id": ids.id, "trace_id": ids.id} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), framework.StringOrNull(id))...)
	}
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
