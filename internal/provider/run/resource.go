package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type llmRunResource struct{ framework.IdentifiedResource }

var (
	_ resource.ResourceWithConfigure      = (*llmRunResource)(nil)
	_ resource.ResourceWithIdentity       = (*llmRunResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*llmRunResource)(nil)
	_ resource.ResourceWithImportState    = (*llmRunResource)(nil)
	_ resource.ResourceWithValidateConfig = (*llmRunResource)(nil)
)

// NewResource is the resource agentplane_llm_run.
func NewResource() resource.Resource {
	return &llmRunResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "llm_run", NewSchema: llmRunSchema}, Importer: importer,
	}}
}

func (r *llmRunResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config llmRunModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate()...)
	}
}

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace, and plans an update for a run that has
// not been seen yet.
func (r *llmRunResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned llmRunModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned.WorkspaceID = r.PlannedWorkspace(req.Config, planned.WorkspaceID)
	if !req.State.Raw.IsNull() {
		var state llmRunModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if state.Status.IsNull() {
			planned = planned.unseen()
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
}

func (r *llmRunResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan llmRunModel
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	unseen, diags := r.log(ctx, plan, uuid.Must(uuid.NewV7()), stored)
	resp.Diagnostics.Append(diags...)
	// An error would taint the resource, and the next apply would log another run.
	resp.Diagnostics.Append(framework.AsWarnings(unseen)...)
}

// Read reads the results until the service has processed the run: a run is a record, which nobody changes after its end, and a
// thousand of them would need a thousand requests. If the run is gone or can't be read, the state stays unchanged: a run prevents
// neither a plan nor a destruction.
func (r *llmRunResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state llmRunModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(stored.WriteIdentity(ctx, state)...)
	if resp.Diagnostics.HasError() || r.Client == nil || state.ProjectID.IsNull() || state.isProcessed() {
		return
	}
	c, imported, selects := r.In(state.WorkspaceID), state.InputsJSON.IsNull(), fields
	if imported {
		selects = slices.Concat(fields, contentFields)
	}
	run, err := c.GetRun(ctx, state.ProjectID.ValueString(), state.ID.ValueString(), selects...)
	switch {
	case client.IsNotFound(err):
		if imported {
			resp.Diagnostics.Append(framework.Leave(ctx, &resp.State, resp.Private)...)
		}
		return
	case err != nil:
		diags := framework.Failure{Summary: "Cannot read the run"}.Diagnostics(err)
		if !imported {
			diags = framework.AsWarnings(diags, "What the state has of it stays as it is.")
		}
		resp.Diagnostics.Append(diags...)
		return
	case imported:
		said, diags := newLogModel(state.logModel, *run)
		resp.Diagnostics.Append(diags...)
		state.logModel = said
	case state.Status.IsNull() && !state.hasProcessed(*run, r.Now()):
		return // The next apply waits for it.
	}
	if state.Status.IsNull() { // The run has not been seen yet.
		state.URL = address(ctx, c, *run)
	}
	state, diags := state.withResults(*run)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(stored.Write(ctx, state)...)
}

// Update repeats a run that has not been seen yet, and waits for it. Otherwise there is nothing to send: every other
// change replaces.
func (r *llmRunResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan llmRunModel
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	if !plan.Status.IsUnknown() {
		resp.Diagnostics.Append(stored.Write(ctx, plan)...)
		return
	}
	id, err := uuid.Parse(plan.ID.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot log the run", fmt.Sprintf("The ID %q in the state is not a UUID: %s.", plan.ID.ValueString(), err))
		return
	}
	unseen, diags := r.log(ctx, plan, id, stored)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(unseen...)
}

// Delete only removes the run from the state, which the framework does.
func (r *llmRunResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// log logs the run under an ID, so that repeated requests log it once, and stores the results. As soon as the run may have
// arrived, it is in the state. unseen says why it could not be found in the service.
func (r *llmRunResource) log(ctx context.Context, plan llmRunModel, id uuid.UUID, stored framework.StateWriter) (unseen, diags diag.Diagnostics) {
	limit, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	if diags.HasError() {
		return nil, diags
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, start := r.In(plan.WorkspaceID), r.Now()
	sent, more := plan.log(limited, c, id, start, "timeouts.create")
	diags.Append(more...)
	if diags.HasError() {
		return nil, diags
	}
	plan = plan.logged(sent)
	diags.Append(stored.Write(ctx, plan)...)
	run, err := sent.process(ctx, c, r.Policy(), limit-r.Now().Sub(start))
	if err != nil {
		plan.ProjectID = framework.StringOrNull(sent.projectID) // For the next refresh.
		diags.Append(stored.Write(ctx, plan)...)
		return sent.notProcessed(err, "The next apply resumes waiting, or sends it again with the same ID, which logs no "+
			"second run."), diags
	}
	plan, more = plan.withResults(run)
	diags.Append(more...)
	plan.URL = address(ctx, c, run)
	diags.Append(stored.Write(ctx, plan)...)
	return nil, diags
}
