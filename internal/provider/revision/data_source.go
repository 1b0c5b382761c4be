package revision

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource reads one revision of a deployment, by default the newest.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[singleModel]{
		Name: "deployment_revision", Attributes: singleAttributes, Read: readOne,
		Description: "Reads a revision of a deployment, by default the newest. Each revision is one rollout.",
	})
}

type singleModel struct {
	model
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func singleAttributes() map[string]schema.Attribute {
	all := attributes()
	all["deployment_id"] = deploymentIDAttribute()
	all["id"] = framework.DataKey("ID of the revision, a UUID. Default: the newest revision.", framework.UUID())
	return all
}

func readOne(ctx context.Context, provider framework.ProviderData, config *singleModel) diag.Diagnostics {
	found, err := find(ctx, provider.In(config.WorkspaceID), *config)
	if err != nil {
		return framework.Failure{Summary: "Cannot read revision"}.Diagnostics(err)
	}
	if found == nil {
		return noRevision(config.DeploymentID.ValueString())
	}
	config.model = newModel(*found)
	return nil
}

// find returns nil without an error if the deployment has no revision.
func find(ctx context.Context, c *client.Client, config singleModel) (*api.Revision, error) {
	deploymentID := config.DeploymentID.ValueString()
	if !config.ID.IsNull() {
		return c.GetRevision(ctx, deploymentID, config.ID.ValueString())
	}
	for revision, err := range c.ListRevisions(ctx, deploymentID, client.RevisionFilter{Limit: 1}) {
		return &revision, err
	}
	return nil, nil
}

func noRevision(deploymentID string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("deployment_id"), "No revision",
		fmt.Sprintf("Deployment %s has no revision yet.", deploymentID))}
}
