package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// newLogModel is the configuration that would log the run as it is, for an import. The project is identified by its ID,
// because the attribute used in the configuration is unknown.
func newLogModel(prior logModel, run api.Run) (logModel, diag.Diagnostics) {
	if !strings.EqualFold(run.RunType, string(llmrun.RunTypeLLM)) {
		return prior, diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Cannot import run %s", run.ID),
			fmt.Sprintf("The run is of type %s, but the resource manages only runs of type llm. The data source "+
				"agentplane_runs reads runs of every type.", strings.ToLower(run.RunType)))}
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

func normalized(raw json.RawMessage) framework.HiddenJSON {
	if raw == nil {
		return framework.NewHiddenJSONNull()
	}
	return framework.NewHiddenJSON(string(raw))
}
