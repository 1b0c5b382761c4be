package deployment

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
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
		return framework.ErrorAt(path.Root("name"), "Deployment not found", "No deployment of this workspace is named %q. The data source "+
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
	return framework.Computed(deploymentSchema().Attributes, "workspace_id", "environment", "secrets", "secrets_wo", "secrets_wo_version",
		"environment_ownership", "triggers", "wait_for_deployed", "on_failed_create", "deletion_protection", "timeouts", "latest_revision_status",
		"delete_tracing_project", "revision_reasons")
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

// NewListDataSource lists the deployments of a workspace that match the filters.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[filterModel, api.Deployment, dataModel]{
		Name: "deployments", Summary: "Cannot list deployments", Arguments: filterAttributes, Attributes: dataAttributes,
		Description: "Lists the deployments of a workspace that match all filters. Of their environments, only the " +
			"names are available.",
		ListDescription: "The deployments, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, f filterModel) iter.Seq2[api.Deployment, error] {
			return f.list(ctx, c)
		},
		Model: newDataModel,
	})
}

// NewListResource finds deployments for terraform query.
func NewListResource() list.ListResource {
	return framework.NewListResource(framework.ListSpec[filterModel, api.Deployment]{
		TypeName: "deployment", Plural: "deployments",
		Description: "Lists the deployments of a workspace, filtered, to import them in bulk. Deployments that are being " +
			"deleted are left out.",
		Filters: listFilters(),
		Items: func(ctx context.Context, c *client.Client, f filterModel) (iter.Seq2[api.Deployment, error], diag.Diagnostics) {
			return client.Filter(f.list(ctx, c), func(d api.Deployment) bool { return !d.Status.BeingDeleted() }), nil
		},
		Name: func(d api.Deployment) string { return d.Name },
		Model: func(workspaceID types.String, d api.Deployment) framework.Identified {
			return model{WorkspaceID: workspaceID, dataModel: dataModel{ID: types.StringValue(d.ID)}}
		},
		Complete: listedModel,
	})
}

// listedModel may send a request for the newest revision.
func listedModel(ctx context.Context, c *client.Client, workspaceID types.String, d api.Deployment) (framework.Identified, diag.Diagnostics) {
	status, err := latestStatus(ctx, c, d)
	if err != nil {
		return nil, framework.Failure{Summary: fmt.Sprintf("Cannot read the newest revision of deployment %q", d.Name)}.Diagnostics(err)
	}
	m := newModel(model{}, withoutContainerValues(d), status, fingerprints{})
	m.WorkspaceID = workspaceID
	return m.withDashboardURL(c).adoptImported(c.Dialect()), nil
}

// withoutContainerValues leaves out the values of containers' variables, which are sensitive in the state: query results
// are shown unmasked.
func withoutContainerValues(d api.Deployment) api.Deployment {
	if d.SourceConfig.ResourceSpec == nil {
		return d
	}
	spec := *d.SourceConfig.ResourceSpec
	d.SourceConfig.ResourceSpec = &spec
	for _, containers := range []*[]api.Container{&spec.InitContainers, &spec.Sidecars} {
		*containers = slices.Clone(*containers)
		for i, container := range *containers {
			variables := slices.Clone(container.Env)
			for j := range variables {
				variables[j].Value = nil
			}
			(*containers)[i].Env = variables
		}
	}
	return d
}

// filterModel selects deployments in the list data source and in the list resource. They must match every filter that is
// set.
type filterModel struct {
	Name           types.String `tfsdk:"name"`
	NameContains   types.String `tfsdk:"name_contains"`
	Status         types.String `tfsdk:"status"`
	DeploymentType types.String `tfsdk:"deployment_type"`
	ImageVersion   types.String `tfsdk:"image_version"`
	IDs            types.List   `tfsdk:"ids"`
}

// list returns the deployments that match. An empty list of IDs matches none; the service would treat it as no filter.
func (m filterModel) list(ctx context.Context, c *client.Client) iter.Seq2[api.Deployment, error] {
	if !m.IDs.IsNull() && len(m.IDs.Elements()) == 0 {
		return client.Items[api.Deployment](nil, nil)
	}
	return c.ListDeployments(ctx, client.DeploymentFilter{
		Name:           m.Name.ValueString(),
		NameContains:   m.NameContains.ValueString(),
		Status:         api.DeploymentStatus(m.Status.ValueString()),
		DeploymentType: api.DeploymentType(m.DeploymentType.ValueString()),
		ImageVersion:   m.ImageVersion.ValueString(),
		IDs:            framework.Texts[string](m.IDs),
	})
}

func filterAttributes() map[string]schema.Attribute { return framework.DataArguments(listFilters()) }

func listFilters() map[string]resource.Attribute {
	return map[string]resource.Attribute{
		"name":          framework.ListFilter("Only the deployment of this name."),
		"name_contains": framework.ListFilter("Only deployments whose name contains this text."),
		"status": framework.ListFilter("Only deployments with this status: `AWAITING_DATABASE`, `READY`, `UNUSED`, "+
			"`AWAITING_DELETE` or `UNKNOWN`.", framework.OneOf(api.DeploymentStatuses...)),
		"deployment_type": framework.ListFilter("Only deployments of this tier: `dev_free`, `dev` or `prod`.",
			framework.OneOf(api.DeploymentTypes...)),
		"image_version": framework.ListFilter("Only deployments that run this image version."),
		"ids": framework.OptionalTextList("Only deployments with one of these IDs. An empty list matches none.",
			listvalidator.ValueStringsAre(framework.UUID())),
	}
}
