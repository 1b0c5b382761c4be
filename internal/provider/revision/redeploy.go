package revision

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// resolveLimit is how long to look for the revision of a redeployment whose reply was lost.
const resolveLimit = 30 * time.Second

// redeployment makes a revision and follows it.
type redeployment struct{ *rolling }

// begin redeploys the revision with the ID, or the newest if it is empty. The returned context masks the deployment's
// secrets in every text from the service.
func (r *redeployment) begin(ctx context.Context, deploymentID, revisionID string) (context.Context, diag.Diagnostics) {
	failure := framework.Failure{
		Summary: fmt.Sprintf("Cannot redeploy deployment %s", deploymentID),
		NextSteps: map[int]string{
			http.StatusNotFound: "Check deployment_id, workspace_id and revision_id, which must be a revision of this " +
				"deployment. The data source agentplane_deployment_revisions lists the existing ones.",
			http.StatusConflict: "Another change of the deployment is in progress. Run the action again when it has " +
				"finished.",
		},
	}
	before, err := r.Client.GetDeployment(ctx, deploymentID)
	if err == nil {
		err = redeployable(*before, revisionID)
	}
	if err != nil {
		return ctx, failure.Diagnostics(err)
	}
	r.deployment = *before
	failure.Summary = fmt.Sprintf("Cannot redeploy deployment %q", before.Name)
	ctx = framework.MaskSecrets(ctx, before.Secrets)
	newest := *before.LatestRevisionID
	if revisionID == "" || revisionID == newest {
		revisionID = newest
		r.tell("deployment %q: redeploying its newest revision, %s", before.Name, revisionID)
	} else {
		r.tell("deployment %q: rolling back from revision %s to %s", before.Name, newest, revisionID)
	}
	made, err := r.send(ctx, revisionID)
	if err != nil {
		return ctx, failure.Diagnostics(err)
	}
	r.Revision = api.Revision{ID: made}
	return ctx, nil
}

// redeployable returns an error that says why a deployment can't be redeployed.
func redeployable(d api.Deployment, revisionID string) error {
	switch {
	case d.Status.BeingDeleted():
		return fmt.Errorf("deployment %q is being deleted", d.Name)
	case d.LatestRevisionID == nil && revisionID == "":
		return fmt.Errorf("deployment %q has no revision yet: create one by applying the resource that manages it", d.Name)
	case d.LatestRevisionID == nil:
		return fmt.Errorf("deployment %q has no revision yet, so revision %s belongs to another deployment: check "+
			"deployment_id", d.Name, revisionID)
	}
	return nil
}

// send requests the redeployment, repeatedly while another change is in progress, and returns the ID of the new revision.
func (r *redeployment) send(ctx context.Context, revisionID string) (string, error) {
	return poll.Until(ctx, r.Policy, r.left(), client.IsConflict, func(ctx context.Context) (string, bool, error) {
		answer, err := r.Client.RedeployRevision(ctx, r.deployment.ID, revisionID)
		switch {
		case client.IsAmbiguous(err) && ctx.Err() == nil:
			made, resolved := r.resolve(ctx, revisionID)
			if resolved {
				return made, true, nil
			}
			return "", false, err
		case client.IsConflict(err):
			r.heartbeat("deployment %q: waiting for another change in progress", r.deployment.Name)
			return "", false, err
		case err != nil:
			return "", false, err
		case *answer.LatestRevisionID == *r.deployment.LatestRevisionID:
			return "", false, errors.New("the service accepted the redeployment, but returned no new revision: check the " +
				"deployment's newest revision before running the action again")
		}
		return *answer.LatestRevisionID, true, nil
	})
}

// resolve looks for the revision of a redeployment whose reply was lost. A later revision from the same source as the one
// to redeploy is accepted: whoever made it, it is the requested one. No single unexpected response ends the search.
func (r *redeployment) resolve(ctx context.Context, revisionID string) (string, bool) {
	r.tell("deployment %q: the reply was lost, looking for a new revision", r.deployment.Name)
	anything := func(error) bool { return true }
	made, err := poll.Until(ctx, r.Policy, min(resolveLimit, r.left()), anything, func(ctx context.Context) (string, bool, error) {
		now, err := r.Client.GetDeployment(ctx, r.deployment.ID)
		if err != nil || now.LatestRevisionID == nil || *now.LatestRevisionID == *r.deployment.LatestRevisionID {
			return "", false, err
		}
		source, err := r.Client.GetRevision(ctx, r.deployment.ID, revisionID)
		if err != nil {
			return "", false, err
		}
		found, err := r.Client.GetRevision(ctx, r.deployment.ID, *now.LatestRevisionID)
		if err != nil || !reflect.DeepEqual(found.SourceRevisionConfig, source.SourceRevisionConfig) {
			return "", err == nil, err
		}
		return *now.LatestRevisionID, true, nil
	})
	return made, err == nil && made != ""
}
