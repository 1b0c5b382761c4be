package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// logModel is a run that is to be logged, by the resource or by the action.
type logModel struct {
	WorkspaceID      types.String         `tfsdk:"workspace_id"`
	ProjectID        types.String         `tfsdk:"project_id"`
	ProjectName      types.String         `tfsdk:"project_name"`
	DeploymentID     types.String         `tfsdk:"deployment_id"`
	Name             types.String         `tfsdk:"name"`
	InputsJSON       jsontypes.Normalized `tfsdk:"inputs_json"`
	OutputsJSON      jsontypes.Normalized `tfsdk:"outputs_json"`
	Error            types.String         `tfsdk:"error"`
	ModelName        types.String         `tfsdk:"model_name"`
	ModelProvider    types.String         `tfsdk:"model_provider"`
	Metadata         types.Map            `tfsdk:"metadata"`
	Tags             types.List           `tfsdk:"tags"`
	StartTime        types.String         `tfsdk:"start_time"`
	Duration         timetypes.GoDuration `tfsdk:"duration"`
	TimeToFirstToken timetypes.GoDuration `tfsdk:"time_to_first_token"`
}

// defaultName is what a run is called that nobody has named.
const defaultName = "terraform"

// toRun is the run as the client logs it. Without a start, it ends at now.
func (m logModel) toRun(ctx context.Context, now time.Time) (client.FinishedRun, diag.Diagnostics) {
	run := client.FinishedRun{
		RunConfig: client.RunConfig{
			Name: defaultName, RunType: llmrun.RunTypeLLM, ProjectID: m.ProjectID.ValueString(), ProjectName: m.ProjectName.ValueString(),
			Inputs: json.RawMessage(m.InputsJSON.ValueString()), Metadata: map[string]any{},
		},
		Failure: m.Error.ValueString(),
	}
	if !m.Name.IsNull() {
		run.Name = m.Name.ValueString()
	}
	if !m.OutputsJSON.IsNull() {
		run.Outputs = json.RawMessage(m.OutputsJSON.ValueString())
	}
	diags := m.Tags.ElementsAs(ctx, &run.Tags, false)
	metadata := map[string]string{}
	diags.Append(m.Metadata.ElementsAs(ctx, &metadata, false)...)
	for key, value := range metadata {
		run.Metadata[key] = value
	}
	for key, value := range map[string]types.String{"ls_model_name": m.ModelName, "ls_provider": m.ModelProvider} {
		if !value.IsNull() {
			run.Metadata[key] = value.ValueString()
		}
	}
	duration, first, more := m.times()
	diags.Append(more...)
	run.EndTime = now
	run.StartTime = now.Add(-duration)
	if !m.StartTime.IsNull() && !m.StartTime.IsUnknown() {
		began, err := time.Parse(time.RFC3339, m.StartTime.ValueString())
		if err != nil { // The validator has seen to it.
			diags.AddAttributeError(path.Root("start_time"), "Invalid start_time", err.Error())
		}
		run.StartTime, run.EndTime = began, began.Add(duration)
	}
	if !m.TimeToFirstToken.IsNull() {
		run.FirstTokenTime = run.StartTime.Add(first)
	}
	return run, diags
}

// times are how long the run takes, and how long to its first token.
func (m logModel) times() (duration, first time.Duration, diags diag.Diagnostics) {
	if !m.Duration.IsNull() {
		duration, diags = m.Duration.ValueGoDuration()
	}
	if !m.TimeToFirstToken.IsNull() {
		var more diag.Diagnostics
		first, more = m.TimeToFirstToken.ValueGoDuration()
		diags.Append(more...)
		if m.Duration.IsNull() {
			duration = first
		}
	}
	return duration, first, diags
}

// statesTokens says whether the service has tokens to find in a run.
func statesTokens(run client.FinishedRun) bool {
	members := map[string]json.RawMessage{"run_type": json.RawMessage(`"llm"`)}
	if run.Outputs != nil {
		members["outputs"] = run.Outputs
	}
	decoded, _ := llmrun.DecodeRunMembers(members)
	_, _, total := decoded.Usage().Usage.Tokens()
	return total > 0
}
