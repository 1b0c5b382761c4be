package revision

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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
	DeploymentID types.String `tfsdk:"deployment_id"`
}

func singleAttributes() map[string]schema.Attribute {
	all := attributes()
	all["deployment_id"] = deploymentIDAttribute()
	all["id"] = framework.DataKey("ID of the revision. Default: the newest revision.", framework.UUID())
	return all
}

func readOne(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *singleModel) diag.Diagnostics {
	found, err := find(ctx, c, *config)
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

// listConfig selects revisions of a deployment.
type listConfig struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
	Status       types.Set    `tfsdk:"status"`
	MaxResults   types.Int64  `tfsdk:"max_results"`
}

// NewListDataSource lists the revisions of a deployment, newest first.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[listConfig, api.Revision, model]{
		Name: "deployment_revisions", Summary: "Cannot list revisions", List: "revisions", Arguments: listArguments, Attributes: attributes, Model: newModel,
		Description:     "Lists the revisions of a deployment, newest first. Each revision is one rollout.",
		ListDescription: "The revisions, newest first.",
		Items: func(ctx context.Context, c *client.Client, config listConfig) iter.Seq2[api.Revision, error] {
			return c.ListRevisions(ctx, config.DeploymentID.ValueString(), client.RevisionFilter{
				Limit: int(config.MaxResults.ValueInt64()), Statuses: framework.Texts[api.RevisionStatus](config.Status),
			})
		},
	})
}

func listArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"deployment_id": deploymentIDAttribute(),
		"status": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Only revisions in one of these states, for example `[\"DEPLOYED\"]`.",
			Validators: []validator.Set{
				framework.SetValue(setvalidator.SizeAtLeast(1)), setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
			},
		},
		"max_results": schema.Int64Attribute{
			Optional:            true,
			MarkdownDescription: "Maximum number of revisions, newest first. Default: all.",
			Validators:          []validator.Int64{framework.AtLeast(1)},
		},
	}
}

// attributes returns the attributes of one revision; all are read from the service.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": framework.DataString("ID of the revision."),
		"status": framework.DataString("Status: `DEPLOYED`, one with `FAILED`, `SKIPPED` (superseded by a newer revision), or " +
			"another while in progress."),
		"status_message": framework.DataString("Reason for a failure; null if the service gives none."),
		"source":         framework.DataString("Where the code comes from: `git_host` or `external_container`."),
		"source_revision_config": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "What the revision deploys.",
			Attributes: map[string]schema.Attribute{
				"repo_ref":          framework.DataString("Branch or full tag ref that was built; null for `external_container`."),
				"graph_config_path": framework.DataString("Path of the graph configuration file; null for `external_container`."),
				"image_uri":         framework.DataString("Container image; null for `git_host`."),
				"repo_commit_sha":   framework.DataString("Commit that was built; null for `external_container`."),
			},
		},
		"created_at": framework.DataString("Time of creation (RFC 3339)."),
		"updated_at": framework.DataString("Time of the last change (RFC 3339)."),
	}
}

func deploymentIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "ID of the deployment.",
		Validators:          []validator.String{framework.UUID()},
	}
}

// model is one revision in data sources.
type model struct {
	ID                   types.String               `tfsdk:"id"`
	Status               types.String               `tfsdk:"status"`
	StatusMessage        types.String               `tfsdk:"status_message"`
	Source               types.String               `tfsdk:"source"`
	SourceRevisionConfig *sourceRevisionConfigModel `tfsdk:"source_revision_config"`
	CreatedAt            types.String               `tfsdk:"created_at"`
	UpdatedAt            types.String               `tfsdk:"updated_at"`
}

type sourceRevisionConfigModel struct {
	RepoRef         types.String `tfsdk:"repo_ref"`
	GraphConfigPath types.String `tfsdk:"graph_config_path"`
	ImageURI        types.String `tfsdk:"image_uri"`
	RepoCommitSHA   types.String `tfsdk:"repo_commit_sha"`
}

func newModel(revision api.Revision) model {
	m := framework.Flatten(model{}, revision)
	m.SourceRevisionConfig = new(framework.Flatten(sourceRevisionConfigModel{}, revision.SourceRevisionConfig))
	return m
}
