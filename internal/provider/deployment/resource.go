package deployment

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
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

// deploymentResource implements agentplane_deployment.
type deploymentResource struct{ framework.IdentifiedResource }

// NewResource is the resource agentplane_deployment.
func NewResource() resource.Resource {
	return &deploymentResource{framework.IdentifiedResource{
		Resource: framework.Resource{Name: "deployment", NewSchema: deploymentSchema}, Importer: importer,
	}}
}

func (r *deploymentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, config, diags := r.readPlan(ctx, req.Plan, req.Config)
	resp.Diagnostics.Append(diags...)
	request, diags := plan.toCreate()
	resp.Diagnostics.Append(diags...)
	limit, diags := plan.Timeouts.Create(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	start := r.Now()
	ctx = framework.MaskSecrets(ctx, request.Secrets)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	created, adopted, err := r.writer(plan.WorkspaceID).create(limited, limit, request)
	if err != nil {
		resp.Diagnostics.Append(r.notCreated(limited, plan, request.Secrets, err)...)
		return
	}
	a := apply{client: r.Client, plan: plan, config: config}
	a.prints = fingerprints{Spec: plan.specRecord()}.accepted(plan, request.Secrets, created.Secrets)
	state := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	stored := a.stored(ctx, *created, api.Revision{})
	resp.Diagnostics.Append(r.MarkUnseen(ctx, resp.Private)...)
	resp.Diagnostics.Append(state.save(ctx, stored, a.prints)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resend := adopted && unreadable(request.Secrets, created.Secrets)
	completed, diags := r.complete(limited, plan, *created, resend, r.left(start, limit))
	resp.Diagnostics.Append(diags...)
	later, diags := r.setTiersNow(limited, plan, config, created.ID, r.left(start, limit))
	resp.Diagnostics.Append(diags...)

	shown := adopted // A list has returned it.
	o := follow(ctx, r.rollout(plan.WorkspaceID, completed, shown), plan.WaitForDeployed.ValueBool(), completed, "", start, limit)
	if later.any() {
		a.config.DeploymentTier, a.config.ComputeTier, a.config.DatabaseTier = types.StringNull(), types.StringNull(), types.StringNull()
	}
	stored, prints, diags := a.diagnose(ctx, o)
	if later.any() && !diags.HasError() {
		var d diag.Diagnostics
		stored, d = r.setTiersLater(limited, a, o, later, r.left(start, limit))
		diags.Append(d...)
	}
	if o.deleted {
		resp.State.RemoveResource(ctx)
	} else {
		diags.Append(state.save(ctx, stored, prints)...)
		if a.keeps() || !o.taints() {
			diags = framework.AsWarnings(diags)
		}
		if o.unread == nil {
			diags.Append(framework.MarkSeen(ctx, resp.Private)...)
		}
	}
	resp.Diagnostics.Append(diags...)
}

func (r *deploymentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	limit, diags := state.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	prints, diags := loadFingerprints(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	to := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	if r.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(to.WriteIdentity(ctx, state)...)
		return
	}
	ctx, cancel := context.WithTimeout(framework.MaskSecrets(ctx, state.toSecrets()), limit)
	defer cancel()

	found, status, presence, diags := r.read(ctx, state, req.Private)
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
		return
	case presence == framework.Gone:
		framework.SharedMap(r.Memo, removedNames(r.In(state.WorkspaceID))).Store(state.Name.ValueString(), true)
		resp.Diagnostics.Append(to.Remove(ctx, state, resp.Private)...)
		return
	case presence == framework.NotShown:
		resp.Diagnostics.Append(to.WriteIdentity(ctx, state)...)
		return
	}
	resp.Diagnostics.Append(framework.MarkSeen(ctx, resp.Private)...)
	resp.Diagnostics.Append(framework.DropRecord(ctx, resp.Private)...)
	prints = prints.holding(found.Secrets)
	resp.Diagnostics.Append(prints.save(ctx, resp.Private)...)
	refreshed := newModel(state, *found, status, prints)
	refreshed.WorkspaceID = r.KnownWorkspace(refreshed.WorkspaceID)
	if state.Name.IsNull() { // An import.
		refreshed = refreshed.adoptImported(r.dialect())
	}
	refreshed = refreshed.withDashboardURL(r.Client)
	resp.Diagnostics.Append(framework.WriteChanged(ctx, resp.State.Schema, &resp.State.Raw, state, refreshed)...)
	resp.Diagnostics.Append(to.WriteIdentity(ctx, refreshed)...)
}

func (r *deploymentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, config, diags := r.readPlan(ctx, req.Plan, req.Config)
	resp.Diagnostics.Append(diags...)
	var state model
	resp.Diagnostics.Append(framework.Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	prints, diags := loadFingerprints(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	limit, diags := plan.Timeouts.Update(ctx, defaultWriteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	start := r.Now()
	ctx = framework.MaskSecrets(ctx, plan.toSecrets())
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	c, diags := r.changeTo(limited, plan, state, prints)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(framework.DropRecord(ctx, resp.Private)...)
	to := stateWriter{framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Private}
	plan.EnvironmentNames = plan.namesAfter(prints)
	plan.RevisionReasons = framework.PlannedOr(plan.RevisionReasons, state.reasonsAfter(c))
	a := apply{client: r.Client, plan: plan, config: config, prints: prints.declaring(plan)}
	if !c.request() && !c.resume {
		resp.Diagnostics.Append(to.save(ctx, applied(ctx, plan, state), a.prints)...)
		return
	}
	proof, secrets, diags := r.write(limited, limit, plan, state, prints, c)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if c.variables() {
		a.prints = prints.accepted(plan, secrets, proof.Deployment.Secrets)
	}
	if c.resourceSpec.any() {
		a.prints.Spec = plan.specRecord()
	}
	resp.Diagnostics.Append(a.prints.save(ctx, resp.Private)...)
	a.updated = &updated{state: state, priorPrints: prints, change: c, proof: *proof}

	o := r.followUpdate(ctx, a, start, limit)
	stored, prints, diags := a.diagnose(ctx, o)
	resp.Diagnostics.Append(diags...)
	if !o.deleted {
		resp.Diagnostics.Append(to.save(ctx, stored, prints)...)
	}
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
	ctx = framework.MaskSecrets(ctx, state.toSecrets())
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// The plan of a tainted deployment doesn't have its state.
	resp.Diagnostics.Append(r.unlessGone(limited, state, req.Private, state.protection().RefuseDestroy())...)
	if resp.Diagnostics.HasError() {
		return
	}
	options, diags := r.deleteOptions(limited, state)
	resp.Diagnostics.Append(diags...)
	if err := r.writer(state.WorkspaceID).delete(ctx, limit, state.ID.ValueString(), options...); err != nil {
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

// readPlan returns the planned deployment, and what is configured of it. Only the configuration has the write-only map; of everything else
// that it sets, the plan has another value where ignore_changes applies.
func (r *deploymentResource) readPlan(ctx context.Context, plan tfsdk.Plan, configuration tfsdk.Config) (planned, config model, _ diag.Diagnostics) {
	diags := r.Configured()
	diags.Append(framework.Read(ctx, plan.Schema, plan.Raw, &planned)...)
	diags.Append(framework.Read(ctx, configuration.Schema, asPlanned(configuration.Raw, plan.Raw), &config)...)
	diags.Append(configuration.GetAttribute(ctx, path.Root("secrets_wo"), &config.SecretsWO)...)
	planned.SecretsWO = config.SecretsWO
	return planned, config, diags
}

// asPlanned returns the planned values of what a configuration sets.
func asPlanned(config, plan tftypes.Value) tftypes.Value {
	var set, planned map[string]tftypes.Value
	switch {
	case config.IsNull() || !plan.IsKnown():
		return config
	case plan.IsNull() || !config.Type().Is(tftypes.Object{}) || config.As(&set) != nil || plan.As(&planned) != nil:
		return plan
	}
	values := make(map[string]tftypes.Value, len(set))
	for name, value := range set {
		values[name] = asPlanned(value, planned[name])
	}
	return tftypes.NewValue(config.Type(), values)
}

// writer sends changes of a deployment, and waits while another change is in progress or while a deployment of the same
// name is still being deleted.
type writer struct {
	client *client.Client
	policy poll.Policy
}

// writer returns the writer for changes. Lists that were read before are stale from then on.
func (r *deploymentResource) writer(workspaceID types.String) writer {
	c := r.In(workspaceID)
	sharedList(&r.ProviderData, c).Close()
	return writer{client: c, policy: r.Policy()}
}

// left returns the remaining part of an operation's time limit, which a single request may already have exceeded.
func (r *deploymentResource) left(start time.Time, limit time.Duration) time.Duration {
	return max(0, limit-r.Now().Sub(start))
}

// dialect returns the dialect of the service. While the provider's configuration is unknown, which happens only in plans, it is the neutral one.
func (r *deploymentResource) dialect() *api.Dialect {
	if r.Client == nil {
		return api.Neutral
	}
	return r.Client.Dialect()
}

// rollout returns that of the newest revision of a deployment. shown is true if a read has returned the deployment.
func (r *deploymentResource) rollout(workspaceID types.String, d api.Deployment, shown bool) rollout.Rollout {
	newest := api.Revision{ID: framework.String(d.LatestRevisionID).ValueString()}
	return rollout.Rollout{Client: r.In(workspaceID), Policy: r.Policy(), DeploymentID: d.ID, Revision: newest, Shown: shown}
}

// followUpdate follows the revision of an update, if it makes one or resumes waiting for one.
func (r *deploymentResource) followUpdate(ctx context.Context, a apply, start time.Time, limit time.Duration) outcome {
	written, rolling := a.proof.Deployment, r.rollout(a.plan.WorkspaceID, a.proof.Deployment, true)
	switch {
	case a.change.revision():
		rolling.Revision = a.proof.Revision
		earlier := framework.String(a.proof.Before.LatestRevisionID).ValueString()
		return follow(ctx, rolling, a.change.waits(), written, earlier, start, limit)
	case a.change.resume:
		rolling.Revision = api.Revision{ID: a.plan.LatestRevisionID.ValueString()}
		return follow(ctx, rolling, true, written, "", start, limit)
	}
	return outcome{Rollout: rolling, deployment: written, newest: rolling.Revision}
}
