package deployment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// overlooked is the time after which an accepted deletion without effect is sent again.
const overlooked = time.Minute

// provenAfter is the time between the two reads that prove that a deployment was gone before its deletion.
const provenAfter = 3 * time.Second

// delete sends the deletion and waits until the deployment is gone: only then is its name free. Before waiting starts, a
// refusal ends the operation; afterwards, ten minutes of nothing else do. The service may also accept a deletion and do
// nothing: while no effect is seen, the deletion is repeated now and then, which is harmless if it is already in progress. ctx must not
// end at the limit: the result of a last read after the limit counts.
func (w writer) delete(ctx context.Context, limit time.Duration, id string, options ...client.DeleteOption) error {
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
			refused = w.client.DeleteDeployment(ctx, id, options...)
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
			noEffect = w.client.DeleteDeployment(ctx, id, options...)
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
		return w.client.GetDeployment(ctx, id)
	}
	current, err := w.client.FindDeployment(ctx, id)
	if client.IsNotFound(err) && w.policy.Sleep(ctx, provenAfter) == nil {
		return w.client.FindDeployment(ctx, id)
	}
	return current, err
}

// deleteOptions deletes the tracing project with the deployment if that is configured, or if the deployment never served, so that the unused
// project doesn't reserve the name.
func deleteOptions(ctx context.Context, c *client.Client, state model) ([]client.DeleteOption, diag.Diagnostics) {
	along := []client.DeleteOption{client.WithTracingProject()}
	if state.DeleteTracingProject.ValueBool() {
		return along, nil
	}
	if !c.Dialect().ProjectsBlockNames || !state.ActiveRevisionID.IsNull() {
		return nil, nil
	}
	unused, err := unusedProject(ctx, c, state.ID.ValueString())
	switch {
	case err != nil:
		return nil, warningAt(path.Root("delete_tracing_project"), "Tracing project is kept", "Deployment %q never had an active "+
			"revision, so its tracing project is deleted with it if it has no runs, but checking that failed: %s. The project is kept and "+
			"reserves the name. If it isn't needed, delete it in the service.", state.Name.ValueString(), err)
	case unused:
		return along, nil
	}
	return nil, nil
}

// unusedProject reports whether a deployment has never had an active revision and has a tracing project without runs that was
// created with it. The service is asked, because the first revision may have become active since the state was written.
func unusedProject(ctx context.Context, c *client.Client, id string) (bool, error) {
	deployment, err := c.GetDeployment(ctx, id)
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
		return c.GetTracingProject(ctx, *deployment.TracerSessionID)
	}
	return c.FindTracingProject(ctx, deployment.Name)
}
