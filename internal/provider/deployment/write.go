package deployment

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// writer sends changes of a deployment, and waits while another change is in progress or while a deployment of the same
// name is still being deleted.
type writer struct {
	client *client.Client
	policy poll.Policy
}

// create waits for the name if the deployment that has it is being deleted.
func (w writer) create(ctx context.Context, limit time.Duration, request api.DeploymentCreateRequest) (*api.Deployment, error) {
	waits, wasGoing, wasFree := false, false, false
	return poll.Until(ctx, w.policy, limit, func(error) bool { return waits }, func(ctx context.Context) (*api.Deployment, bool, error) {
		created, err := w.client.CreateDeployment(ctx, request)
		waits = false
		if client.IsConflict(err) {
			going, free, unread := w.isGoing(ctx, request.Name)
			going = going || unread != nil && wasGoing // An unexpected response doesn't end the deletion.
			// Free means gone since the refusal. If the name is still refused, the reason is something else.
			waits = going || free && !wasFree
			wasGoing, wasFree = going, wasFree || free
			tflog.Info(ctx, "the name is taken", map[string]any{"name": request.Name, "being_deleted": going, "gone": free})
		}
		return created, err == nil, err
	})
}

// isGoing says whether the deployment of that name is being deleted, and whether the name is already free.
func (w writer) isGoing(ctx context.Context, name string) (going, free bool, err error) {
	found, err := client.Collect(w.client.ListDeployments(ctx, client.DeploymentFilter{Name: name}))
	if err != nil {
		return false, false, err
	}
	for _, deployment := range found {
		if !deployment.Status.BeingDeleted() {
			return false, false, nil
		}
	}
	return len(found) > 0, len(found) == 0, nil
}

// patch builds a request from what the service has right before it is sent, and repeats it while another change is in
// progress. If the reply is lost, it checks whether the change has happened. If that can't be confirmed after a pause, in
// which a slow service may finish, it sends the change once more: an extra revision does no harm, a lost change does.
// build returns false if there is nothing to send.
func (w writer) patch(ctx context.Context, limit time.Duration, id string, c change, build builder) (*api.Deployment, error) {
	var lost *attempt // The attempt whose reply was lost.
	again := false
	retryable := func(err error) bool { return again || client.IsConflict(err) }
	return poll.Until(ctx, w.policy, limit, retryable, func(ctx context.Context) (*api.Deployment, bool, error) {
		again = false
		before, err := w.client.GetDeployment(ctx, id)
		if lost != nil && (err != nil || lost.happened(c, *before)) {
			return lost.outcome(ctx, before, err)
		}
		if err != nil {
			return nil, false, err
		}
		patch, ok := build(*before)
		if !ok {
			return nil, true, nil
		}
		secrets, _ := patch.Secrets.Get()
		ctx = framework.MaskSecrets(ctx, secrets) // Including preserved ones.
		patched, err := w.client.PatchDeployment(ctx, id, patch)
		if !client.IsAmbiguous(err) {
			return patched, err == nil, err
		}
		sent := &attempt{before: *before, patch: patch, err: err}
		after, unread := w.client.GetDeployment(ctx, id)
		if unread != nil || sent.happened(c, *after) {
			return sent.outcome(ctx, after, unread)
		}
		again, lost = lost == nil, sent
		return nil, false, err
	})
}

// builder builds a request from what the service has.
type builder func(before api.Deployment) (api.DeploymentPatchRequest, bool)

// overlooked is how long an accepted deletion may show no effect before it is sent again.
const overlooked = time.Minute

// delete sends the deletion and waits until the deployment is gone: only then is its name free. Before waiting starts, a
// refusal ends the operation; afterwards, an unexpected response doesn't. The service may also accept a deletion and do
// nothing: while no effect is seen, the deletion is repeated now and then, which is harmless if it is already in progress.
func (w writer) delete(ctx context.Context, limit time.Duration, id string, options ...client.DeleteOption) error {
	var current *api.Deployment
	// A deployment that looks gone is removed from the state, so the list has to confirm it.
	read := func(ctx context.Context) (err error) {
		current, err = w.client.FindDeployment(ctx, id)
		return err
	}
	refused := rollout.Refusals{Policy: w.policy, Object: read, Passes: client.IsConflict}
	accepted, waiting, ended := false, false, false
	var last time.Time // When the deletion was sent, or last seen in progress.
	var unheard error  // The problem while no effect is seen.
	_, err := poll.Until(ctx, w.policy, limit, func(error) bool { return !ended }, func(ctx context.Context) (struct{}, bool, error) {
		var err error
		if !accepted {
			err = w.client.DeleteDeployment(ctx, id, options...)
			accepted = err == nil || client.IsNotFound(err) // Not found may also mean that an earlier deletion is in progress.
			last = w.policy.Now()
		}
		if accepted {
			err = read(ctx)
		}
		waiting = waiting || accepted || client.IsConflict(err) || client.IsTransient(err)
		if ended = !waiting; !ended {
			ended, err = refused.Final(ctx, err)
		}
		switch {
		case client.IsNotFound(err):
			return struct{}{}, true, nil
		case err != nil:
			return struct{}{}, false, err
		case current.Status.BeingDeleted():
			last, unheard = w.policy.Now(), nil
		case w.policy.Now().Sub(last) >= overlooked:
			tflog.Info(ctx, "repeating an accepted deletion that has had no effect", map[string]any{"deployment_id": id})
			unheard = w.client.DeleteDeployment(ctx, id, options...)
			if unheard == nil || client.IsNotFound(unheard) {
				unheard = fmt.Errorf("the service accepted the deletion, but the status is still %s", current.Status)
			}
			last = w.policy.Now()
		}
		return struct{}{}, false, unheard
	})
	return err
}

// attempt is a change whose reply was lost.
type attempt struct {
	before api.Deployment
	patch  api.DeploymentPatchRequest
	err    error
}

// outcome returns the deployment that shows the change, or the error of the attempt if it could not be read.
func (a *attempt) outcome(ctx context.Context, current *api.Deployment, unread error) (*api.Deployment, bool, error) {
	if unread != nil {
		return nil, false, a.err
	}
	tflog.Info(ctx, "the reply to a change was lost, but the change has happened", map[string]any{"deployment_id": current.ID})
	return current, true, nil
}

// happened says whether current proves the change: everything that was sent can be read, is there now and wasn't before,
// and a new revision exists if the change makes one. Changes made by others meanwhile prove nothing.
func (a *attempt) happened(c change, current api.Deployment) bool {
	if c.revision() && (current.LatestRevisionID == nil || a.before.LatestRevisionID != nil && *current.LatestRevisionID == *a.before.LatestRevisionID) {
		return false
	}
	return holds(current, a.patch) && !holds(a.before, a.patch)
}

// holds says whether a deployment shows everything that a request sends. Unreadable values don't count as shown.
func holds(current api.Deployment, patch api.DeploymentPatchRequest) bool {
	config, _ := patch.SourceConfig.Get()
	revisionConfig, _ := patch.SourceRevisionConfig.Get()
	has, hasRevision := current.SourceConfig, current.SourceRevisionConfig
	ref := trackedRef(types.StringPointerValue(revisionConfig.RepoRef.Value), types.StringNull(), current)
	if !client.Shows(patch.DisplayName, current.DisplayName) || !client.Shows(config.BuildOnPush, has.BuildOnPush) ||
		!client.Shows(config.CustomURL, has.CustomURL) || !client.Shows(config.InstallCommand, has.InstallCommand) ||
		!client.Shows(config.BuildCommand, has.BuildCommand) || !client.Shows(revisionConfig.RepoRef, ref) ||
		!client.Shows(revisionConfig.GraphConfigPath, hasRevision.GraphConfigPath) ||
		!client.Shows(revisionConfig.ImageURI, hasRevision.ImageURI) ||
		!client.Shows(revisionConfig.SourceTarballPath, hasRevision.SourceTarballPath) {
		return false
	}
	if spec, sent := config.ResourceSpec.Get(); sent && (has.ResourceSpec == nil || resourcespec.Differ(spec, *has.ResourceSpec)) {
		return false
	}
	references, sent := patch.SecretReferences.Get()
	if reported := current.SecretReferences; sent && (reported == nil || !client.SameReferences(references, reported)) {
		return false
	}
	secrets, sent := patch.Secrets.Get()
	return !sent || sameVariables(secrets, current.Secrets)
}

// sameVariables compares values, so variables with unreadable values are never the same.
func sameVariables(sent, current []api.Secret) bool {
	values := map[string]string{}
	for _, secret := range sent {
		values[secret.Name] = secret.Value
	}
	if len(values) != len(current) {
		return false
	}
	for _, secret := range current {
		if value, ok := values[secret.Name]; !ok || hidden(secret) || value != secret.Value {
			return false
		}
	}
	return true
}
