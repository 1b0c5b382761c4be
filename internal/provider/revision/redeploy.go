package revision

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

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
	r.Revision = made
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

// send requests the redeployment, repeatedly while another change is in progress, and returns the new revision.
func (r *redeployment) send(ctx context.Context, revisionID string) (api.Revision, error) {
	source, err := r.Client.GetRevision(ctx, r.deployment.ID, revisionID)
	if err != nil {
		return api.Revision{}, err
	}
	proof, err := rollout.Write{
		Client: r.Client, Policy: r.Policy, DeploymentID: r.deployment.ID, Method: http.MethodPost, Revision: true,
		Send: func(ctx context.Context, _ api.Deployment) (*api.Deployment, error) {
			return r.Client.RedeployRevision(ctx, r.deployment.ID, revisionID)
		},
		Source:   &source.SourceRevisionConfig,
		Conflict: func() { r.heartbeat("deployment %q: waiting for another change in progress", r.deployment.Name) },
	}.Do(ctx, r.left())
	if err != nil {
		return api.Revision{}, err
	}
	return api.Revision{ID: proof.Revision.ID}, nil // The wait reports its status.
}
