package revision

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

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
	config.model = newModel(c, *found)
	return nil
}

// find returns nil without an error if the deployment has no revision.
func find(ctx context.Context, c *client.Client, config singleModel) (*api.Revision, error) {
	deploymentID := config.DeploymentID.ValueString()
	if !config.ID.IsNull() {
		return c.Revisions(deploymentID).Get(ctx, config.ID.ValueString())
	}
	for revision, err := range c.ListRevisions(ctx, deploymentID, client.RevisionFilter{Limit: 1}) {
		return &revision, err
	}
	return nil, nil
}

func noRevision(deploymentID string) diag.Diagnostics {
	return framework.ErrorAt(path.Root("deployment_id"), "No revision", "Deployment %s has no revision yet.", deploymentID)
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
	return framework.DataRequired("ID of the deployment.", framework.UUID())
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

func newModel(_ *client.Client, revision api.Revision) model {
	m := framework.Flatten(model{}, revision)
	m.SourceRevisionConfig = new(framework.Flatten(sourceRevisionConfigModel{}, revision.SourceRevisionConfig))
	return m
}

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
				"type": framework.DataRequired("Which log to read: `build` or `deploy`. Revisions of a container image have an empty "+
					"build log.", framework.OneOf(string(api.LogTypeBuild), string(api.LogTypeDeploy))),
				"start_time": framework.DataFilter("Only lines from this time on (RFC 3339). Default: from the first one."+onlyExtended, framework.Time()),
				"end_time":   framework.DataFilter("Only lines up to this time (RFC 3339). Default: up to the last one."+onlyExtended, framework.Time()),
				"max_lines": schema.Int64Attribute{
					Optional: true,
					MarkdownDescription: fmt.Sprintf("Maximum number of lines, from 1 to %d; the newest are returned. Default: `%d`.", maxLines,
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
	deployment, err := c.Deployments().Get(ctx, deploymentID)
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
		config.Lines[i] = newLine(entry)
	}
	return nil
}

// newLine returns a line of a log. A blank one isn't null, which join refuses.
func newLine(entry api.LogEntry) lineModel {
	line := framework.Flatten(lineModel{}, entry)
	line.Message = types.StringValue(entry.Message)
	return line
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
