package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// validate finds contradictions, and messages that the service would store but not understand.
func (m logModel) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	diags.Append(m.checkContent("inputs_json", m.InputsJSON, document.Inputs)...)
	diags.Append(m.checkContent("outputs_json", m.OutputsJSON, document.Outputs)...)
	streamed, more := m.validateStream()
	diags.Append(more...)
	if diags.HasError() || m.Duration.IsUnknown() || m.TimeToFirstToken.IsUnknown() || m.Duration.IsNull() {
		return diags
	}
	switch duration, first := m.times(streamed); {
	case duration <= 0:
	case streamed != nil && streamed.last > duration:
		diags.AddAttributeError(path.Root("duration"), "Invalid duration", fmt.Sprintf("The last chunk of the stream arrives after %s, but the "+
			"run ends after %s. Set a longer duration, or omit it to use that of the stream.", streamed.last, duration))
	case first != nil && *first > duration:
		diags.AddAttributeError(path.Root("time_to_first_token"), "Invalid time_to_first_token", fmt.Sprintf("The first token arrives after %s, "+
			"but the run ends after %s. Set a longer duration, or omit it to use that of the first token.", *first, duration))
	}
	return diags
}

// validateStream reads the stream as far as it is known.
func (m logModel) validateStream() (*stream, diag.Diagnostics) {
	if m.StreamJSON.IsNull() || m.StreamJSON.IsUnknown() {
		return nil, nil
	}
	var diags diag.Diagnostics
	derived := func(name string, value attr.Value) {
		if !value.IsNull() && !value.IsUnknown() {
			diags.AddAttributeError(path.Root(name), "Invalid Attribute Combination",
				name+" is derived from stream_json, but both are set. Keep one of them.")
		}
	}
	derived("outputs_json", m.OutputsJSON)
	derived("time_to_first_token", m.TimeToFirstToken)
	if diags.HasError() {
		return nil, diags
	}
	if m.StartTime.IsUnknown() || !json.Valid([]byte(m.StreamJSON.ValueString())) {
		return nil, nil // The attribute's type already reports invalid JSON.
	}
	return m.stream()
}

// shownProblems is how many problems a diagnostic lists.
const shownProblems = 5

// checkContent checks inputs or outputs against the formats that the service understands. The service stores anything, so
// an unknown format is only a warning, unless the configuration is strict.
func (m logModel) checkContent(attribute string, value jsontypes.Normalized, side document.Side) diag.Diagnostics {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	problems, err := message.Validate([]byte(value.ValueString()), side)
	if err != nil || len(problems) == 0 {
		return nil // The attribute's type already reports invalid JSON.
	}
	lines := make([]string, 0, shownProblems+1)
	for _, problem := range problems[:min(shownProblems, len(problems))] {
		lines = append(lines, hiddenProblem(problem))
	}
	if more := len(problems) - shownProblems; more > 0 {
		lines = append(lines, fmt.Sprintf("And %d more; the function validate_messages lists them.", more))
	}
	text := strings.Join(lines, "\n")
	if m.Strict.ValueBool() {
		return framework.ErrorAt(path.Root(attribute), "Invalid "+attribute, "%s", text)
	}
	return framework.WarningAt(path.Root(attribute), "Unusual "+attribute, "The service stores the run, but may not show its messages or count its "+
		"tokens as expected.\n\n%s", text)
}

// hiddenProblem describes a problem without quoting the content, as most messages would.
func hiddenProblem(problem document.Problem) string {
	if problem.Rule != document.RuleFormatRecognized {
		problem.Message = "invalid value, not shown because it is sensitive"
	}
	return problem.String() + "."
}

// stream is what a recorded stream contains about a run.
type stream struct {
	outputs json.RawMessage
	// first and last are the arrival times of the first and the last chunk, since the start of the run.
	first, last time.Duration
}

// readStream reads a list of {"time","chunk"}. The start is nil while it is unknown; times that aren't durations require
// it.
func readStream(text string, start *time.Time) (stream, error) {
	var entries []struct {
		Time  json.RawMessage `json:"time"`
		Chunk json.RawMessage `json:"chunk"`
	}
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return stream{}, fmt.Errorf(`write it as a list of {"time": "350ms", "chunk": {…}}: %w`, err)
	}
	var s stream
	chunks := make([]json.RawMessage, len(entries))
	for i, entry := range entries {
		after, err := sinceStart(entry.Time, start)
		switch {
		case err != nil:
			return stream{}, fmt.Errorf("entry %d: %w", i, err)
		case entry.Chunk == nil:
			return stream{}, fmt.Errorf("entry %d has no chunk", i)
		case after < s.last:
			return stream{}, fmt.Errorf("entry %d arrived after %s, before its predecessor or the start of the run: sort "+
				"the chunks by their arrival", i, after)
		case i == 0:
			s.first = after
		}
		s.last, chunks[i] = after, entry.Chunk
	}
	format := message.StreamFormat(chunks)
	if format == document.FormatUnrecognized {
		return stream{}, fmt.Errorf("none of the %d chunks has a known stream format: %v", len(chunks), message.StreamFormats())
	}
	var err error
	s.outputs, err = message.Reduce(format, chunks)
	return s, err
}

var errNoStart = errors.New(`its time is not a duration since the start of the run, such as "350ms": also set start_time`)

// sinceStart reads the time of a chunk: a duration since the start of the run, or an absolute time.
func sinceStart(raw json.RawMessage, start *time.Time) (time.Duration, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if after, err := time.ParseDuration(text); err == nil {
			return after, nil
		}
	}
	if raw == nil {
		return 0, errors.New("it has no time")
	}
	at, err := timestamp.Read(raw)
	switch {
	case err != nil:
		return 0, err
	case start == nil:
		return 0, errNoStart
	default:
		return at.Sub(*start), nil
	}
}
