package deployment

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// writer sends what changes a deployment, and sits out what only takes time: another change in progress, and a deployment
// of the same name that is still going.
type writer struct {
	client *client.Client
	policy poll.Policy
}

// create waits for the name, if the deployment that has it is being deleted.
func (w writer) create(ctx context.Context, limit time.Duration, request api.DeploymentCreateRequest) (*api.Deployment, error) {
	waits, wasFree := false, false
	return poll.Until(ctx, w.policy, limit, func(error) bool { return waits }, func(ctx context.Context) (*api.Deployment, bool, error) {
		created, err := w.client.CreateDeployment(ctx, request)
		waits = false
		if inConflict(err) {
			going, free := w.isGoing(ctx, request.Name)
			// Free means gone since the refusal. If it is refused even so, it is not about that deployment.
			waits = going || free && !wasFree
			wasFree = wasFree || free
			tflog.Info(ctx, "the name is taken", map[string]any{"name": request.Name, "being_deleted": going, "gone": free})
		}
		return created, err == nil, err
	})
}

// isGoing says whether the deployment of that name is being deleted, or whether the name is free already.
func (w writer) isGoing(ctx context.Context, name string) (going, free bool) {
	found, err := client.Collect(w.client.ListDeployments(ctx, client.DeploymentFilter{Name: name}))
	for _, deployment := range found {
		if !deployment.Status.BeingDeleted() {
			return false, false
		}
	}
	return err == nil && len(found) > 0, err == nil && len(found) == 0
}

// patch sends the change again while another one is in progress. When the reply is lost it looks whether the change has
// happened, and sends it once more if it still hasn't after a pause, in which a slow service may finish.
func (w writer) patch(ctx context.Context, limit time.Duration, id string, c change, patch api.DeploymentPatchRequest, latest string) (*api.Deployment, error) {
	var lost error // What the attempt ended with whose reply was lost.
	again := false
	tolerate := func(err error) bool { return again || inConflict(err) }
	return poll.Until(ctx, w.policy, limit, tolerate, func(ctx context.Context) (*api.Deployment, bool, error) {
		again = false
		if lost != nil {
			current, ok := w.settled(ctx, id, c, patch, latest)
			if current != nil {
				return current, true, nil
			}
			if !ok {
				return nil, false, lost
			}
		}
		patched, err := w.client.PatchDeployment(ctx, id, patch)
		if !client.IsAmbiguous(err) {
			return patched, err == nil, err
		}
		current, ok := w.settled(ctx, id, c, patch, latest)
		if current != nil {
			return current, true, nil
		}
		again, lost = ok && lost == nil, err
		return nil, false, err
	})
}

// delete sends the deletion and waits until the deployment is gone: its name is free only then.
func (w writer) delete(ctx context.Context, limit time.Duration, id string, options ...client.DeleteOption) error {
	sent := false
	_, err := poll.Until(ctx, w.policy, limit, func(err error) bool { return inConflict(err) || client.IsTransient(err) || sent && rollout.Outage(err) },
		func(ctx context.Context) (struct{}, bool, error) {
			if !sent {
				err := w.client.DeleteDeployment(ctx, id, options...)
				if err != nil && !client.IsNotFound(err) {
					return struct{}{}, false, err
				}
				sent = true // Not found may also mean that an earlier deletion is under way.
			}
			_, err := w.client.GetDeployment(ctx, id)
			if client.IsNotFound(err) {
				return struct{}{}, true, nil
			}
			return struct{}{}, false, err
		})
	return err
}

// settled is the deployment if it shows the change whose reply was lost, else nil; ok says that it could be looked at.
func (w writer) settled(ctx context.Context, id string, c change, patch api.DeploymentPatchRequest, latest string) (_ *api.Deployment, ok bool) {
	current, err := w.client.GetDeployment(ctx, id)
	if err != nil || !happened(patch, c, *current, latest) {
		return nil, err == nil
	}
	tflog.Info(ctx, "the reply to a change was lost, but the change has happened", map[string]any{"deployment_id": id})
	return current, true
}

// inConflict says that the service refused a change because another one is in progress.
func inConflict(err error) bool {
	return client.StatusOf(err) == http.StatusConflict && !client.IsAmbiguous(err)
}

// happened says whether current shows the change. latest is the newest revision before it.
func happened(patch api.DeploymentPatchRequest, c change, current api.Deployment, latest string) bool {
	if c.revision() && (current.LatestRevisionID == nil || *current.LatestRevisionID == latest) {
		return false
	}
	config, _ := patch.SourceConfig.Get()
	revisionConfig, _ := patch.SourceRevisionConfig.Get()
	held, heldRevision := current.SourceConfig, current.SourceRevisionConfig
	if !shows(patch.DisplayName, current.DisplayName) || !shows(config.BuildOnPush, held.BuildOnPush) || !shows(config.CustomURL, held.CustomURL) ||
		!shows(revisionConfig.RepoRef, trackedRef(types.StringPointerValue(revisionConfig.RepoRef.Value), types.StringNull(), current)) ||
		!shows(revisionConfig.GraphConfigPath, heldRevision.GraphConfigPath) ||
		!shows(revisionConfig.ImageURI, heldRevision.ImageURI) {
		return false
	}
	// Some installations don't echo the commands.
	if held.InstallCommand != nil && !shows(config.InstallCommand, held.InstallCommand) ||
		held.BuildCommand != nil && !shows(config.BuildCommand, held.BuildCommand) {
		return false
	}
	if spec, sent := config.ResourceSpec.Get(); sent && (held.ResourceSpec == nil || specChanges(spec, *held.ResourceSpec)) {
		return false
	}
	secrets, sent := patch.Secrets.Get()
	return !sent || len(current.Secrets) == 0 || sameVariables(secrets, current.Secrets)
}

// shows says whether a field that was sent is what the service holds.
func shows[T comparable](sent api.Optional[T], held *T) bool {
	value, ok := sent.Get()
	return !ok || held != nil && *held == value
}

// sameVariables compares values where they can be read, else names.
func sameVariables(sent, held []api.Secret) bool {
	values := map[string]string{}
	for _, secret := range sent {
		values[secret.Name] = secret.Value
	}
	if len(values) != len(held) {
		return false
	}
	for _, secret := range held {
		value, ok := values[secret.Name]
		if !ok || !hidden(secret) && value != secret.Value {
			return false
		}
	}
	return true
}
