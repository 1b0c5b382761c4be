package deployment

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
