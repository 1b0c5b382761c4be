package revision

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
