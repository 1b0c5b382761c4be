package tracingproject

import (
	"context"
	"iter"

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
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewDataSource is one tracing project, by id, by name or by deployment.
func NewDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[model]{
		Name: "tracing_project", Attributes: attributes, Read: readOne,
		Description: "Reads a tracing project, by ID, name or deployment, and statistics of its traces.",
	})
}

func readOne(ctx context.Context, p *framework.ProviderData, c *client.Client, config *model) diag.Diagnostics {
	project, diags := lookup.ProjectReference{
		ID: config.ID, Name: config.Name, DeploymentID: config.DeploymentID, NamePath: path.Root("name"),
	}.Find(ctx, c)
	if diags.HasError() {
		return diags
	}
	statistics, d := measured(ctx, c, *config, project.ID, p.Now())
	diags.Append(d...)
	if !diags.HasError() {
		config.projectModel, config.Statistics = framework.Flatten(config.projectModel, *project), statistics
	}
	return diags
}

// listConfig selects tracing projects.
type listConfig struct {
	NameContains types.String `tfsdk:"name_contains"`
}

// NewListDataSource lists the tracing projects of a workspace.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataList(framework.DataListSpec[listConfig, api.TracingProject, projectModel]{
		Name: "tracing_projects", Summary: "Cannot list tracing projects", Attributes: listedAttributes,
		Description: "Lists the tracing projects of a workspace: those of deployments, those that clients created, and " +
			"experiments, which have a `reference_dataset_id`.",
		Arguments: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"name_contains": framework.DataFilter("Only tracing projects whose name contains this text.",
					stringvalidator.LengthAtLeast(1)),
			}
		},
		ListDescription: "The tracing projects, in the service's order.",
		Items: func(ctx context.Context, c *client.Client, config listConfig) iter.Seq2[api.TracingProject, error] {
			return c.ListTracingProjects(ctx, config.NameContains.ValueString())
		},
	})
}

func listedAttributes() map[string]schema.Attribute {
	attributes := projectAttributes()
	attributes["id"] = framework.DataString("ID of the tracing project.")
	attributes["name"] = framework.DataString("Name of the tracing project, unique in the workspace.")
	return attributes
}

// NewExperimentDataSource is the newest experiment of a dataset.
func NewExperimentDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[experimentModel]{
		Name: "experiment", Read: readExperiment,
		Description: "Reads the newest experiment of a dataset: the last evaluation of an agent, or the last run of a test " +
			"suite. A `postcondition` or a `check` can require its scores. While an evaluation runs, its experiment has fewer " +
			"traces than the dataset has examples.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"dataset_name": schema.StringAttribute{
					Required: true, MarkdownDescription: "Exact name of the dataset, or of the test suite.",
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"dataset_id": framework.DataString("ID of the dataset."),
				"example_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of examples in the dataset; " +
					"null if unknown."},
				"id":         framework.DataString("ID of the experiment. An experiment is a tracing project."),
				"name":       framework.DataString("Name of the experiment."),
				"start_time": framework.DataString("When the experiment was started (RFC 3339)."),
				"statistics": statisticsAttribute("Statistics of the traces of the experiment, one for each example and " +
					"repetition; null where there is no value. `feedback_scores` has the scores of evaluators, and `pass` that " +
					"of a test suite."),
				"summary_scores": schema.MapAttribute{
					Computed: true, ElementType: types.Float64Type,
					MarkdownDescription: "Scores of the experiment as a whole, by feedback key.",
				},
			}
		},
	})
}

type experimentModel struct {
	DatasetName   types.String `tfsdk:"dataset_name"`
	DatasetID     types.String `tfsdk:"dataset_id"`
	ExampleCount  types.Int64  `tfsdk:"example_count"`
	ID            types.String `tfsdk:"id"`
	Name          types.String `tfsdk:"name"`
	StartTime     types.String `tfsdk:"start_time"`
	Statistics    types.Object `tfsdk:"statistics"`
	SummaryScores types.Map    `tfsdk:"summary_scores"`
}

func readExperiment(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *experimentModel) diag.Diagnostics {
	cannot := framework.Failure{Summary: "Cannot read experiment"}
	dataset, err := c.FindDataset(ctx, config.DatasetName.ValueString())
	if client.IsNotFound(err) {
		return framework.ErrorAt(path.Root("dataset_name"), "Dataset not found", "No dataset of this workspace is named %q. Evaluations and test "+
			"suites create one; check workspace_id (AGENTPLANE_WORKSPACE_ID) of the provider, too.", config.DatasetName.ValueString())
	}
	if err != nil {
		return cannot.Diagnostics(err)
	}
	experiment, err := c.NewestExperiment(ctx, dataset.ID)
	if client.IsNotFound(err) {
		return framework.ErrorAt(path.Root("dataset_name"), "No experiment", "The dataset %q has no experiment yet. Evaluate an agent on it first.",
			dataset.Name)
	}
	if err != nil {
		return cannot.Diagnostics(err)
	}
	config.DatasetID, config.ExampleCount = types.StringValue(dataset.ID), types.Int64PointerValue(dataset.ExampleCount)
	config.ID, config.Name = types.StringValue(experiment.ID), types.StringValue(experiment.Name)
	config.StartTime = framework.StringOrNull(experiment.StartTime)
	scores, _, err := readFeedback(experiment.SessionFeedbackStats)
	if err != nil {
		return framework.NewError(cannot.Summary, "The service returned invalid session_feedback_stats: %s", err)
	}
	var diags diag.Diagnostics
	config.SummaryScores, diags = types.MapValueFrom(ctx, types.Float64Type, scores)
	if !diags.HasError() {
		root := true
		config.Statistics, diags = readStatistics(ctx, c, api.RunStatsQuery{Session: []string{experiment.ID}, IsRoot: &root}, false)
	}
	return diags
}
