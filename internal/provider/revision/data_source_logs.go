package revision

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewLogsDataSource reads the end of a revision's log.
func NewLogsDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[logsModel]{Name: "deployment_revision_logs", Schema: logsSchema, Read: readLogs})
}

type logsModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	DeploymentID types.String `tfsdk:"deployment_id"`
	RevisionID   types.String `tfsdk:"revision_id"`
	Type         types.String `tfsdk:"type"`
	MaxLines     types.Int64  `tfsdk:"max_lines"`
	Lines        []lineModel  `tfsdk:"lines"`
}

type lineModel struct {
	Timestamp types.String `tfsdk:"timestamp"`
	Level     types.String `tfsdk:"level"`
	Message   types.String `tfsdk:"message"`
}

const (
	defaultLines = 100
	maxLines     = 1000 // The service's limit for one request.
)

func logsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads the last lines of the build log or the deploy log of a revision. The lines are " +
			"stored in state. Values of the deployment's environment variables are masked if the service returns these " +
			"values.",
		Attributes: map[string]schema.Attribute{
			"workspace_id":  framework.WorkspaceAttribute(),
			"deployment_id": deploymentIDAttribute(),
			"revision_id":   framework.DataKey("ID of the revision, a UUID. Default: the newest revision.", framework.UUID()),
			"type": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Which log to read: `build` or `deploy`. Revisions of a container image have an empty " +
					"build log.",
				Validators: []validator.String{stringvalidator.OneOf(string(api.LogTypeBuild), string(api.LogTypeDeploy))},
			},
			"max_lines": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("Maximum number of lines, from 1 to %d; the newest are returned. "+
					"Default: `%d`.", maxLines,
					defaultLines),
				Validators: []validator.Int64{framework.Between(1, maxLines)},
			},
			"lines": schema.ListNestedAttribute{
				Computed: true, Sensitive: true,
				MarkdownDescription: "The lines, oldest first. Hidden in plans, because logs may contain secrets.",
				NestedObject: framework.ComputedObject(map[string]schema.Attribute{
					"timestamp": framework.DataString("Time of the line (RFC 3339)."),
					"level":     framework.DataString("`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`."),
					"message":   framework.DataString("Text of the line."),
				}),
			},
		},
	}
}

func readLogs(ctx context.Context, provider framework.ProviderData, config *logsModel) diag.Diagnostics {
	c, failure := provider.In(config.WorkspaceID), framework.Failure{Summary: "Cannot read log"}
	deploymentID := config.DeploymentID.ValueString()
	deployment, err := c.GetDeployment(ctx, deploymentID)
	if err != nil {
		return failure.Diagnostics(err)
	}
	if config.RevisionID.IsNull() {
		config.RevisionID = framework.String(deployment.LatestRevisionID)
	}
	if config.RevisionID.IsNull() {
		return noRevision(deploymentID)
	}
	lines := cmp.Or(config.MaxLines.ValueInt64(), defaultLines)
	ctx = framework.MaskSecrets(ctx, deployment.Secrets)
	entries, err := c.RevisionLogs(ctx, deploymentID, config.RevisionID.ValueString(), api.LogType(config.Type.ValueString()), int(lines))
	if err != nil {
		return failure.Diagnostics(err)
	}
	config.Lines = make([]lineModel, len(entries))
	for i, entry := range entries {
		config.Lines[i] = lineModel{
			Timestamp: framework.StringOrNull(entry.Timestamp), Level: framework.StringOrNull(entry.Level),
			Message: types.StringValue(entry.Message),
		}
	}
	return nil
}
