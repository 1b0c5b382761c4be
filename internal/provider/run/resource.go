package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewResource is the resource agentplane_llm_run. Destroying it only removes the run from the state.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[llmRunModel]{
		Name: "llm_run", Noun: "run", Schema: llmRunSchema, Importer: importer,
		Label:     func(m llmRunModel) string { return m.ID.ValueString() },
		Workspace: func(m *llmRunModel) *types.String { return &m.WorkspaceID },
		Validate:  func(_ context.Context, config llmRunModel) diag.Diagnostics { return config.validate() },
		Plan:      plan, Create: create, Refresh: refresh, Update: update,
	})
}

// plan plans an update for a run that has not been seen yet.
func plan(_ context.Context, planning *framework.Planning[llmRunModel]) (llmRunModel, diag.Diagnostics) {
	if planning.State != nil && planning.State.Status.IsNull() {
		return planning.Plan.unseen(), nil
	}
	return planning.Plan, nil
}

func create(ctx context.Context, op *framework.Operation[llmRunModel]) (*llmRunModel, diag.Diagnostics) {
	logged, unseen, diags := log(ctx, op, uuid.Must(uuid.NewV7()))
	// An error would taint the resource, and the next apply would log another run.
	return logged, append(diags, framework.AsWarnings(unseen)...)
}

// refresh reads the results until the service has processed the run: a run is a record, which does not change after its end, and a
// thousand of them would need a thousand requests. If the run is gone or can't be read, the state stays unchanged: a run prevents
// neither a plan nor a destruction.
func refresh(ctx context.Context, op *framework.Operation[llmRunModel]) (*llmRunModel, framework.Presence, diag.Diagnostics) {
	state := *op.State
	if state.ProjectID.IsNull() || state.isProcessed() {
		return &state, framework.Shown, nil
	}
	c, imported, selects := op.In(state.WorkspaceID), state.InputsJSON.IsNull(), fields
	if imported {
		selects = slices.Concat(fields, contentFields)
	}
	run, err := c.GetRun(ctx, state.ProjectID.ValueString(), state.ID.ValueString(), selects...)
	var diags diag.Diagnostics
	switch {
	case client.IsNotFound(err) && imported:
		return nil, framework.Gone, nil
	case client.IsNotFound(err):
		return &state, framework.Shown, nil
	case err != nil:
		diags = framework.Failure{Summary: "Cannot read the run"}.Diagnostics(err)
		if !imported {
			diags = framework.AsWarnings(diags, "What the state has of it stays as it is.")
		}
		return &state, framework.Shown, diags
	case imported:
		state.logModel, diags = newLogModel(state.logModel, *run)
	case state.Status.IsNull() && !state.hasProcessed(*run, op.Now()):
		return &state, framework.Shown, nil // The next apply waits for it.
	}
	if state.Status.IsNull() { // The run has not been seen yet.
		state.URL = address(ctx, c, *run)
	}
	state, more := state.withResults(*run)
	return &state, framework.Shown, append(diags, more...)
}

// update repeats a run that has not been seen yet, and waits for it. Otherwise there is nothing to send: every other change replaces.
func update(ctx context.Context, op *framework.Operation[llmRunModel]) (*llmRunModel, diag.Diagnostics) {
	if !op.Plan.Status.IsUnknown() {
		return op.State, nil
	}
	id, err := uuid.Parse(op.Plan.ID.ValueString())
	if err != nil {
		return nil, framework.NewError("Cannot log the run", "The ID %q in the state is not a UUID: %s.", op.Plan.ID.ValueString(), err)
	}
	logged, unseen, diags := log(ctx, op, id)
	return logged, append(diags, unseen...)
}

// log logs the run of a plan under an ID, so that repeated requests log it once, and returns it with the results. unseen says why it could not
// be found in the service; it is logged all the same.
func log(ctx context.Context, op *framework.Operation[llmRunModel], id uuid.UUID) (result *llmRunModel, unseen, diags diag.Diagnostics) {
	limit, _ := op.Plan.Timeouts.Create(ctx, defaultTimeout) // A validator has refused what isn't a duration.
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, start := op.In(op.Plan.WorkspaceID), op.Now()
	sent, diags := op.Plan.log(limited, c, id, start, "timeouts.create")
	if diags.HasError() {
		return nil, nil, diags
	}
	run, err := sent.process(ctx, c, op.Policy(), limit-op.Now().Sub(start))
	logged := op.Plan.logged(sent)
	if err != nil {
		return &logged, sent.notProcessed(err, "The next apply resumes waiting, or sends it again with the same ID, which logs no "+
			"second run."), diags
	}
	logged, more := logged.withResults(run)
	logged.URL = address(ctx, c, run)
	return &logged, nil, append(diags, more...)
}

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
			return ids, framework.NewError("Invalid import ID", "%s. The data source agentplane_runs lists the IDs of a project and its runs.", err)
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
