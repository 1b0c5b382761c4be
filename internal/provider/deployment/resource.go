package deployment

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const (
	defaultReadTimeout  = 5 * time.Minute
	defaultWriteTimeout = 30 * time.Minute
)

var (
	_ resource.ResourceWithConfigure      = (*deploymentResource)(nil)
	_ resource.ResourceWithIdentity       = (*deploymentResource)(nil)
	_ resource.ResourceWithValidateConfig = (*deploymentResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*deploymentResource)(nil)
	_ resource.ResourceWithImportState    = (*deploymentResource)(nil)
	_ resource.ResourceWithMoveState      = (*deploymentResource)(nil)
)

// NewResource is the resource agentplane_deployment.
func NewResource() resource.Resource {
	return &deploymentResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "deployment", NewSchema: deploymentSchema}, Importer: importer,
	}}
}

func (r *deploymentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(framework.Read(ctx, req.Plan.Schema, req.Plan.Raw, &plan)...)
	resp.Diagnostics.Append(framework.Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	plan.SecretsWO = config.SecretsWO
	request, diags := plan.toCreate()
	request = explicit(r.dialect(), request)
	resp.Diagnostics.Append(diags...)
	limit, diags := plan.Timeouts.Create(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	unlimited := framework.MaskSecrets(ctx, request.Secrets)
	ctx, cancel := context.WithTimeout(unlimited, limit)
	defer cancel()

	start := r.Now()
	created, adopted, err := r.writer(plan.WorkspaceID).create(ctx, limit, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(ctx, plan, request.Secrets, err)...)
		return
	}
	resp.Diagnostics.Append(r.MarkUnseen(ctx, resp.Private)...)
	k := stateWriter{StateWriter: framework.StateWriter{State: &resp.State, Identity: resp.Identity}, plan: plan, config: config, client: r.Client}
	k.prints = fingerprints{Spec: plan.specRecord()}.accepted(plan, request.Secrets, created.Secrets)
	resp.Diagnostics.Append(k.prints.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(k.keep(ctx, *created, api.Revision{})...)
	if resp.Diagnostics.HasError() {
		return
	}
	resend := adopted && unreadable(request.Secrets, created.Secrets)
	created, diags = r.complete(ctx, plan, *created, resend, r.left(start, limit))
	resp.Diagnostics.Append(diags...)
	later, diags := r.tierCreated(ctx, plan, config, created, r.left(start, limit))
	resp.Diagnostics.Append(diags...)
	w := r.follow(plan, *created, start)
	w.Shown = adopted // By a list.
	seen, diags := r.finishCreate(unlimited, k, w, *created, later, start, limit)
	resp.Diagnostics.Append(diags...)
	if seen {
		resp.Diagnostics.Append(framework.MarkSeen(ctx, resp.Private)...)
	}
}

func (r *deploymentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	k := stateWriter{StateWriter: framework.StateWriter{State: &resp.State, Identity: resp.Identity}, stored: state}
	if r.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(k.set(ctx, state)...)
		return
	}
	limit, diags := state.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	prints, diags := loadFingerprints(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(framework.MaskSecrets(ctx, state.toSecrets()), limit)
	defer cancel()

	found, presence, diags := r.look(ctx, state, req.Private)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
		return
	case presence == framework.Gone:
		framework.SharedMap(r.Memo, removedNames(r.In(state.WorkspaceID))).Store(state.Name.ValueString(), true)
		resp.Diagnostics.Append(k.Remove(ctx, state, resp.Private)...)
		return
	case presence == framework.NotShown:
		resp.Diagnostics.Append(k.set(ctx, state)...)
		return
	}
	resp.Diagnostics.Append(framework.MarkSeen(ctx, resp.Private)...)
	resp.Diagnostics.Append(framework.DropRecord(ctx, resp.Private)...)
	prints = prints.holding(found.deployment.Secrets)
	resp.Diagnostics.Append(prints.save(ctx, resp.Private)...)
	refreshed, diags := newModel(state, found.deployment, found.status, prints)
	resp.Diagnostics.Append(diags...)
	refreshed.WorkspaceID = r.KnownWorkspace(refreshed.WorkspaceID)
	if state.Name.IsNull() { // An import.
		refreshed = refreshed.adoptImported(r.dialect())
	}
	resp.Diagnostics.Append(k.set(ctx, refreshed.withDashboardURL(r.Client))...)
}

func (r *deploymentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(framework.Read(ctx, req.Plan.Schema, req.Plan.Raw, &plan)...)
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	resp.Diagnostics.Append(framework.Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	plan.SecretsWO = config.SecretsWO
	prints, diags := loadFingerprints(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := plan.Timeouts.Update(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	unlimited := framework.MaskSecrets(ctx, plan.toSecrets())
	ctx, cancel := context.WithTimeout(unlimited, limit)
	defer cancel()
	k := stateWriter{
		StateWriter: framework.StateWriter{State: &resp.State, Identity: resp.Identity}, plan: plan, prints: prints, client: r.Client,
		config: config, state: state, priorPrints: prints, private: resp.Private,
	}

	start := r.Now()
	c, diags := r.changeTo(ctx, plan, state, prints)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(framework.DropRecord(ctx, resp.Private)...)
	k.prints = prints.declaring(plan)
	k.plan.EnvironmentNames = plan.namesAfter(prints)
	k.plan.RevisionReasons = framework.PlannedOr(plan.RevisionReasons, state.reasonsAfter(c))
	if !c.request() && !c.resume {
		resp.Diagnostics.Append(k.prints.save(ctx, resp.Private)...)
		resp.Diagnostics.Append(k.set(ctx, kept(ctx, k.plan, state))...)
		return
	}
	proof, secrets, diags := r.write(ctx, limit, plan, state, prints, c)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if c.variables() {
		k.prints = prints.accepted(plan, secrets, proof.Deployment.Secrets)
	}
	if c.resourceSpec.any() {
		k.prints.Spec = plan.specRecord()
	}
	resp.Diagnostics.Append(k.prints.save(ctx, resp.Private)...)
	k.change, k.proof = c, proof
	resp.Diagnostics.Append(r.finishUpdate(unlimited, k, *proof, start, limit)...)
}

func (r *deploymentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	limit, diags := state.Timeouts.Delete(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	unlimited := framework.MaskSecrets(ctx, state.toSecrets())
	ctx, cancel := context.WithTimeout(unlimited, limit)
	defer cancel()
	// The plan of a tainted deployment doesn't have its state.
	resp.Diagnostics.Append(r.unlessGone(ctx, state, req.Private, state.protection().RefuseDestroy())...)
	if resp.Diagnostics.HasError() {
		return
	}
	options, diags := r.deleteOptions(ctx, state)
	resp.Diagnostics.Append(diags...)
	if err := r.writer(state.WorkspaceID).delete(unlimited, limit, state.ID.ValueString(), options...); err != nil {
		resp.Diagnostics.Append(state.failure("delete").Diagnostics(err)...)
	}
}

var importer = framework.Importer{
	TypeName: "agentplane_deployment", Noun: "deployment", Example: "name:chat",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		var ids []string
		for deployment, err := range p.In(workspaceID).ListDeployments(ctx, client.DeploymentFilter{Name: name}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, deployment.ID)
		}
		return ids, nil
	},
}
