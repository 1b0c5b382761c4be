package deployment

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// A deployment leaves the state only when the service says twice, some seconds apart, that it is gone.

// unseenKey is the key in the private state of the time when a deployment was created that no read has shown since.
const unseenKey = "unseen"

// unseenTime is how long such a deployment stays in state at least.
const unseenTime = 10 * time.Minute

// looked is what a refresh found out: the deployment with the status of its newest revision, that it is gone, or an error. Without any
// of them, the service doesn't show the deployment yet.
type looked struct {
	deployment *api.Deployment
	status     api.RevisionStatus
	gone       bool
	err        error
}

// look reads the deployment of a state.
func (r *deploymentResource) look(ctx context.Context, state model, private framework.PrivateReader) (looked, diag.Diagnostics) {
	c, id := r.In(state.WorkspaceID), state.ID.ValueString()
	label := fmt.Sprintf("%q (%s)", state.Name.ValueString(), id)
	deployment, err := r.list(state.WorkspaceID).deployment(ctx, c, id)
	if removed(deployment, err) != "" {
		if client.IsNotFound(err) {
			var created time.Time
			diags := framework.LoadPrivate(ctx, private, unseenKey, &created)
			if !created.IsZero() && r.Now().Sub(created) < unseenTime {
				diags.AddWarning(fmt.Sprintf("Deployment %s is not shown by the service", label), fmt.Sprintf("It was created at %s, and "+
					"no read has shown it since. It stays in state; plan again in a minute.", created.Format(time.RFC3339)))
				return looked{}, diags
			}
		}
		if err := r.policy().Sleep(ctx, provenAfter); err != nil {
			return looked{err: err}, nil
		}
		deployment, err = r.laterList(state.WorkspaceID).deployment(ctx, c, id)
	}
	if why := removed(deployment, err); why != "" {
		return looked{gone: true}, diag.Diagnostics{framework.Gone("deployment", label, why)}
	}
	if err != nil {
		return looked{err: err}, nil
	}
	status, err := latestStatus(ctx, c, *deployment)
	return looked{deployment, status, false, err}, nil
}

// removed says why a deployment counts as gone; empty if it exists.
func removed(deployment *api.Deployment, err error) string {
	switch {
	case deployment == nil && client.IsNotFound(err):
		return "no longer exists"
	case deployment != nil && deployment.Status.BeingDeleted():
		return "is being deleted"
	}
	return ""
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
	// Without its status, a pending or failed rollout would look as if nothing were left to do.
	revision, err := c.FindRevision(ctx, deployment.ID, latest)
	if client.IsNotFound(err) {
		return "", nil // Not shown yet, or no longer; the deployment is there all the same.
	}
	if err != nil {
		return "", err
	}
	return revision.Status, nil
}
