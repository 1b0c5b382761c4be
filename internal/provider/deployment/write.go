package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

const (
	// nameTime is how long to wait for a name that nothing shows to become free: lists may lag behind.
	nameTime = 30 * time.Second
	// namePause is the shortest pause between two attempts to get a name.
	namePause = 2 * time.Second
)

// create waits for the name: for some time, and longer if the deployment that has it is being deleted. adopted means that the
// deployment was found, not returned.
func (w writer) create(ctx context.Context, limit time.Duration, request api.DeploymentCreateRequest) (_ *api.Deployment, adopted bool, _ error) {
	policy, going, waits := w.policy, false, false
	policy.Min = namePause
	var refused time.Time // After the first refusal.
	created, err := poll.Until(ctx, policy, limit, func(error) bool { return waits }, func(ctx context.Context) (created *api.Deployment, _ bool, err error) {
		created, adopted, err = w.client.CreateDeployment(ctx, request)
		waits = false
		if client.IsConflict(err) {
			going = w.isGoing(ctx, request.Name, going)
			if refused.IsZero() {
				refused = w.policy.Now()
			}
			waits = going || w.policy.Now().Sub(refused) < nameTime
			tflog.Info(ctx, "the name is taken", map[string]any{"name": request.Name, "being_deleted": going})
		}
		return created, err == nil, err
	})
	if adopted { // Others may have made newer revisions. If this can't be read, the newest is followed.
		if made, unread := client.Collect(w.client.ListRevisions(ctx, created.ID, client.RevisionFilter{})); unread == nil && len(made) > 0 {
			created.LatestRevisionID = &made[len(made)-1].ID
		}
	}
	return created, adopted, err
}

// isGoing reports whether the deployment of that name is being deleted, or was and is no longer shown. was is the previous result.
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

// builder builds a request from what the service has. It returns false if there is nothing to send.
type builder func(before api.Deployment) (api.DeploymentPatchRequest, bool)

// errNotBuilt means that a request could not be built. The builder knows why.
var errNotBuilt = errors.New("no request was built")

// patch builds a request from what the service has right before it is sent, and proves it.
func (w writer) patch(ctx context.Context, limit time.Duration, id string, c change, build builder) (*rollout.Proof, error) {
	var patch api.DeploymentPatchRequest
	sent := func() sentPatch { return sentPatch{patch, w.client.Dialect(), c.removedSpec} }
	return rollout.Write{
		Client: w.client, Policy: w.policy, DeploymentID: id, Method: http.MethodPatch, Revision: c.revision(),
		Send: func(ctx context.Context, before api.Deployment) (_ *api.Deployment, err error) {
			var ok bool
			if patch, ok = build(before); !ok {
				return nil, errNotBuilt
			}
			secrets, _ := patch.Secrets.Get()
			return w.client.PatchDeployment(framework.MaskSecrets(ctx, secrets), id, patch) // Including preserved ones.
		},
		Differs: func(current api.Deployment) bool { return sent().differs(current) },
		Removed: func(before, now api.Deployment) bool {
			was, is := before.SourceConfig.ResourceSpec, now.SourceConfig.ResourceSpec
			return was != nil && is != nil && resourcespec.Removed(*was, *is, c.removedSpec)
		},
		Hides: func(before, now api.Deployment) bool { return sent().hidden(before, now) },
		Sent:  func() any { return patch },
	}.Do(ctx, limit)
}

// shown waits until the service shows a deployment that it has just created.
func (w writer) shown(ctx context.Context, id string) error {
	_, err := rollout.Follow(ctx, w.policy, nameTime, nil, func(ctx context.Context) (*api.Deployment, bool, error) {
		d, err := w.client.GetDeployment(ctx, id)
		return d, err == nil, err
	})
	return err
}

// overlooked is how long an accepted deletion may show no effect before it is sent again.
const overlooked = time.Minute

// provenAfter is the time between the two looks that prove that a deployment was gone before its deletion.
const provenAfter = 3 * time.Second

// delete sends the deletion and waits until the deployment is gone: only then is its name free. Before waiting starts, a
// refusal ends the operation; afterwards, ten minutes of nothing else do. The service may also accept a deletion and do
// nothing: while no effect is seen, the deletion is repeated now and then, which is harmless if it is already in progress. ctx must not
// end at the limit: what a last look after it shows is what counts.
func (w writer) delete(ctx context.Context, limit time.Duration, id string, options ...client.DeleteOption) error {
	accepted, waiting := false, false
	var last time.Time // When the deletion was sent, or last seen in progress.
	var refused error  // Of the deletion that was sent last.
	var noEffect error // The problem while no effect is seen.
	start := w.policy.Now()
	late := func() bool { return w.policy.Now().Sub(start) >= limit } // The look after the limit sends nothing.
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
