package framework

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// ResourceSpec is a resource: its name, its schema, and what its operations do with models. It suits objects that are there
// as soon as the service has answered. A noun that stores its state in steps, or keeps something in the private state,
// embeds IdentifiedResource and implements the operations itself.
type ResourceSpec[M Identified] struct {
	// Name follows that of the provider: agentplane_listener has listener.
	Name     string
	Schema   func() schema.Schema
	Importer ResourceImporter
	// Noun is what messages call an object, and Label which one it is: thing, "blue" (6f1c…).
	Noun  string
	Label func(state M) string
	// Plan completes what is planned.
	Plan func(ctx context.Context, provider *ProviderData, planning Planning[M]) (M, diag.Diagnostics)
	// Create returns the object that the service has made, and nil if it has made none.
	Create func(ctx context.Context, provider *ProviderData, plan, config M) (*M, diag.Diagnostics)
	// Read returns nil without an error where the object is gone.
	Read func(ctx context.Context, provider *ProviderData, state M) (*M, diag.Diagnostics)
	// Update returns the object as it is after the change, and nil if nothing has changed it. With nothing to send, that is
	// the state.
	Update func(ctx context.Context, provider *ProviderData, plan, state, config M) (*M, diag.Diagnostics)
	// Delete has no error where the object was gone already.
	Delete func(ctx context.Context, provider *ProviderData, state M) diag.Diagnostics
}

// Planning is the plan of a creation or of a change, so far.
type Planning[M any] struct {
	Plan M
	// State is nil where the plan is to create.
	State *M
	// Replaces says that the schema asks for a replacement already.
	Replaces bool
}

// NewResource is the resource of a spec.
func NewResource[M Identified](spec ResourceSpec[M]) resource.Resource {
	return &specified[M]{IdentifiedResource{Resource{Name: spec.Name, NewSchema: spec.Schema}, spec.Importer}, spec}
}

type specified[M Identified] struct {
	IdentifiedResource
	spec ResourceSpec[M]
}

var (
	_ resource.ResourceWithConfigure   = (*specified[Identified])(nil)
	_ resource.ResourceWithIdentity    = (*specified[Identified])(nil)
	_ resource.ResourceWithModifyPlan  = (*specified[Identified])(nil)
	_ resource.ResourceWithImportState = (*specified[Identified])(nil)
)

// ModifyPlan implements resource.ResourceWithModifyPlan.
func (r *specified[M]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	planning := Planning[M]{Replaces: len(resp.RequiresReplace) > 0}
	plan, state, diags := ReadPlan[M](ctx, req.Plan, req.State)
	planning.Plan = plan
	if !req.State.Raw.IsNull() {
		planning.State = &state
	}
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned, diags := r.spec.Plan(ctx, &r.ProviderData, planning)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, planning.Plan, planned)...)
}

func (r *specified[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config M
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	created, diags := r.spec.Create(ctx, &r.ProviderData, plan, config)
	resp.Diagnostics.Append(diags...)
	if created != nil {
		stored := StateWriter{State: &resp.State, Identity: resp.Identity}
		resp.Diagnostics.Append(stored.Write(ctx, KeepPlanned(ctx, plan, *created))...)
	}
}

func (r *specified[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	stored := StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return
	}
	found, diags := r.spec.Read(ctx, &r.ProviderData, state)
	resp.Diagnostics.Append(diags...)
	switch {
	case found != nil:
		resp.Diagnostics.Append(stored.Write(ctx, *found)...)
	case !diags.HasError():
		resp.Diagnostics.Append(r.gone(state))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
	}
}

// gone says that an object was removed by somebody else.
func (r *specified[M]) gone(state M) diag.Diagnostic {
	noun := strings.ToUpper(r.spec.Noun[:1]) + r.spec.Noun[1:]
	return diag.NewWarningDiagnostic(noun+" is gone", fmt.Sprintf("%s %s no longer exists. It is removed from the state. "+
		"The next apply creates it again, with another ID, unless you also remove it from the configuration.", noun, r.spec.Label(state)))
}

func (r *specified[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config M
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	updated, diags := r.spec.Update(ctx, &r.ProviderData, plan, state, config)
	resp.Diagnostics.Append(diags...)
	if updated != nil {
		stored := StateWriter{State: &resp.State, Identity: resp.Identity}
		resp.Diagnostics.Append(stored.Write(ctx, KeepPlanned(ctx, plan, *updated))...)
	}
}

func (r *specified[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state M
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.spec.Delete(ctx, &r.ProviderData, state)...)
}
