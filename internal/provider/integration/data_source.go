package integration

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewDataSource is one integration, by id or by name.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[model]{
		Name: "integration", Attributes: singleAttributes, Read: readOne,
		Description: "Reads a Git hosting integration, by ID or account. `git_host` deployments are built from the " +
			"repositories of an integration.",
	})
}

func readOne(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *model) diag.Diagnostics {
	// The service has no read of a single integration.
	integrations, err := client.Collect(c.ListIntegrations(ctx))
	if err != nil {
		return framework.Failure{Summary: "Cannot read integration"}.Diagnostics(err)
	}
	switch found := config.choose(integrations); len(found) {
	case 1:
		*config = framework.Flatten(*config, found[0])
		return nil
	case 0:
		return framework.NewError("Integration not found", "No Git hosting integration of this workspace has the %s. The data source "+
			"agentplane_integrations lists the existing ones; the app is installed at the Git host.", config)
	default:
		return framework.NewError("More than one integration", "%d Git hosting integrations of this workspace have the %s. Look it up by id instead.",
			len(found), config)
	}
}

// choose returns those that have the configured id, or the configured name.
func (m model) choose(integrations []api.Integration) []api.Integration {
	var found []api.Integration
	for _, integration := range integrations {
		if integration.ID == m.ID.ValueString() || m.ID.IsNull() && integration.Name == m.Name.ValueString() {
			found = append(found, integration)
		}
	}
	return found
}

// String describes the integration that is wanted.
func (m model) String() string {
	if m.ID.IsNull() {
		return fmt.Sprintf("name %q", m.Name.ValueString())
	}
	return fmt.Sprintf("id %q", m.ID.ValueString())
}

// attributes are those of one integration; all of them are read from the service.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": framework.DataString("ID of the integration: the `source_config.integration_id` of a deployment."),
		"installation_id": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "The Git host's numeric ID of the installation.",
		},
		"name": framework.DataString("Account at the Git host in which the app is installed."),
	}
}

// singleAttributes are attributes with the two that an integration can be looked up by.
func singleAttributes() map[string]schema.Attribute {
	all := attributes()
	all["id"] = framework.DataKey("ID of the integration: the `source_config.integration_id` of a deployment. Exactly one of "+
		"`id` and `name` is set.", framework.UUID(), framework.ExactlyOneOf("id", "name"))
	all["name"] = framework.DataKey("Account at the Git host in which the app is installed.",
		stringvalidator.LengthAtLeast(1))
	return all
}

// model is one integration, in the data source of one and in the list of many.
type model struct {
	ID             types.String `tfsdk:"id"`
	InstallationID types.Int64  `tfsdk:"installation_id"`
	Name           types.String `tfsdk:"name"`
}

// NewListDataSource lists the integrations of the workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[struct{}, api.Integration, model]{
		Name: "integrations", Summary: "Cannot list integrations", Attributes: attributes,
		Description: "Lists the Git hosting integrations of the workspace. `git_host` deployments are built from " +
			"the repositories of an integration.",
		ListDescription: "All integrations of the workspace, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, _ struct{}) iter.Seq2[api.Integration, error] {
			return c.ListIntegrations(ctx)
		},
	})
}

// repositoriesConfig selects repositories of an integration.
type repositoriesConfig struct {
	IntegrationID types.String `tfsdk:"integration_id"`
	Name          types.String `tfsdk:"name"`
	Owner         types.String `tfsdk:"owner"`
}

// NewRepositoriesDataSource lists the repositories that an integration can reach.
func NewRepositoriesDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[repositoriesConfig, api.Repository, repositoryModel]{
		Name: "integration_repositories", Summary: "Cannot list repositories", List: "repositories", Attributes: repositoryAttributes,
		Description: "Lists the repositories that a Git hosting integration can reach, filtered. `git_host` " +
			"deployments are built from them.",
		Arguments: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"integration_id": framework.DataRequired("ID of the integration (see the data source `agentplane_integration`).", framework.UUID()),
				"name": framework.DataFilter("Only repositories of exactly this name, without the owner.",
					stringvalidator.LengthAtLeast(1)),
				"owner": framework.DataFilter("Only repositories of exactly this account.",
					stringvalidator.LengthAtLeast(1)),
			}
		},
		ListDescription: "The repositories, in the service's order.",
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
