package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

const (
	// nameTime is how long to wait for a name that is taken, although no list shows a deployment with it: lists may lag behind.
	nameTime = 30 * time.Second
	// namePause is the shortest pause between two attempts to get a name.
	namePause = 2 * time.Second
)

// create creates a deployment. If the name is taken, it waits for some time, and longer if the deployment that has it is being deleted.
// adopted is true if the response was lost and the deployment was found in a list.
func (w writer) create(ctx context.Context, limit time.Duration, request api.DeploymentCreateRequest) (_ *api.Deployment, adopted bool, _ error) {
	// Some dialects have no default for the fields of a spec that isn't sent.
	if w.client.Dialect().RequiresResourceSpec && request.Source == api.SourceExternalContainer && !request.SourceConfig.ResourceSpec.Present {
		request.SourceConfig.ResourceSpec = api.Some(api.ResourceSpec{})
	}
	policy, going := w.policy, false
	policy.Min = namePause
	var refused time.Time // After the first refusal.
	created, err := poll.Until(ctx, policy, limit, func(ctx context.Context) (created *api.Deployment, done bool, err error) {
		created, adopted, err = w.client.CreateDeployment(ctx, request)
		if !client.IsConflict(err) {
			return created, true, err
		}
		going = w.isGoing(ctx, request.Name, going)
		if refused.IsZero() {
			refused = w.policy.Now()
		}
		tflog.Info(ctx, "the name is taken", map[string]any{"name": request.Name, "being_deleted": going})
		return nil, !going && w.policy.Now().Sub(refused) >= nameTime, err
	})
	if adopted { // Others may have made newer revisions. If this can't be read, the newest is followed.
		if made, unread := client.Collect(w.client.ListRevisions(ctx, created.ID, client.RevisionFilter{})); unread == nil && len(made) > 0 {
			created.LatestRevisionID = &made[len(made)-1].ID
		}
	}
	return created, adopted, err
}

// isGoing reports whether the deployment with that name is being deleted, or was and is no longer listed. was is the previous result.
func (w writer) isGoing(ctx context.Context, name string, was bool) bool {
	for d, err := range w.client.ListDeployments(ctx, client.DeploymentFilter{Name: name}) {
		if err != nil {
			return was // An unexpected response doesn't end the deletion.
		}
		if !d.Status.BeingDeleted() {
			return false
		}
		was = true
	}
	return was
}

// taken returns the remedy if the name of a deployment that can't be created is taken: it identifies the deployment that has it, if any.
func taken(ctx context.Context, op *framework.Operation[model]) string {
	workspace, name := op.Plan.WorkspaceID, op.Plan.Name.ValueString()
	remedy := op.Plan.failure("create").NextSteps[http.StatusConflict] + reservedByProject(op.Client.Dialect(), name)
	// If the list fails, the general advice is used.
	found, _ := client.Collect(op.In(workspace).ListDeployments(ctx, client.DeploymentFilter{Name: name}))
	for _, deployment := range found {
		remedy = op.Taken(workspace, deployment.ID, noun, "name")
	}
	return remedy
}

// afterCreate is the change that sets what a create request can't.
func (m model) afterCreate() change {
	c := change{displayName: types.StringNull()}
	if !m.DisplayName.IsUnknown() {
		c.displayName = m.DisplayName
	}
	if uploaded(m.Source) {
		c.sourceRevisionConfig = m.sourceRevisionConfig()
	}
	return c
}

// complete sends what the create request could not, and the environment if resend is set. A failure is only a warning: Terraform would
// replace the deployment, and the next plan shows what is missing.
func (w writer) complete(
	ctx context.Context, plan model, created api.Deployment, resend bool, limit time.Duration,
) (api.Deployment, diag.Diagnostics) {
	c := plan.afterCreate()
	if resend {
		c.environment.changes = []string{reasonCreated}
	}
	if !c.write() {
		return created, nil
	}
	if err := w.awaitShown(ctx, created.ID); err != nil {
		return created, framework.AsWarnings(plan.failure("complete").Diagnostics(err))
	}
	proof, _, diags, err := w.patch(ctx, limit, created.ID, plan, c, fingerprints{})
	if err != nil {
		diags.Append(plan.failure("complete").Diagnostics(err)...)
	}
	if diags.HasError() {
		return created, framework.AsWarnings(diags)
	}
	completed, made := proof.Deployment, created.LatestRevisionID // A newer one is another user's.
	if c.revision() {
		made = &proof.Revision.ID
		if others := madeByOthers(*proof, created.LatestRevisionID, true); len(others) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment %q was changed at the same time", created.Name), fmt.Sprintf("Between the creation with "+
				"revision %s and its completion with revision %s, another user or process made %s: that change may be lost. Check it, and make "+
				"it again if it is.", api.OrEmpty(created.LatestRevisionID), *made, strings.Join(others, ", ")))
		}
	}
	completed.LatestRevisionID = made
	return completed, diags
}

// awaitShown waits until the service shows a deployment that it has just created.
func (w writer) awaitShown(ctx context.Context, id string) error {
	_, err := rollout.Follow(ctx, w.policy, nameTime, nil, func(ctx context.Context) (*api.Deployment, bool, error) {
		d, err := w.client.Deployments().Get(ctx, id)
		return d, err == nil, err
	})
	return err
}

// setTiersNow sets the tiers of a deployment that has just been created, and returns those that have to wait for its first rollout, which may
// count as a change in progress. A tier that can't be set is no reason to replace the deployment, so that is only a warning; the next plan
// shows the difference.
func (w writer) setTiersNow(ctx context.Context, plan, config model, id string, limit time.Duration) (later tiers, _ diag.Diagnostics) {
	t := tiers{config.DeploymentTier, config.ComputeTier, config.DatabaseTier} // In the plan, those that aren't configured are unknown.
	if !t.any() {
		return t, nil
	}
	err := w.awaitShown(ctx, id)
	if err == nil {
		_, err = w.setTiers(ctx, limit, id, t, true)
	}
	switch {
	case err == nil:
		return tiers{}, nil
	case client.IsConflict(err) && plan.WaitForDeployed.ValueBool():
		tflog.Info(ctx, "setting the tier after the first rollout", map[string]any{"deployment_id": id})
		return t, nil
	}
	return tiers{}, plan.warnOfTiers(err)
}

// setTiersLater sets the tiers that had to wait for the first rollout, and returns what to store after that.
func (w writer) setTiersLater(ctx context.Context, a apply, o outcome, t tiers, limit time.Duration) (model, diag.Diagnostics) {
	var diags diag.Diagnostics
	if proof, err := w.setTiers(ctx, limit, o.DeploymentID, t, false); err != nil {
		diags = a.plan.warnOfTiers(err)
	} else {
		o.deployment = proof.Deployment
	}
	return a.stored(ctx, o.deployment, o.newest), diags
}

func (m model) warnOfTiers(err error) diag.Diagnostics {
	return framework.AsWarnings(m.failure(setTier).Diagnostics(err), "The deployment was created without it. The next plan "+
		"shows the difference, and the next apply sets the tier.")
}

// overlooked is the time after which an accepted deletion without effect is sent again.
const overlooked = time.Minute

// delete sends the deletion and waits until the deployment is gone: only then is its name free. Before waiting starts, a
// refusal ends the operation; afterwards, ten minutes of nothing else do. The service may also accept a deletion and do
// nothing: while no effect is seen, the deletion is repeated now and then, which is harmless if it is already in progress. ctx must not
// end at the limit: the result of a last read after the limit counts.
func (w writer) delete(ctx context.Context, limit time.Duration, id string, withProject bool) error {
	accepted, waiting := false, false
	var last time.Time // When the deletion was sent, or last seen in progress.
	var refused error  // Of the deletion that was sent last.
	var noEffect error // The problem while no effect is seen.
	start := w.policy.Now()
	late := func() bool { return w.policy.Now().Sub(start) >= limit } // The check after the limit sends nothing.
	expected := func(err error) bool { return client.IsConflict(err) || noEffect != nil && errors.Is(err, noEffect) }
	_, err := rollout.Follow(ctx, w.policy, limit, expected, func(ctx context.Context) (struct{}, bool, error) {
		var current *api.Deployment
		var err error
		if !accepted && (!late() || last.IsZero()) {
			refused = w.client.DeleteDeployment(ctx, id, withProject)
			accepted = refused == nil || client.IsNotFound(refused) // Not found may also mean that an earlier deletion is in progress.
			last = w.policy.Now()
		}
		if err = refused; accepted {
			current, err = w.afterDeletion(ctx, id, refused)
		}
		waiting = waiting || accepted || client.IsConflict(err) || client.IsTransient(err)
		switch {
		case accepted && client.IsNotFound(err):
			return struct{}{}, true, nil
		case err != nil:
			return struct{}{}, !waiting, err
		case current.Status.BeingDeleted():
			last, noEffect = w.policy.Now(), nil
		case w.policy.Now().Sub(last) >= overlooked && !late():
			tflog.Info(ctx, "repeating an accepted deletion that has had no effect", map[string]any{"deployment_id": id})
			noEffect = w.client.DeleteDeployment(ctx, id, withProject)
			if noEffect == nil || client.IsNotFound(noEffect) {
				noEffect = fmt.Errorf("the service accepted the deletion, but the status is still %s", current.Status)
			}
			last = w.policy.Now()
		}
		return struct{}{}, false, noEffect
	})
	return client.DeletionEnded(err, accepted)
}

// afterDeletion reads a deployment after its accepted deletion. One 404 then proves that it is gone. If the deletion found nothing itself, it
// takes two, and lists that agree.
func (w writer) afterDeletion(ctx context.Context, id string, notFound error) (*api.Deployment, error) {
	if notFound == nil {
		return w.client.Deployments().Get(ctx, id)
	}
	return rollout.FindTwice(ctx, w.client, w.policy, id)
}

// deletesProject reports whether the tracing project is deleted with the deployment: if that is configured, or if the deployment never
// served, so that the unused project doesn't reserve the name.
func deletesProject(ctx context.Context, c *client.Client, state model) (bool, diag.Diagnostics) {
	if state.DeleteTracingProject.ValueBool() || !c.Dialect().ProjectsBlockNames || !state.ActiveRevisionID.IsNull() {
		return state.DeleteTracingProject.ValueBool(), nil
	}
	unused, err := unusedProject(ctx, c, state.ID.ValueString())
	if err != nil {
		return false, framework.WarningAt(path.Root("delete_tracing_project"), "Tracing project is kept", "Deployment %q never had an active "+
			"revision, so its tracing project is deleted with it if it has no runs, but checking that failed: %s. The project is kept and "+
			"reserves the name. If it isn't needed, delete it in the service.", state.Name.ValueString(), err)
	}
	return unused, nil
}

// unusedProject reports whether a deployment has never had an active revision and has a tracing project without runs that was
// created with it. The service is asked, because the first revision may have become active since the state was written.
func unusedProject(ctx context.Context, c *client.Client, id string) (bool, error) {
	deployment, err := c.Deployments().Get(ctx, id)
	if client.IsNotFound(err) || err == nil && (deployment.ActiveRevisionID != nil || deployment.Status.BeingDeleted()) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	project, err := projectOf(ctx, c, *deployment)
	if client.IsNotFound(err) || err == nil && project.Name != deployment.Name {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	runs, err := c.QueryRuns(ctx, api.RunQuery{ProjectIDs: []string{project.ID}, MinStartTime: "1970-01-01T00:00:00Z"}, 1)
	return err == nil && len(runs) == 0, err
}

// projectOf returns the tracing project of a deployment. Not every installation reports its ID, but where a project
// reserves its name, the project of that name can't be older than the deployment.
func projectOf(ctx context.Context, c *client.Client, deployment api.Deployment) (*api.TracingProject, error) {
	if deployment.TracerSessionID != nil {
		return c.TracingProjects().Get(ctx, *deployment.TracerSessionID)
	}
	return c.FindTracingProject(ctx, deployment.Name)
}
