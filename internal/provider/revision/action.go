package revision

import (
	"cmp"
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const defaultTimeout = 30 * time.Minute

// NewRedeployAction makes a new revision from an earlier one.
func NewRedeployAction() action.Action {
	return framework.NewAction(framework.ActionSpec[redeployModel]{
		Name: "redeploy_revision", Invoke: redeploy,
		Description: "Redeploys a revision: makes a new revision from the same source and waits until it is " +
			"`DEPLOYED`. Redeploy the newest revision to restart the deployment or to repeat a failed rollout. To return to an earlier " +
			"revision, use the action `agentplane_roll_back`, which checks it first. " + redeploymentKeeps,
		Attributes: func() map[string]schema.Attribute {
			return redeployAttributes(schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "ID of the revision to redeploy, a UUID. Default: the newest revision.",
				Validators:          []validator.String{framework.UUID()},
			})
		},
	})
}

type redeployModel struct {
	WorkspaceID  types.String         `tfsdk:"workspace_id"`
	DeploymentID types.String         `tfsdk:"deployment_id"`
	RevisionID   types.String         `tfsdk:"revision_id"`
	Timeout      timetypes.GoDuration `tfsdk:"timeout"`
}

// redeploymentKeeps ends the descriptions of the actions that redeploy a revision.
const redeploymentKeeps = "Environment and compute stay as they are now. An action doesn't change state: if the new revision has another " +
	"source, the next plan of the deployment's resource shows an update to the configured version, until you change the " +
	"configuration.\n\n" +
	"While it waits, the action reports every change of the status and, if the rollout fails, the last lines of the log."

// redeployAttributes returns the arguments of the actions that redeploy a revision.
func redeployAttributes(revisionID schema.StringAttribute) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"deployment_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the deployment, a UUID.",
			Validators:          []validator.String{framework.UUID()},
		},
		"revision_id": revisionID,
		"timeout": schema.StringAttribute{
			Optional:   true,
			CustomType: timetypes.GoDurationType{},
			MarkdownDescription: "How long the redeployment, including the rollout, may take, a duration such as " +
				"`30s` or `2h45m`. Default: `30m`.",
			Validators: []validator.String{framework.Duration()},
		},
	}
}

func redeploy(ctx context.Context, provider *framework.ProviderData, config redeployModel, tell func(message string)) diag.Diagnostics {
	c := provider.In(config.WorkspaceID)
	r := newRedeployment("Cannot redeploy deployment %s", c, config)
	r.choose = func(ctx context.Context, d api.Deployment) (*api.Revision, error) {
		return c.FindRevision(ctx, d.ID, cmp.Or(config.RevisionID.ValueString(), *d.LatestRevisionID))
	}
	return r.invoke(ctx, provider.Policy(), config.Timeout, tell)
}
