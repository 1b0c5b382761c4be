package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// ResourceSpec describes a resource: its name, its schema, and its operations on models. It suits objects that exist as soon as the
// service has responded. A resource that stores its state in several steps, or uses the private state, embeds IdentifiedResource and
// implements the operations itself.
type ResourceSpec[M Identified] struct {
	// Name is the name without the provider's prefix: listener for agentplane_listener.
	Name     string
	Schema   func() schema.Schema
	Importer ResourceImporter
	// Noun is the word for an object in messages, and Label identifies one: thing, "blue" (6f1c…).
	Noun  string
	Label func(state M) string
	// Plan completes the plan.
	Plan func(ctx context.Context, provider *ProviderData, planning Planning[M]) (M, diag.Diagnostics)
	// Unique is the key that only one object can have; without a Holder if there is none.
	Unique UniqueKey[M]
	// Create returns the created object, and nil if none was created.
	Create func(ctx context.Context, provider *ProviderData, plan, config M) (*M, diag.Diagnostics)
	// Confirm reads an object that has just been created: the answer to a creation may be that of another one.
	Confirm func(ctx context.Context, provider *ProviderData, created M) (M, error)
	// Read returns nil without an error if the object is gone.
	Read func(ctx context.Context, provider *ProviderData, state M) (*M, diag.Diagnostics)
	// Update returns the object after the change, and nil if nothing has changed it. If there is nothing to send, it returns the state.
	Update func(ctx context.Context, provider *ProviderData, plan, state, config M) (*M, diag.Diagnostics)
	// Delete returns no error if the object was already gone.
	Delete func(ctx context.Context, provider *ProviderData, state M) diag.Diagnostics
}

// Planning is the plan of a creation or of a change so far.
type Planning[M any] struct {
	Config tfsdk.Config
	Plan   M
	// State is nil for a creation.
	State *M
}

// NewResource returns the resource of a spec.
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
	planning := Planning[M]{Config: req.Config}
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
	resp.Diagnostics.Append(r.spec.Unique.Check(ctx, &r.ProviderData, r.spec.Noun, planned, planning.State)...)
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
		resp.Diagnostics.Append(r.confirm(ctx, created, resp.Private)...)
		resp.Diagnostics.Append(Overtaken(ctx, r.label(*created), config, plan, *created)...)
	}
}

// label names an object at the start of a sentence.
func (r *specified[M]) label(m M) string { return capital(r.spec.Noun) + " " + r.spec.Label(m) }

// confirm replaces what the creation returned with what a read shows.
func (r *specified[M]) confirm(ctx context.Context, created *M, private PrivateWriter) diag.Diagnostics {
	return r.AwaitShown(ctx, private, r.label(*created), func(ctx context.Context) error {
		shown, err := r.spec.Confirm(ctx, &r.ProviderData, *created)
		if err == nil {
			*created = shown
		}
		return err
	})
}

func (r *specified[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	Refresh(ctx, &r.ProviderData, req, resp, r.spec.Noun, r.spec.Label, r.spec.Read)
}

// Refresh reads the object of a state, a second time if it is gone, and stores what that shows. It returns the state before and the object;
// nil if the state is kept or removed. noun and label are the object's words in messages, and read returns nil without an error if it is gone.
func Refresh[M Identified](
	ctx context.Context, p *ProviderData, req resource.ReadRequest, resp *resource.ReadResponse, noun string, label func(state M) string,
	read func(ctx context.Context, p *ProviderData, state M) (*M, diag.Diagnostics),
) (state M, found *M) {
	stored := StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	if resp.Diagnostics.HasError() {
		return state, nil
	}
	if p.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return state, nil
	}
	found, presence, diags := LookTwice(ctx, p, req.Private, noun, label(state), Finding(state, read))
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
	case presence == NotShown:
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
	case presence == Gone:
		resp.Diagnostics.Append(stored.Remove(ctx, state, resp.Private)...)
	default:
		resp.Diagnostics.Append(MarkSeen(ctx, resp.Private)...)
		resp.Diagnostics.Append(DropRecord(ctx, resp.Private)...)
		resp.Diagnostics.Append(stored.Write(ctx, *found)...)
		return state, found
	}
	return state, nil
}

// Finding looks for the object of a state with a function that reads it, and returns nil without an error if it is gone.
func Finding[M any](state M, read func(ctx context.Context, p *ProviderData, state M) (*M, diag.Diagnostics)) Look[*M] {
	return func(ctx context.Context, p *ProviderData) (*M, string, diag.Diagnostics) {
		found, diags := read(ctx, p, state)
		if found == nil && !diags.HasError() {
			return nil, Missing, diags
		}
		return found, "", diags
	}
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
		if !equalModels(*updated, state) { // Otherwise nothing was read.
			resp.Diagnostics.Append(Overtaken(ctx, r.label(*updated), config, plan, *updated)...)
		}
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
