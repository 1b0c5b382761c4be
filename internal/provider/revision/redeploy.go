package revision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// redeployment makes a revision from an earlier one, and follows it with progress messages, which have the elapsed time.
type redeployment struct {
	rollout.Rollout
	// summary is that of a failure. In place of %s, it has the name of the deployment: its ID until that is known.
	summary, name string
	// nextSteps are the remedies by status.
	nextSteps map[int]string
	// choose returns the revision of a deployment, which has revisions, to make it from.
	choose func(context.Context, api.Deployment) (*api.Revision, error)

	// deployment is as before the redeployment, and to is the revision that was chosen.
	deployment api.Deployment
	to         api.Revision
	// from is the revision that serves or, if none does, the newest.
	from api.Revision
	// running is the newest revision, if its rollout is in progress and has the source of an earlier one that is to be redeployed.
	running *api.Revision

	limit       time.Duration
	send        func(string)
	start, told time.Time
}

// newRedeployment returns that of the configured revision, or of the newest.
func newRedeployment(summary string, provider *framework.ProviderData, config revisionModel) *redeployment {
	c, id := provider.In(config.WorkspaceID), config.DeploymentID.ValueString()
	return &redeployment{
		Rollout: rollout.Rollout{Client: c, Policy: provider.Policy(), DeploymentID: id, Shown: true}, summary: summary, name: id,
		nextSteps: map[int]string{
			http.StatusNotFound: "Check deployment_id, workspace_id and revision_id, which must be a revision of this " +
				"deployment. The data source agentplane_deployment_revisions lists the existing ones.",
			http.StatusConflict: "Another change of the deployment is in progress. Run the action again when it has finished.",
		},
		choose: func(ctx context.Context, d api.Deployment) (*api.Revision, error) {
			return c.Revisions(d.ID).Find(ctx, cmp.Or(config.RevisionID.ValueString(), *d.LatestRevisionID))
		},
	}
}

func (r *redeployment) failed(err error) diag.Diagnostics {
	summary := fmt.Sprintf(r.summary, r.name)
	return framework.Failure{Summary: summary, NextSteps: r.nextSteps}.Diagnostics(err)
}

// refusal is the reason why a deployment can't be redeployed.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// find reads the deployment and the revision. The returned context masks the deployment's secrets in every text from the service.
func (r *redeployment) find(ctx context.Context) (context.Context, error) {
	d, err := r.Client.Deployments().Get(ctx, r.DeploymentID)
	if err != nil {
		return ctx, err
	}
	ctx = framework.MaskSecrets(ctx, d.Secrets)
	r.deployment, r.DeploymentID, r.name = *d, d.ID, strconv.Quote(d.Name)
	switch {
	case d.Status.BeingDeleted():
		return ctx, refuse("deployment %q is being deleted", d.Name)
	case d.LatestRevisionID == nil:
		return ctx, refuse("deployment %q has no revision yet: create one by applying the resource that manages it. A "+
			"revision_id, if it is set, belongs to another deployment: check deployment_id", d.Name)
	}
	to, err := r.choose(ctx, *d)
	if err == nil {
		r.to = *to
	}
	return ctx, err
}

// prepare is find, and reads what serves and what is in progress.
func (r *redeployment) prepare(ctx context.Context) (context.Context, error) {
	ctx, err := r.find(ctx)
	if err != nil || client.SameID(r.to.ID, *r.deployment.LatestRevisionID) {
		return ctx, err
	}
	revisions, active := r.Client.Revisions(r.DeploymentID), r.deployment.ActiveRevisionID
	newest, err := revisions.Find(ctx, *r.deployment.LatestRevisionID)
	if err != nil {
		return ctx, err
	}
	r.from = *newest
	if !hasEnded(newest.Status) && sameSource(*newest, r.to) {
		r.running = newest
	}
	if active == nil || client.SameID(*active, newest.ID) {
		return ctx, nil
	}
	serving, err := revisions.Find(ctx, *active)
	if err == nil {
		r.from = *serving
	}
	return ctx, err
}

// change describes the revisions before and after.
func (r *redeployment) change() string {
	return fmt.Sprintf("from revision %s to %s", described(r.from.ID, r.from.SourceRevisionConfig), described(r.to.ID, r.to.SourceRevisionConfig))
}

// sameSource reports whether two revisions are known to have the same source. Builds of the same commit have it, whatever ref named it.
func sameSource(a, b api.Revision) bool {
	one, other := a.SourceRevisionConfig, b.SourceRevisionConfig
	if one.RepoCommitSHA != nil && other.RepoCommitSHA != nil && *one.RepoCommitSHA != "" && *other.RepoCommitSHA != "" {
		one.RepoRef, one.ImageURI, other.RepoRef, other.ImageURI = nil, nil, nil, nil
	}
	return a.Source == b.Source && reflect.DeepEqual(one, other)
}

// described returns a revision with its commit, ref or image. Services also report the images that they built from repositories.
func described(id string, source api.SourceRevisionConfig) string {
	for _, made := range []*string{source.RepoCommitSHA, source.RepoRef, source.ImageURI} {
		if made != nil && *made != "" {
			return fmt.Sprintf("%s (%s)", id, *made)
		}
	}
	return id
}

// invoke redeploys the revision and waits until the new one is deployed.
func (r *redeployment) invoke(ctx context.Context, timeout timetypes.GoDuration, tell func(string)) diag.Diagnostics {
	r.limit, r.send, r.start, r.OnRead = framework.DurationOr(timeout, defaultTimeout), tell, r.Policy.Now(), r.report
	r.told = r.start
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	limited, err := r.prepare(limited)
	switch {
	case err != nil:
	case r.running != nil:
		r.tell("deployment %q: revision %s is already rolling back %s", r.deployment.Name, r.running.ID, r.change())
		r.Revision.ID = r.running.ID // The wait reports its status.
	case client.SameID(r.to.ID, *r.deployment.LatestRevisionID):
		r.tell("deployment %q: redeploying its newest revision, %s", r.deployment.Name, r.to.ID)
		err = r.redeploy(limited)
	default:
		r.tell("deployment %q: rolling back %s", r.deployment.Name, r.change())
		err = r.redeploy(limited)
	}
	if err != nil {
		return r.failed(err)
	}
	r.tell("revision %s: waiting for its rollout, which continues if Terraform is interrupted", r.Revision.ID)
	return r.wait(framework.MaskSecrets(ctx, r.deployment.Secrets))
}

// redeploy requests the redeployment, repeatedly while another change is in progress, and follows the new revision from then on.
func (r *redeployment) redeploy(ctx context.Context) error {
	proof, err := rollout.Write{
		Client: r.Client, Policy: r.Policy, DeploymentID: r.DeploymentID, Method: http.MethodPost, Revision: true,
		Send: func(ctx context.Context, _ api.Deployment) (*api.Deployment, error) {
			return r.Client.RedeployRevision(ctx, r.DeploymentID, r.to.ID)
		},
		Source:   &r.to.SourceRevisionConfig,
		Conflict: func() { r.heartbeat("deployment %q: waiting for another change in progress", r.deployment.Name) },
	}.Do(ctx, r.left())
	if err == nil {
		r.Revision.ID = proof.Revision.ID // The wait reports its status.
	}
	return err
}

const defaultTimeout = 30 * time.Minute

// NewRedeployAction makes a new revision from an earlier one.
func NewRedeployAction() action.Action {
	return framework.NewAction(framework.ActionSpec[redeployModel]{
		Name: "redeploy_revision", Invoke: redeploy,
		Description: "Redeploys a revision: makes a new revision from the same source and waits until it is `DEPLOYED`, to " +
			"restart the deployment or to repeat a failed rollout. To return to an earlier revision, use the action " +
			"`agentplane_roll_back`, which checks it first. " + redeploymentKeeps,
		Attributes: func() map[string]schema.Attribute {
			return redeployAttributes(framework.OptionalString("ID of the revision to redeploy. Default: the newest revision.", framework.UUID()))
		},
	})
}

// revisionModel identifies a revision of a deployment.
type revisionModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
	RevisionID   types.String `tfsdk:"revision_id"`
}

type redeployModel struct {
	revisionModel

	Timeout timetypes.GoDuration `tfsdk:"timeout"`
}

// redeploymentKeeps ends the descriptions of the actions that redeploy a revision.
const redeploymentKeeps = "Environment and compute stay as they are. If the new revision has another source, the next plan of " +
	"the resource shows an update back to the configured one, until you change the configuration.\n\nThe action reports each " +
	"status and, if the rollout fails, the end of the log."

// redeployAttributes returns the arguments of the actions that redeploy a revision.
func redeployAttributes(revisionID schema.StringAttribute) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"deployment_id": framework.RequiredString("ID of the deployment.", framework.UUID()),
		"revision_id":   revisionID,
		"timeout":       framework.OptionalDuration("Limit, including the rollout, such as `30s` or `2h45m`. Default: `30m`."),
	}
}

func redeploy(ctx context.Context, provider *framework.ProviderData, config redeployModel, tell func(message string)) diag.Diagnostics {
	return newRedeployment("Cannot redeploy deployment %s", provider, config.revisionModel).invoke(ctx, config.Timeout, tell)
}

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
			return config.redeployment(provider).invoke(ctx, config.Timeout, tell)
		},
	})
}

type rollBackModel struct {
	redeployModel

	To types.String `tfsdk:"to"`
}

func rollBackAttributes() map[string]schema.Attribute {
	attributes := redeployAttributes(framework.OptionalString("ID of the revision to return to: `DEPLOYED`, and not the newest. Exactly "+
		"one of `revision_id` and `to` must be set.", framework.UUID(), framework.ExactlyOneOf("revision_id", "to")))
	attributes["to"] = framework.OptionalString("`previous`: the newest `DEPLOYED` revision that is older than the one that serves "+
		"(`active_revision_id`) at the time of the action, and has another source. A revision that failed or is in progress "+
		"doesn't serve. After a rollback, `previous` is the revision that was rolled back.", framework.OneOf(previous))
	return attributes
}

func (m rollBackModel) redeployment(provider *framework.ProviderData) *redeployment {
	r := newRedeployment("Cannot roll back deployment %s", provider, m.revisionModel)
	r.choose = func(ctx context.Context, d api.Deployment) (*api.Revision, error) {
		if m.To.ValueString() == previous {
			return previousRevision(ctx, r.Client, d)
		}
		return earlierRevision(ctx, r.Client, d, m.RevisionID.ValueString())
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
	revision, err := c.Revisions(d.ID).Find(ctx, id)
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
	_, err := r.prepare(ctx)
	if err == nil {
		how := "This makes a new revision"
		if r.running != nil {
			how = fmt.Sprintf("Revision %s is already in progress with that source: the action waits for it", r.running.ID)
		}
		return framework.NewWarning(fmt.Sprintf("Rollback of deployment %q", r.deployment.Name), "It returns %s. %s; environment and compute stay as "+
			"they are now.", r.change(), how)
	}
	diags := r.failed(err)
	if _, refused := errors.AsType[refusal](err); !refused && !client.IsNotFound(err) {
		return framework.AsWarnings(diags, "The plan could not check the rollback; the action checks it before it changes anything.")
	}
	return diags
}
