package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ResourceSpec describes a resource: its name, its schema, and its operations on models. What it leaves out, the resource doesn't need.
type ResourceSpec[M Identified] struct {
	// Name is the name without the provider's prefix: listener for agentplane_listener.
	Name     string
	Schema   func() schema.Schema
	Importer ResourceImporter
	// Noun is the word for an object in messages, and Label identifies one: thing, "blue" (6f1c…).
	Noun  string
	Label func(m M) string
	// Workspace returns the workspace_id of a model, which plans and refreshes fill in.
	Workspace func(m *M) *types.String
	// Secrets returns the values that logs and messages of the service must not show.
	Secrets func(m M) []string
	// Failure describes a failed operation: create, read, update or delete.
	Failure func(m M, verb string) Failure
	// ImportID returns the import ID of an object with an ID. Default: the ID.
	ImportID func(m M, id string) string

	// Validate finds contradictions in a configuration.
	Validate func(ctx context.Context, config M) diag.Diagnostics
	// Plan completes the plan of a creation or of a change. Without one, nothing has to be completed.
	Plan func(ctx context.Context, planning *Planning[M]) (M, diag.Diagnostics)
	// Unique is the key that only one object can have. Without a Holder, nothing is checked.
	Unique UniqueKey[M]
	// Protection returns the deletion_protection of an object, and Record the facts that a replacement on request needs.
	Protection func(state M) Protection
	Record     func(state M) Record
	// Create returns the created object, and nil if none was created, or if it has stored it itself.
	Create func(ctx context.Context, op *Operation[M]) (*M, diag.Diagnostics)
	// Taken returns the remedy if another object has the key of one that can't be created; empty if that isn't found.
	Taken func(ctx context.Context, op *Operation[M]) string
	// Confirm reads an object that has just been created: the answer to a creation may be that of another one.
	Confirm func(ctx context.Context, op *Operation[M], created M) (M, error)
	// Read returns nil without an error if the object of the state is gone.
	Read func(ctx context.Context, op *Operation[M]) (*M, diag.Diagnostics)
	// Refresh returns the new state of an object. By default, that is the result of Read, which is repeated if the object is gone.
	Refresh func(ctx context.Context, op *Operation[M]) (*M, Presence, diag.Diagnostics)
	// Update returns the object after the change, and nil if nothing has changed it, or if it has stored it itself. If there is nothing to
	// send, it returns the state.
	Update func(ctx context.Context, op *Operation[M]) (*M, diag.Diagnostics)
	// Recreated warns if the object was replaced outside of Terraform by another one with the same key.
	Recreated func(ctx context.Context, op *Operation[M], before, found M) diag.Diagnostics
	// Delete returns no error if the object was already gone.
	Delete func(ctx context.Context, op *Operation[M]) diag.Diagnostics
	// Movers convert objects of other resources.
	Movers []resource.StateMover
}

// NewResource returns the resource of a spec.
func NewResource[M Identified](spec ResourceSpec[M]) resource.Resource {
	return &specified[M]{Resource{Name: spec.Name, NewSchema: spec.Schema}, spec}
}

type specified[M Identified] struct {
	Resource
	spec ResourceSpec[M]
}

var (
	_ resource.ResourceWithConfigure      = (*specified[Identified])(nil)
	_ resource.ResourceWithIdentity       = (*specified[Identified])(nil)
	_ resource.ResourceWithValidateConfig = (*specified[Identified])(nil)
	_ resource.ResourceWithModifyPlan     = (*specified[Identified])(nil)
	_ resource.ResourceWithImportState    = (*specified[Identified])(nil)
	_ resource.ResourceWithMoveState      = (*specified[Identified])(nil)
)

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *specified[M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = r.spec.Importer.IdentitySchema()
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *specified[M]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if r.spec.Validate == nil {
		return
	}
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...) // Unlike Read, it validates the values of types such as durations.
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.spec.Validate(ctx, config)...)
	}
}

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *specified[M]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if Repeat(ctx, req, resp) || req.Plan.Raw.IsNull() && r.spec.Protection == nil {
		return
	}
	op := r.operation("plan", Private{req.Private, resp.Private})
	ctx, diags := op.begin(ctx, tfsdk.State(req.Config), tfsdk.State(req.Plan), req.State)
	resp.Diagnostics.Append(diags...)
	switch {
	case resp.Diagnostics.HasError():
		return
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(op.refuseDestroy(ctx)...)
		return
	}
	planning := &Planning[M]{Operation: op}
	if r.spec.Record != nil && op.State == nil {
		planning.Replaced, diags = takeRecord(ctx, req.Private, resp.Private)
		resp.Diagnostics.Append(diags...)
	}
	workspaceID := r.spec.Workspace(&op.Plan)
	*workspaceID = r.PlannedWorkspace(req.Config, *workspaceID)
	planned := op.Plan
	if r.spec.Plan != nil {
		planned, diags = r.spec.Plan(ctx, planning)
		resp.Diagnostics.Append(diags...)
	}
	resp.Diagnostics.Append(r.spec.Unique.Check(ctx, &r.ProviderData, r.spec.Noun, planned, op.State)...)
	resp.RequiresReplace = planning.RequiresReplace
	if r.spec.Record != nil && op.State != nil {
		record := r.spec.Record(*op.State)
		record.Checked = planning.Checked
		resp.Diagnostics.Append(record.save(ctx, resp.Private)...)
	}
	resp.Diagnostics.Append(WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, op.planned, withWriteOnly(tfsdk.State(req.Plan), planned, op.planned))...)
}

func (r *specified[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	op := r.operation("create", Private{resp.Private, resp.Private})
	resp.Diagnostics.Append(r.Configured()...)
	ctx, diags := op.begin(ctx, tfsdk.State(req.Config), tfsdk.State(req.Plan), tfsdk.State{})
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	op.stored = StateWriter{State: &resp.State, Identity: resp.Identity}
	created, diags := r.spec.Create(ctx, op)
	resp.Diagnostics.Append(diags...)
	if created == nil {
		return
	}
	resp.Diagnostics.Append(op.Store(ctx, KeepPlanned(ctx, op.planned, *created))...)
	made := *created
	resp.Diagnostics.Append(op.Confirm(ctx, created)...)
	resp.Diagnostics.Append(op.overtaken(ctx, made, *created)...)
}

func (r *specified[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if Repeat(ctx, req, resp) {
		return
	}
	op := r.operation("read", Private{req.Private, resp.Private})
	ctx, diags := op.begin(ctx, tfsdk.State{}, tfsdk.State{}, req.State)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || op.State == nil {
		return
	}
	found, presence := op.State, NotShown
	if r.Client != nil { // Otherwise this is a plan, which keeps the last known state.
		found, presence, diags = op.refresh(ctx)
		resp.Diagnostics.Append(diags...)
	}
	stored := StateWriter{State: &resp.State, Identity: resp.Identity}
	switch {
	case diags.HasError():
	case presence == NotShown:
		resp.Diagnostics.Append(stored.Write(ctx, *op.State)...)
	case presence == Gone:
		resp.Diagnostics.Append(stored.Remove(ctx, *op.State, resp.Private)...)
	default:
		workspaceID := r.spec.Workspace(found)
		*workspaceID = r.KnownWorkspace(*workspaceID)
		resp.Diagnostics.Append(MarkSeen(ctx, resp.Private)...)
		resp.Diagnostics.Append(dropRecord(ctx, resp.Private)...)
		resp.Diagnostics.Append(op.recreated(ctx, *op.State, *found)...)
		resp.Diagnostics.Append(WriteChanged(ctx, resp.State.Schema, &resp.State.Raw, *op.State, *found)...)
		resp.Diagnostics.Append(stored.WriteIdentity(ctx, *found)...)
	}
}

func (r *specified[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	op := r.operation("update", Private{req.Private, resp.Private})
	resp.Diagnostics.Append(r.Configured()...)
	ctx, diags := op.begin(ctx, tfsdk.State(req.Config), tfsdk.State(req.Plan), req.State)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(dropRecord(ctx, resp.Private)...)
	op.stored = StateWriter{State: &resp.State, Identity: resp.Identity}
	updated, diags := r.spec.Update(ctx, op)
	resp.Diagnostics.Append(diags...)
	if updated == nil {
		return
	}
	resp.Diagnostics.Append(op.Store(ctx, KeepPlanned(ctx, op.planned, *updated))...)
	if !EqualModels(*updated, *op.State) { // Otherwise nothing was read.
		resp.Diagnostics.Append(op.overtaken(ctx, *op.State, *updated)...)
	}
}

func (r *specified[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if r.spec.Delete == nil { // The object only leaves the state.
		return
	}
	op := r.operation("delete", Private{req.Private, resp.Private})
	resp.Diagnostics.Append(r.Configured()...)
	ctx, diags := op.begin(ctx, tfsdk.State{}, tfsdk.State{}, req.State)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(op.refuseDestroy(ctx)...) // The plan of a tainted object doesn't have its state.
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.spec.Delete(ctx, op)...)
	}
}

// ImportState implements resource.ResourceWithImportState.
func (r *specified[M]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.spec.Importer.Import(ctx, &r.ProviderData, req, resp)
}

// MoveState implements resource.ResourceWithMoveState.
func (r *specified[M]) MoveState(context.Context) []resource.StateMover { return r.spec.Movers }

func (r *specified[M]) operation(verb string, private Private) *Operation[M] {
	return &Operation[M]{ProviderData: &r.ProviderData, Private: private, Verb: verb, spec: &r.spec}
}
