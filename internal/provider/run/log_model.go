package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// logModel is a run to log, by the resource or by the action.
type logModel struct {
	WorkspaceID      types.String         `tfsdk:"workspace_id"`
	ProjectID        types.String         `tfsdk:"project_id"`
	ProjectName      types.String         `tfsdk:"project_name"`
	DeploymentID     types.String         `tfsdk:"deployment_id"`
	Name             types.String         `tfsdk:"name"`
	InputsJSON       framework.HiddenJSON `tfsdk:"inputs_json"`
	OutputsJSON      framework.HiddenJSON `tfsdk:"outputs_json"`
	StreamJSON       framework.HiddenJSON `tfsdk:"stream_json"`
	Error            types.String         `tfsdk:"error"`
	ModelName        types.String         `tfsdk:"model_name"`
	ModelProvider    types.String         `tfsdk:"model_provider"`
	Metadata         types.Map            `tfsdk:"metadata"`
	Tags             types.List           `tfsdk:"tags"`
	StartTime        types.String         `tfsdk:"start_time"`
	Duration         timetypes.GoDuration `tfsdk:"duration"`
	TimeToFirstToken timetypes.GoDuration `tfsdk:"time_to_first_token"`
	Strict           types.Bool           `tfsdk:"strict"`
}

// defaultName is the default name of a run.
const defaultName = "terraform"

// toRun converts the configuration to a run. Without a start, it ends at now.
func (m logModel) toRun(now time.Time) (finishedRun, diag.Diagnostics) {
	run := finishedRun{
		name: cmp.Or(m.Name.ValueString(), defaultName), projectID: m.ProjectID.ValueString(), projectName: m.ProjectName.ValueString(),
		inputs: json.RawMessage(m.InputsJSON.ValueString()), failure: m.Error.ValueString(),
		tags: framework.Texts[string](m.Tags), metadata: map[string]string{},
	}
	maps.Copy(run.metadata, framework.TextsByKey[string](m.Metadata))
	if !m.OutputsJSON.IsNull() {
		run.outputs = json.RawMessage(m.OutputsJSON.ValueString())
	}
	for key, value := range map[string]types.String{"ls_model_name": m.ModelName, "ls_provider": m.ModelProvider} {
		if !value.IsNull() {
			run.metadata[key] = value.ValueString()
		}
	}
	streamed, diags := m.stream()
	if streamed != nil {
		run.outputs = streamed.outputs
	}
	duration, first, more := m.times(streamed)
	diags.Append(more...)
	run.endTime = now
	run.startTime = now.Add(-duration)
	if began := m.start(); began != nil {
		run.startTime, run.endTime = *began, began.Add(duration)
	}
	if first != nil {
		run.firstTokenTime = run.startTime.Add(*first)
	}
	return run, diags
}

// start returns when the run started, nil if the configuration leaves it to the time of the apply.
func (m logModel) start() *time.Time {
	began, err := time.Parse(time.RFC3339, m.StartTime.ValueString())
	if err != nil { // It is null or unknown, or the validator refuses it.
		return nil
	}
	return &began
}

// stream is the recorded stream, nil when there is none.
func (m logModel) stream() (*stream, diag.Diagnostics) {
	if m.StreamJSON.IsNull() {
		return nil, nil
	}
	s, err := readStream(m.StreamJSON.ValueString(), m.start())
	if err != nil {
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("stream_json"), "Invalid stream_json", fmt.Sprintf(
			"The value is not a recorded stream: %s.", err))}
	}
	return &s, nil
}

// times returns the duration of the run and the time to its first token, which is nil if nothing was streamed.
func (m logModel) times(streamed *stream) (duration time.Duration, first *time.Duration, diags diag.Diagnostics) {
	if streamed != nil {
		duration, first = streamed.last, &streamed.first
	}
	if !m.TimeToFirstToken.IsNull() {
		given, more := m.TimeToFirstToken.ValueGoDuration()
		diags.Append(more...)
		duration, first = given, &given
	}
	if !m.Duration.IsNull() {
		given, more := m.Duration.ValueGoDuration()
		diags.Append(more...)
		duration = given
	}
	return duration, first, diags
}
