package revision

import (
	"cmp"
	"context"
	"fmt"
	"time"

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

// NewLogsDataSource reads the end of a revision's log.
func NewLogsDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[logsModel]{
		Name: "deployment_revision_logs", Read: readLogs,
		Description: "Reads the last lines of the build or deploy log of a revision, or those of a time range. The lines are " +
			"stored in state; values of environment variables that the service returns are masked.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"deployment_id": deploymentIDAttribute(),
				"revision_id": framework.DataKey("ID of the revision. Default: the newest, or all if `start_time` or `end_time` "+
					"is set.", framework.UUID()),
				"type": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Which log to read: `build` or `deploy`. Revisions of a container image have an empty " +
						"build log.",
					Validators: []validator.String{framework.OneOf(string(api.LogTypeBuild), string(api.LogTypeDeploy))},
				},
				"start_time": framework.DataFilter("Only lines from this time on (RFC 3339). Default: from the first one."+onlyExtended, framework.Time()),
				"end_time":   framework.DataFilter("Only lines up to this time (RFC 3339). Default: up to the last one."+onlyExtended, framework.Time()),
				"max_lines": schema.Int64Attribute{
					Optional: true,
					MarkdownDescription: fmt.Sprintf("Maximum number of lines, from 1 to %d; the newest are returned. "+
						"Default: `%d`.", maxLines,
						defaultLines),
					Validators: []validator.Int64{framework.Between(1, maxLines)},
				},
				"lines": schema.ListNestedAttribute{
					Computed: true, Sensitive: true,
					MarkdownDescription: "The lines, oldest first. Hidden in plans.",
					NestedObject: framework.ComputedObject(map[string]schema.Attribute{
						"timestamp": framework.DataString("Time of the line (RFC 3339)."),
						"level":     framework.DataString("`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`."),
						"message":   framework.DataString("Text of the line."),
					}),
				},
			}
		},
	})
}

type logsModel struct {
	DeploymentID types.String `tfsdk:"deployment_id"`
	RevisionID   types.String `tfsdk:"revision_id"`
	Type         types.String `tfsdk:"type"`
	StartTime    types.String `tfsdk:"start_time"`
	EndTime      types.String `tfsdk:"end_time"`
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

// onlyExtended ends the descriptions of what the neutral dialect doesn't have.
const onlyExtended = " Only for the dialect `langsmith`."

func readLogs(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *logsModel) diag.Diagnostics {
	failure := framework.Failure{Summary: "Cannot read log"}
	if diags := config.checkRange(c.Dialect()); diags.HasError() {
		return diags
	}
	deploymentID := config.DeploymentID.ValueString()
	deployment, err := c.GetDeployment(ctx, deploymentID)
	if err != nil {
		return failure.Diagnostics(err)
	}
	ctx = framework.MaskSecrets(ctx, deployment.Secrets)
	if config.RevisionID.IsNull() && !config.hasRange() {
		config.RevisionID = framework.String(deployment.LatestRevisionID)
		if config.RevisionID.IsNull() {
			return noRevision(deploymentID)
		}
	}
	entries, err := config.read(ctx, c)
	if err != nil {
		return failure.Diagnostics(err)
	}
	config.Lines = make([]lineModel, len(entries))
	for i, entry := range entries {
		config.Lines[i] = framework.Flatten(lineModel{}, entry)
	}
	return nil
}

func (m logsModel) read(ctx context.Context, c *client.Client) ([]api.LogEntry, error) {
	deploymentID, kind, lines := m.DeploymentID.ValueString(), api.LogType(m.Type.ValueString()), int(cmp.Or(m.MaxLines.ValueInt64(), defaultLines))
	if m.hasRange() {
		return c.DeploymentLogs(ctx, deploymentID, kind, client.LogRange{
			RevisionID: m.RevisionID.ValueString(), StartTime: m.StartTime.ValueString(), EndTime: m.EndTime.ValueString(),
		}, lines)
	}
	return c.RevisionLogs(ctx, deploymentID, m.RevisionID.ValueString(), kind, lines)
}

func (m logsModel) hasRange() bool { return !m.StartTime.IsNull() || !m.EndTime.IsNull() }

// checkRange refuses a time range where the service has none, and one that ends before it begins.
func (m logsModel) checkRange(dialect *api.Dialect) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, bound := range map[string]types.String{"start_time": m.StartTime, "end_time": m.EndTime} {
		if !bound.IsNull() && !dialect.LangSmithAPI {
			diags.Append(framework.Unsupported(dialect, path.Root(name), ""))
		}
	}
	from, fromErr := time.Parse(time.RFC3339, m.StartTime.ValueString())
	to, toErr := time.Parse(time.RFC3339, m.EndTime.ValueString())
	if fromErr == nil && toErr == nil && to.Before(from) {
		diags.AddAttributeError(path.Root("end_time"), "Invalid end_time", fmt.Sprintf("%s is before start_time, %s, so no line is in the "+
			"range. Set a later end or an earlier start.", m.EndTime.ValueString(), m.StartTime.ValueString()))
	}
	return diags
}
