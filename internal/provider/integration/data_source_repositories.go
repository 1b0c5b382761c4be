package integration

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// repositoriesConfig selects repositories of an integration.
type repositoriesConfig struct {
	IntegrationID types.String `tfsdk:"integration_id"`
	Name          types.String `tfsdk:"name"`
	Owner         types.String `tfsdk:"owner"`
}

// NewRepositoriesDataSource lists the repositories that an integration can reach.
func NewRepositoriesDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[repositoriesConfig, api.Repository, repositoryModel]{
		Name: "integration_repositories", Summary: "Cannot list repositories", List: "repositories", Attributes: repositoryAttributes, Model: newRepositoryModel,
		Description: "Lists the repositories that a Git hosting integration can reach, filtered. `git_host` " +
			"deployments are built from them.",
		Arguments: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"integration_id": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "ID of the integration, a UUID (see the data source `agentplane_integration`).",
					Validators:          []validator.String{framework.UUID()},
				},
				"name": framework.DataFilter("Only repositories of exactly this name, without the owner. Default: all.",
					stringvalidator.LengthAtLeast(1)),
				"owner": framework.DataFilter("Only repositories of exactly this account at the Git host. Default: all.",
					stringvalidator.LengthAtLeast(1)),
			}
		},
		ListDescription: "The repositories, in the order in which the service lists them.",
		Items: func(ctx context.Context, c *client.Client, config repositoriesConfig) iter.Seq2[api.Repository, error] {
			return client.Filter(c.ListRepositories(ctx, config.IntegrationID.ValueString()), config.match)
		},
	})
}

type repositoryModel struct {
	ID            types.Int64  `tfsdk:"id"`
	Name          types.String `tfsdk:"name"`
	Owner         types.String `tfsdk:"owner"`
	URL           types.String `tfsdk:"url"`
	DefaultBranch types.String `tfsdk:"default_branch"`
}

// repositoryAttributes are those of one repository; all of them are read from the service.
func repositoryAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "The Git host's numeric ID of the repository.",
		},
		"name":           framework.DataString("Name of the repository, without the owner."),
		"owner":          framework.DataString("Account at the Git host that the repository belongs to."),
		"url":            framework.DataString("URL of the repository: the `source_config.repo_url` of a deployment."),
		"default_branch": framework.DataString("Default branch of the repository, for a deployment's `source_revision_config.repo_ref`."),
	}
}

// match filters here: the service has no filters.
func (m repositoriesConfig) match(repository api.Repository) bool {
	return (m.Name.IsNull() || m.Name.ValueString() == repository.Name) &&
		(m.Owner.IsNull() || m.Owner.ValueString() == repository.Owner)
}

func newRepositoryModel(repository api.Repository) repositoryModel {
	return repositoryModel{
		ID:            types.Int64Value(repository.ID),
		Name:          types.StringValue(repository.Name),
		Owner:         types.StringValue(repository.Owner),
		URL:           types.StringValue(repository.URL),
		DefaultBranch: framework.StringOrNull(repository.DefaultBranch),
	}
}
