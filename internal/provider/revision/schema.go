package revision

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes returns the attributes of one revision; all are read from the service.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": framework.DataString("ID of the revision, a UUID."),
		"status": framework.DataString("Status of the rollout: `DEPLOYED` means success, a status that contains `FAILED` means " +
			"failure, `SKIPPED` means superseded by a newer revision, and any other status means in progress."),
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
		"created_at": framework.DataString("When the revision was made (RFC 3339)."),
		"updated_at": framework.DataString("When the revision was last changed (RFC 3339)."),
	}
}

func deploymentIDAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "ID of the deployment, a UUID.",
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
	return model{
		ID:            types.StringValue(revision.ID),
		Status:        types.StringValue(string(revision.Status)),
		StatusMessage: framework.String(revision.StatusMessage),
		Source:        framework.StringOrNull(revision.Source),
		SourceRevisionConfig: &sourceRevisionConfigModel{
			RepoRef:         framework.String(revision.SourceRevisionConfig.RepoRef),
			GraphConfigPath: framework.String(revision.SourceRevisionConfig.GraphConfigPath),
			ImageURI:        framework.String(revision.SourceRevisionConfig.ImageURI),
			RepoCommitSHA:   framework.String(revision.SourceRevisionConfig.RepoCommitSHA),
		},
		CreatedAt: framework.StringOrNull(revision.CreatedAt),
		UpdatedAt: framework.StringOrNull(revision.UpdatedAt),
	}
}
