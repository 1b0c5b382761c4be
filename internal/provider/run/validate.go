package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
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
	duration, first, more := m.times(streamed)
	diags.Append(more...)
	switch {
	case diags.HasError() || duration <= 0:
	case streamed != nil && streamed.last > duration:
		diags.AddAttributeError(path.Root("duration"), "Invalid duration", fmt.Sprintf(
			"The last chunk of the stream arrives after %s, but the run ends after %s. Set a longer duration, or omit it "+
				"to use that of the stream.", streamed.last, duration))
	case first != nil && *first > duration:
		diags.AddAttributeError(path.Root("time_to_first_token"), "Invalid time_to_first_token", fmt.Sprintf(
			"The first token arrives after %s, but the run ends after %s. Set a longer duration, or omit it to use that "+
				"of the first token.", *first, duration))
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
func (m logModel) checkContent(attribute string, value framework.HiddenJSON, side document.Side) diag.Diagnostics {
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
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(attribute), "Invalid "+attribute, text)}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(attribute), "Unusual "+attribute,
		"The service stores the run, but may not show its messages or count its tokens as expected.\n\n"+text)}
}

// hiddenProblem describes a problem without quoting the content, as most messages would.
func hiddenProblem(problem document.Problem) string {
	if problem.Rule != document.RuleFormatRecognized {
		problem.Message = "invalid value, not shown because it is sensitive"
	}
	return problem.String() + "."
}
