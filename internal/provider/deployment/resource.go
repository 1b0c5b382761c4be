package deployment

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

const (
	noun = "deployment"

	defaultReadTimeout  = 5 * time.Minute
	defaultWriteTimeout = 30 * time.Minute
)

// NewResource is the resource agentplane_deployment.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: noun, Noun: noun, Schema: deploymentSchema, Importer: importer, Label: model.label, Secrets: model.values,
		Workspace:  func(m *model) *types.String { return &m.WorkspaceID },
		Failure:    func(m model, verb string) framework.Failure { return m.failure(verb, m.toSecrets()...) },
		Protection: model.protection, Record: model.record, Validate: validateConfig, Plan: plan,
		Create: create, Taken: taken, Read: read, Refresh: refresh, Update: update, Delete: remove, Movers: []resource.StateMover{{StateMover: move}},
	})
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan := op.Plan
	request, diags := plan.toCreate()
	if diags.HasError() {
		return nil, diags
	}
	limit, _ := plan.Timeouts.Create(ctx, defaultWriteTimeout) // A validator has refused what isn't a duration.
	start := op.Now()
	left := func() time.Duration { return max(0, limit-op.Now().Sub(start)) } // A single request may exceed the limit.
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	w := newWriter(op.ProviderData, plan.WorkspaceID)
	created, adopted, err := w.create(limited, limit, request)
	if err != nil {
		return nil, append(diags, op.Failed(limited, err)...)
	}
	diags.Append(op.MarkUnseen(ctx, op.Private)...)
	resend := adopted && unreadable(request.Secrets, created.Secrets)
	completed, d := w.complete(limited, plan, *created, resend, left())
	diags.Append(d...)
	later, d := w.setTiersNow(limited, plan, op.Config, created.ID, left())
	diags.Append(d...)

	shown := adopted // A list has returned it.
	o := follow(ctx, w.rollout(completed, shown), plan.WaitForDeployed.ValueBool(), completed, "", start, limit)
	a := apply{client: op.Client, plan: plan, config: op.Config}
	a.prints = fingerprints{Spec: plan.specRecord()}.accepted(plan, request.Secrets, created.Secrets)
	if later.any() {
		a.config.DeploymentTier, a.config.ComputeTier, a.config.DatabaseTier = types.StringNull(), types.StringNull(), types.StringNull()
	}
	stored, prints, ended := a.diagnose(ctx, o)
	if later.any() && !ended.HasError() {
		stored, d = w.setTiersLater(limited, a, o, later, left())
		ended.Append(d...)
	}
	if o.deleted {
		return nil, append(diags, ended...)
	}
	ended.Append(store(ctx, op, stored, prints)...)
	if a.keeps() || !o.taints() {
		ended = framework.AsWarnings(ended)
	}
	if o.unread == nil {
		ended.Append(framework.MarkSeen(ctx, op.Private)...)
	}
	return nil, append(diags, ended...)
}

// refresh reads the deployment of a state, with the status of its newest revision.
func refresh(ctx context.Context, op *framework.Operation[model]) (*model, framework.Presence, diag.Diagnostics) {
	state := *op.State
	limit, _ := state.Timeouts.Read(ctx, defaultReadTimeout)
	prints, diags := loadFingerprints(ctx, op.Private)
	if diags.HasError() {
		return nil, framework.Shown, diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, presence, d := framework.LookTwice(ctx, op.ProviderData, op.Private, noun, state.label(), finder(state, op.Failed))
	diags.Append(d...)
	if presence == framework.Gone {
		framework.SharedMap(op.Memo, removedNames(op.In(state.WorkspaceID))).Store(state.Name.ValueString(), true)
	}
	if presence != framework.Shown || diags.HasError() {
		return nil, presence, diags
	}
	status, err := latestStatus(ctx, op.In(state.WorkspaceID), *found)
	if err != nil {
		return nil, presence, append(diags, op.Failed(ctx, err)...)
	}
	prints = prints.holding(found.Secrets)
	diags.Append(prints.Save(ctx, op.Private)...)
	refreshed := newModel(state, *found, status, prints).withDashboardURL(op.Client)
	if state.Name.IsNull() { // An import.
		refreshed = refreshed.adoptImported(op.Client.Dialect())
	}
	return &refreshed, presence, diags
}

func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	plan, state := op.Plan, *op.State
	prints, diags := loadFingerprints(ctx, op.Private)
	if diags.HasError() {
		return nil, diags
	}
	limit, _ := plan.Timeouts.Update(ctx, defaultWriteTimeout)
	start := op.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	c, d := changeTo(limited, op.ProviderData, plan, state, prints)
	if diags.Append(d...); diags.HasError() {
		return nil, diags
	}
	plan.EnvironmentNames = plan.namesAfter(prints)
	plan.RevisionReasons = framework.PlannedOr(plan.RevisionReasons, state.reasonsAfter(c))
	a := apply{client: op.Client, plan: plan, config: op.Config, prints: prints.declaring(plan)}
	if !c.request() && !c.resume {
		return nil, append(diags, store(ctx, op, applied(ctx, plan, state), a.prints)...)
	}
	proof, secrets, d := write(limited, limit, op, c, prints)
	if diags.Append(d...); diags.HasError() {
		return nil, diags
	}
	if c.variables() {
		a.prints = prints.accepted(plan, secrets, proof.Deployment.Secrets)
	}
	if c.resourceSpec.any() {
		a.prints.Spec = plan.specRecord()
	}
	diags.Append(a.prints.Save(ctx, op.Private)...)
	a.updated = &updated{state: state, priorPrints: prints, change: c, proof: *proof}

	o := followUpdate(ctx, newWriter(op.ProviderData, plan.WorkspaceID), a, start, limit)
	stored, prints, d := a.diagnose(ctx, o)
	diags.Append(d...)
	if o.deleted {
		return nil, diags
	}
	return nil, append(diags, store(ctx, op, stored, prints)...)
}

// store stores what is known about a deployment, so that no error loses it.
func store(ctx context.Context, op *framework.Operation[model], m model, prints fingerprints) diag.Diagnostics {
	return append(prints.Save(ctx, op.Private), op.Store(ctx, m)...)
}

// followUpdate follows the revision of an update, if it makes one or resumes waiting for one.
func followUpdate(ctx context.Context, w writer, a apply, start time.Time, limit time.Duration) outcome {
	written, rolling := a.proof.Deployment, w.rollout(a.proof.Deployment, true)
	switch {
	case a.change.revision():
		rolling.Revision = a.proof.Revision
		earlier := api.OrEmpty(a.proof.Before.LatestRevisionID)
		return follow(ctx, rolling, a.change.waits(), written, earlier, start, limit)
	case a.change.resume:
		rolling.Revision = api.Revision{ID: a.plan.LatestRevisionID.ValueString()}
		return follow(ctx, rolling, true, written, "", start, limit)
	}
	return outcome{Rollout: rolling, deployment: written, newest: rolling.Revision}
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	state := *op.State
	limit, _ := state.Timeouts.Delete(ctx, defaultWriteTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	withProject, diags := deletesProject(limited, op.In(state.WorkspaceID), state)
	if err := newWriter(op.ProviderData, state.WorkspaceID).delete(ctx, limit, state.ID.ValueString(), withProject); err != nil {
		diags.Append(state.failure("delete").Diagnostics(err)...)
	}
	return diags
}

var importer = framework.Importer{
	TypeName: "agentplane_deployment", Noun: noun, Example: "name:chat",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		return framework.IDs(p.In(workspaceID).ListDeployments(ctx, client.DeploymentFilter{Name: name}), func(d api.Deployment) string { return d.ID })
	},
}

// writer sends changes of a deployment, and waits while another change is in progress or while a deployment of the same
// name is still being deleted.
type writer struct {
	client *client.Client
	policy poll.Policy
}

// newWriter returns the writer for changes. Lists that were read before are stale from then on.
func newWriter(provider *framework.ProviderData, workspaceID types.String) writer {
	c := provider.In(workspaceID)
	sharedList(provider, c).Close()
	return writer{client: c, policy: provider.Policy()}
}

// rollout returns that of the newest revision of a deployment. shown is true if a read has returned the deployment.
func (w writer) rollout(d api.Deployment, shown bool) rollout.Rollout {
	newest := api.Revision{ID: api.OrEmpty(d.LatestRevisionID)}
	return rollout.Rollout{Client: w.client, Policy: w.policy, DeploymentID: d.ID, Revision: newest, Shown: shown}
}

func (m model) label() string { return framework.Label(m.Name, m.ID) }

// read is for a look at whether the deployment of a state is gone; refresh reads it completely.
func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	_, gone, diags := finder(*op.State, op.Failed)(ctx, op.ProviderData)
	if gone != "" || diags.HasError() {
		return nil, diags
	}
	return op.State, diags
}

// finder finds the deployment of a state.
func finder(state model, failed func(context.Context, error) diag.Diagnostics) framework.Look[*api.Deployment] {
	return func(ctx context.Context, p *framework.ProviderData) (*api.Deployment, string, diag.Diagnostics) {
		found, err := listed(ctx, p, p.In(state.WorkspaceID), state.ID.ValueString())
		switch {
		case client.IsNotFound(err):
			return nil, framework.Missing, nil
		case err != nil:
			return nil, "", failed(ctx, err)
		case found.Status.BeingDeleted():
			return found, "is being deleted", nil
		}
		return found, "", nil
	}
}

// latestStatus returns the status of the newest revision, empty if it isn't shown. The active revision is deployed by
// definition, so only another revision needs a request.
func latestStatus(ctx context.Context, c *client.Client, deployment api.Deployment) (api.RevisionStatus, error) {
	if deployment.LatestRevisionID == nil {
		return "", nil
	}
	latest := *deployment.LatestRevisionID
	if deployment.ActiveRevisionID != nil && *deployment.ActiveRevisionID == latest {
		return api.RevisionDeployed, nil
	}
	// Without its status, the next plan would neither wait for a pending rollout nor repair a failed one.
	revision, err := c.Revisions(deployment.ID).Find(ctx, latest)
	if client.IsNotFound(err) {
		return "", nil // Not shown yet, or no longer; the deployment is there all the same.
	}
	if err != nil {
		return "", err
	}
	return revision.Status, nil
}

// sharedList returns the list of a workspace's deployments for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.Deployment] {
	return framework.Shared(p, "deployments", c, c.Deployments().Pages, func(d api.Deployment) []string { return []string{d.ID, nameKey(d.Name)} })
}

// nameKey is the key of a name in a list, which no ID equals.
func nameKey(name string) string { return "name " + name }

// listed reads a deployment, if possible from the list.
func listed(ctx context.Context, p *framework.ProviderData, c *client.Client, id string) (*api.Deployment, error) {
	return sharedList(p, c).One(ctx, id, func(whole bool) (*api.Deployment, error) {
		if whole {
			return c.Deployments().Get(ctx, id)
		}
		return c.Deployments().Find(ctx, id)
	})
}

// setTier is how a failure names the change of a tier.
const setTier = "set the tier of"

// failure describes a failed operation on the deployment m. sent is the environment in the request.
func (m model) failure(verb string, sent ...api.Secret) framework.Failure {
	name := m.Name.ValueString()
	conflict := "Another change of this deployment is in progress. Apply again when it has finished."
	if verb == "create" {
		conflict = fmt.Sprintf("If a deployment %q already exists and is yours, import it by its ID. %s", name, framework.Twice("name"))
	}
	timeout := "timeouts." + verb
	if verb == setTier || verb == "complete" { // Part of a create or an update.
		timeout = "timeouts"
	}
	existing := ""
	if verb != "create" && verb != "read" && m.ID.ValueString() != "" { // While it is created, the ID is unknown.
		existing = "deployment " + m.ID.ValueString()
	}
	return framework.Failure{
		Existing:      existing,
		Summary:       fmt.Sprintf("Cannot %s deployment %q", verb, cmp.Or(name, m.ID.ValueString())), // An import has no name yet.
		AttributePath: func(loc []api.LocStep) (path.Path, bool) { return m.attributePath(loc, sent) },
		NextSteps:     map[int]string{http.StatusConflict: conflict},
		TimeUp:        fmt.Sprintf("The operation timed out. To allow more time, raise %s.", timeout),
	}
}

// attributePath finds the attribute of a location in a request body. The API's list of secrets is several maps here, so an
// index into it is resolved by the order of the request.
func (m model) attributePath(loc []api.LocStep, sent []api.Secret) (path.Path, bool) {
	if loc[0].Key == "secrets" {
		return m.variablePath(loc[1:], sent)
	}
	return framework.SchemaPath(deploymentSchema(), loc)
}

func (m model) variablePath(loc []api.LocStep, sent []api.Secret) (path.Path, bool) {
	if len(loc) == 0 || loc[0].Index == nil {
		return path.Empty(), false
	}
	i := *loc[0].Index
	if i < 0 || i >= int64(len(sent)) {
		return path.Empty(), false
	}
	for attribute, variables := range m.variableMaps() {
		if _, ours := variables.Elements()[sent[i].Name]; ours {
			return path.Root(attribute).AtMapKey(sent[i].Name), true
		}
	}
	return path.Empty(), false // Not the resource's own, but preserved.
}
