package run

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

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
