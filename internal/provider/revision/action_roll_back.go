package revision

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// previous is the value of `to` for what was deployed before the revision that serves.
const previous = "previous"

// NewRollBackAction returns to a revision that was deployed before.
func NewRollBackAction() action.Action {
	return framework.NewAction(framework.ActionSpec[rollBackModel]{
		Name: "roll_back", Attributes: rollBackAttributes, Plan: planRollBack,
		Description: "Rolls a deployment back: makes a new revision from the source of one that was deployed before, and waits " +
			"until it is `DEPLOYED`. The plan shows the revisions before and after, with their image, commit or ref; it fails if " +
			"the revision was never deployed or isn't one of the deployment. A rollout of that source in progress is awaited " +
			"instead. " + redeploymentKeeps,
		Invoke: func(ctx context.Context, provider *framework.ProviderData, config rollBackModel, tell func(message string)) diag.Diagnostics {
			return config.redeployment(provider).invoke(ctx, provider.Policy(), config.Timeout, tell)
		},
	})
}

type rollBackModel struct {
	redeployModel

	To types.String `tfsdk:"to"`
}

func rollBackAttributes() map[string]schema.Attribute {
	attributes := redeployAttributes(schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "ID of the revision to return to: `DEPLOYED`, and not the newest. Exactly one of `revision_id` and " +
			"`to` must be set.",
		Validators: []validator.String{framework.UUID(), framework.ExactlyOneOf("revision_id", "to")},
	})
	attributes["to"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "`previous`: the newest `DEPLOYED` revision that is older than the one that serves " +
			"(`active_revision_id`) at the time of the action, and has another source. A revision that failed or is in progress " +
			"doesn't serve. After a rollback, `previous` is the revision that was rolled back.",
		Validators: []validator.String{framework.OneOf(previous)},
	}
	return attributes
}

func (m rollBackModel) redeployment(provider *framework.ProviderData) *redeployment {
	c := provider.In(m.WorkspaceID)
	r := newRedeployment("Cannot roll back deployment %s", c, m.redeployModel)
	r.choose = func(ctx context.Context, d api.Deployment) (*api.Revision, error) {
		if m.To.ValueString() == previous {
			return previousRevision(ctx, c, d)
		}
		return earlierRevision(ctx, c, d, m.RevisionID.ValueString())
	}
	return r
}

// previousRevision returns the newest revision that was deployed before the one that serves, and has another source. What is newer than
// the one that serves may be what a rollback has begun to deploy.
func previousRevision(ctx context.Context, c *client.Client, d api.Deployment) (*api.Revision, error) {
	if d.ActiveRevisionID == nil {
		return nil, refuse("to is %q, but no revision of deployment %q serves: there is nothing to roll back", previous, d.Name)
	}
	var serving *api.Revision
	for revision, err := range c.ListRevisions(ctx, d.ID, client.RevisionFilter{}) {
		switch {
		case err != nil:
			return nil, err
		case client.SameID(revision.ID, *d.ActiveRevisionID):
			serving = &revision
		case serving != nil && revision.Status == api.RevisionDeployed && !sameSource(revision, *serving):
			return &revision, nil
		}
	}
	if serving == nil {
		return nil, fmt.Errorf("the list of revisions doesn't have %s, which serves", *d.ActiveRevisionID)
	}
	return nil, refuse("to is %q, but no revision of deployment %q with another source was DEPLOYED before %s, which serves: there is "+
		"nothing to roll back to", previous, d.Name, serving.ID)
}

// earlierRevision returns a revision that was deployed.
func earlierRevision(ctx context.Context, c *client.Client, d api.Deployment, id string) (*api.Revision, error) {
	if client.SameID(id, *d.LatestRevisionID) {
		return nil, refuse("revision_id is %s, which is already the newest revision of deployment %q: set another one, or restart the "+
			"deployment with the action agentplane_redeploy_revision", id, d.Name)
	}
	revision, err := c.FindRevision(ctx, d.ID, id)
	if err == nil && revision.Status != api.RevisionDeployed {
		err = refuse("revision_id is %s, whose status is %s: set a revision that is DEPLOYED. The data source "+
			"agentplane_deployment_revisions lists them", id, revision.Status)
	}
	return revision, err
}

// planRollBack refuses what the service can be seen to refuse, and shows what happens. A plan of an action shows nothing but
// diagnostics.
func planRollBack(ctx context.Context, provider *framework.ProviderData, config rollBackModel) diag.Diagnostics {
	for _, value := range []types.String{config.WorkspaceID, config.DeploymentID, config.RevisionID, config.To} {
		if value.IsUnknown() {
			return nil
		}
	}
	r := config.redeployment(provider)
	_, s, err := r.prepare(ctx)
	if err == nil {
		how := "This makes a new revision"
		if s.running != nil {
			how = fmt.Sprintf("Revision %s is already in progress with that source: the action waits for it", s.running.ID)
		}
		return diag.Diagnostics{diag.NewWarningDiagnostic(fmt.Sprintf("Rollback of deployment %q", s.deployment.Name),
			fmt.Sprintf("It returns %s. %s; environment and compute stay as they are now.", s.change(), how))}
	}
	diags := r.failure(r.name).Diagnostics(err)
	if _, refused := errors.AsType[refusal](err); !refused && !client.IsNotFound(err) {
		return framework.AsWarnings(diags, "The plan could not check the rollback; the action checks it before it changes anything.")
	}
	return diags
}
