package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// llmRunModel is the resource: what is logged, and the results. While its status is null, the run has not been seen in the
// service.
type llmRunModel struct {
	logModel
	results

	Triggers types.Map      `tfsdk:"triggers"`
	ID       types.String   `tfsdk:"id"`
	TraceID  types.String   `tfsdk:"trace_id"`
	URL      types.String   `tfsdk:"url"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// ResourceIdentity implements framework.Identified. The project isn't part of it: it may be found only after the run was logged.
func (m llmRunModel) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

// unseen is m as the plan of an update that resumes waiting for a run: all results are unknown. That includes a project
// that was found by name, possibly from an unexpected response.
func (m llmRunModel) unseen() llmRunModel {
	if m.ProjectID.IsNull() || !m.ProjectName.IsNull() || !m.DeploymentID.IsNull() {
		m.ProjectID = types.StringUnknown()
	}
	m.Status = types.StringUnknown()
	m.PromptTokens, m.CompletionTokens, m.TotalTokens = types.Int64Unknown(), types.Int64Unknown(), types.Int64Unknown()
	m.PromptCost, m.CompletionCost, m.TotalCost = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.TimeToFirstTokenSeconds, m.URL = types.Float64Unknown(), types.StringUnknown()
	return m
}

// logged is m once its run has been sent: the results are null, so that no unknown value is stored.
func (m llmRunModel) logged(sent logged) llmRunModel {
	m.ID, m.TraceID = types.StringValue(sent.id.String()), types.StringValue(sent.id.String())
	m.ProjectID = framework.StringOrNull(sent.projectID)
	m.StartTime = framework.PlannedOr(m.StartTime, types.StringValue(timestamp.Format(sent.startTime)))
	m.results, m.URL = results{}, types.StringNull()
	return m
}

// isProcessed reports whether the state has the results of the run, which no longer change.
func (m llmRunModel) isProcessed() bool {
	return !m.Status.IsNull() && m.Status.ValueString() != pending
}

// hasProcessed reports whether the service has processed the run that m describes.
func (m llmRunModel) hasProcessed(run api.Run, now time.Time) bool {
	sent, _ := m.toRun(now) // Its warnings belong to the apply that logged it.
	return isProcessed(run, statesTokens(sent))
}

// withResults is m with the results from the service.
func (m llmRunModel) withResults(run api.Run) (llmRunModel, diag.Diagnostics) {
	found, diags := newModel(run)
	m.ProjectID = framework.StringOrNull(run.ProjectID)
	m.results = found.results
	return m, diags
}

// logModel is a run to log, by the resource or by the action.
type logModel struct {
	WorkspaceID      types.String         `tfsdk:"workspace_id"`
	ProjectID        types.String         `tfsdk:"project_id"`
	ProjectName      types.String         `tfsdk:"project_name"`
	DeploymentID     types.String         `tfsdk:"deployment_id"`
	Name             types.String         `tfsdk:"name"`
	InputsJSON       jsontypes.Normalized `tfsdk:"inputs_json"`
	OutputsJSON      jsontypes.Normalized `tfsdk:"outputs_json"`
	StreamJSON       jsontypes.Normalized `tfsdk:"stream_json"`
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
	duration, first := m.times(streamed)
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
		return nil, framework.ErrorAt(path.Root("stream_json"), "Invalid stream_json", "The value is not a recorded stream: %s.", err)
	}
	return &s, nil
}

// times returns the duration of the run and the time to its first token, which is nil if nothing was streamed.
func (m logModel) times(streamed *stream) (duration time.Duration, first *time.Duration) {
	if streamed != nil {
		duration, first = streamed.last, &streamed.first
	}
	if !m.TimeToFirstToken.IsNull() {
		given := framework.DurationOr(m.TimeToFirstToken, 0)
		duration, first = given, &given
	}
	return framework.DurationOr(m.Duration, duration), first
}

// finishedRun is an LLM call that has ended when it is logged.
type finishedRun struct {
	id   uuid.UUID
	name string
	// The service creates the project projectName if it doesn't exist. projectID takes precedence and must exist.
	projectID, projectName string
	inputs, outputs        json.RawMessage
	metadata               map[string]string
	tags                   []string
	// failure makes it a run with an error, unless it is empty.
	failure string
	// firstTokenTime is zero where nothing was streamed.
	startTime, firstTokenTime, endTime time.Time
}

// toIngest converts the run to a separate trace.
func (r finishedRun) toIngest() (api.RunIngest, error) {
	place := llmrun.NewDottedOrder(nil, r.startTime, r.id)
	run := api.RunIngest{
		ID: r.id.String(), TraceID: place.TraceID().String(), DottedOrder: place.String(), SessionID: r.projectID,
		Name: r.name, RunType: string(llmrun.RunTypeLLM), StartTime: timestamp.Format(r.startTime), EndTime: timestamp.Format(r.endTime),
		Error: r.failure, Tags: r.tags,
	}
	if r.projectID == "" {
		run.SessionName = r.projectName
	}
	if !r.firstTokenTime.IsZero() {
		run.Events = []api.RunEvent{{Name: llmrun.EventNewToken, Time: timestamp.Format(r.firstTokenTime)}}
	}
	var err error
	if len(r.metadata) > 0 {
		if run.Extra, err = json.Marshal(map[string]any{"metadata": r.metadata}); err != nil {
			return run, err
		}
	}
	if run.Inputs, err = keptUnder("input", r.inputs); err != nil {
		return run, err
	}
	run.Outputs, err = keptUnder("outputs", r.outputs)
	return run, err
}

// keptUnder wraps a value that isn't an object, because the service accepts only objects. Other clients do the same.
func keptUnder(name string, values json.RawMessage) (json.RawMessage, error) {
	values = bytes.TrimSpace(values)
	switch {
	case len(values) == 0 || string(values) == "null":
		return nil, nil
	case values[0] == '{':
		return values, nil
	default:
		return json.Marshal(map[string]json.RawMessage{name: values})
	}
}

// statesTokens reports whether a run has tokens for the service to count.
func statesTokens(run finishedRun) bool {
	members := map[string]json.RawMessage{"run_type": json.RawMessage(`"llm"`)}
	if run.outputs != nil {
		members["outputs"] = run.outputs
	}
	decoded, _ := llmrun.DecodeRunMembers(members)
	_, _, total := decoded.Usage().Usage.Tokens()
	return total > 0
}

// newLogModel is the configuration that would log the run as it is, for an import. The project is identified by its ID,
// because the attribute used in the configuration is unknown.
func newLogModel(prior logModel, run api.Run) (logModel, diag.Diagnostics) {
	if !strings.EqualFold(run.RunType, string(llmrun.RunTypeLLM)) {
		return prior, framework.NewError(fmt.Sprintf("Cannot import run %s", run.ID), "The run is of type %s, but the resource manages only runs of "+
			"type llm. The data source agentplane_runs reads runs of every type.", strings.ToLower(run.RunType))
	}
	m := logModel{
		WorkspaceID: prior.WorkspaceID, ProjectID: prior.ProjectID, Name: types.StringValue(run.Name),
		InputsJSON: normalized(run.Inputs), OutputsJSON: normalized(run.Outputs), Error: framework.String(run.Error),
		Tags: types.ListNull(types.StringType), StartTime: types.StringValue(run.StartTime),
	}
	if len(run.Tags) > 0 {
		m.Tags = framework.TextList(run.Tags)
	}
	m.Metadata, m.ModelName, m.ModelProvider = newMetadata(run.Metadata)
	start := run.StartTime
	first, streamed := since(start, run.FirstTokenTime)
	if streamed {
		m.TimeToFirstToken = timetypes.NewGoDurationValue(first)
	}
	// Without a duration, the run ends with its first token.
	if took, ended := since(start, run.EndTime); ended && took != first {
		m.Duration = timetypes.NewGoDurationValue(took)
	}
	return m, nil
}

// newMetadata separates metadata that have their own attributes from the rest; values that aren't strings are returned as
// JSON.
func newMetadata(raw json.RawMessage) (rest types.Map, name, provider types.String) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // Other values have no members.
	named := map[string]*types.String{"ls_model_name": &name, "ls_provider": &provider}
	others := map[string]attr.Value{}
	for key, value := range members {
		text := string(value)
		_ = json.Unmarshal(value, &text)
		if attribute := named[key]; attribute != nil {
			*attribute = types.StringValue(text)
			continue
		}
		others[key] = types.StringValue(text)
	}
	if len(others) == 0 {
		return types.MapNull(types.StringType), name, provider
	}
	return types.MapValueMust(types.StringType, others), name, provider
}

// since returns how long after the start of a run something happened; false if one of the times is unknown.
func since(start string, at *string) (time.Duration, bool) {
	if at == nil {
		return 0, false
	}
	began, err := timestamp.Parse(start)
	if err != nil {
		return 0, false
	}
	then, err := timestamp.Parse(*at)
	return max(0, then.Sub(began)), err == nil
}

func normalized(raw json.RawMessage) jsontypes.Normalized {
	if raw == nil {
		return jsontypes.NewNormalizedNull()
	}
	return jsontypes.NewNormalizedValue(string(raw))
}
