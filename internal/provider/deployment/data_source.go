package deployment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource reads one deployment, by ID or by name.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[singleDataModel]{
		Name: "deployment", Attributes: singleDataAttributes, Read: readOne,
		Description: "Reads a deployment, by ID or exact name, with the names of its environment variables.",
	})
}

type singleDataModel struct {
	dataModel
	LatestRevisionStatus types.String `tfsdk:"latest_revision_status"`
}

func readOne(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *singleDataModel) diag.Diagnostics {
	found, err := find(ctx, c, *config)
	if err != nil {
		return framework.Failure{Summary: "Cannot read deployment"}.Diagnostics(err)
	}
	if found == nil {
		return errorAt(path.Root("name"), "Deployment not found", "No deployment of this workspace is named %q. The data source "+
			"agentplane_deployments lists the existing ones. Also check workspace_id.", config.Name.ValueString())
	}
	status, err := latestStatus(ctx, c, *found)
	if err != nil {
		return framework.Failure{Summary: "Cannot read the newest revision"}.Diagnostics(err)
	}
	config.LatestRevisionStatus = framework.StringOrNull(status)
	config.dataModel = newDataModel(c, *found)
	return nil
}

// find returns nil without an error if no deployment has the name.
func find(ctx context.Context, c *client.Client, config singleDataModel) (*api.Deployment, error) {
	if !config.ID.IsNull() {
		return c.Deployments().Get(ctx, config.ID.ValueString())
	}
	for deployment, err := range c.ListDeployments(ctx, client.DeploymentFilter{Name: config.Name.ValueString()}) {
		return &deployment, err
	}
	return nil, nil
}

// newDataModel includes the whole resource_spec with its defaults: data sources show what exists, not what is managed.
func newDataModel(c *client.Client, answer api.Deployment) dataModel {
	m := newModel(model{}, answer, "", fingerprints{})
	m.SecretReferences = allSecretReferences(answer.SecretReferences)
	return m.withWholeSpec(answer).withDashboardURL(c).dataModel
}

// dataAttributes returns the attributes of one deployment. Values of environment variables may be secrets, so only their
// names are included.
func dataAttributes() map[string]schema.Attribute {
	return framework.Computed(deploymentSchema().Attributes,
		"workspace_id", "environment", "secrets", "secrets_wo", "secrets_wo_version", "environment_ownership", "triggers",
		"wait_for_deployed", "on_failed_create", "deletion_protection", "timeouts", "latest_revision_status", "delete_tracing_project",
		"revision_reasons")
}

// singleDataAttributes are dataAttributes with the two that a deployment can be looked up by.
func singleDataAttributes() map[string]schema.Attribute {
	all := dataAttributes()
	all["latest_revision_status"] = framework.DataString("Status of the newest revision.")
	all["id"] = framework.DataKey("ID of the deployment. Exactly one of `id` and `name` is set.",
		framework.UUID(), framework.ExactlyOneOf("id", "name"))
	all["name"] = framework.DataKey("Exact name of the deployment.", stringvalidator.LengthAtLeast(1))
	return all
}
