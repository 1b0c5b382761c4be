package run

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// newModel converts a run that the service returned.
func newModel(run api.Run) (model, diag.Diagnostics) {
	m := model{
		ID: types.StringValue(run.ID), TraceID: framework.StringOrNull(run.TraceID), Name: framework.StringOrNull(run.Name),
		RunType:   framework.StringOrNull(strings.ToLower(run.RunType)),
		StartTime: framework.StringOrNull(run.StartTime), EndTime: framework.String(run.EndTime),
		LatencySeconds: types.Float64PointerValue(run.LatencySeconds), Error: framework.String(run.Error),
		ThreadID: framework.String(run.ThreadID), Tags: []types.String{},
		results: results{
			Status: framework.StringOrNull(strings.ToLower(run.Status)), PromptTokens: count(run.PromptTokens),
			CompletionTokens: count(run.CompletionTokens), TotalTokens: count(run.TotalTokens), TimeToFirstTokenSeconds: firstToken(run),
		},
		AppPath: framework.StringOrNull(run.AppPath),
	}
	if n := len(run.ParentRunIDs); n > 0 {
		m.ParentRunID = types.StringValue(run.ParentRunIDs[n-1])
	}
	for _, tag := range run.Tags {
		m.Tags = append(m.Tags, types.StringValue(tag))
	}
	if run.CostIncomplete != nil {
		m.CostIncomplete = []types.String{}
	}
	for _, reason := range run.CostIncomplete {
		m.CostIncomplete = append(m.CostIncomplete, types.StringValue(reason))
	}
	m.ModelName, m.ModelProvider = modelOf(run)
	var diags diag.Diagnostics
	for _, cost := range []struct {
		from *json.Number
		to   *types.String
	}{{run.PromptCost, &m.PromptCost}, {run.CompletionCost, &m.CompletionCost}, {run.TotalCost, &m.TotalCost}} {
		var more diag.Diagnostics
		*cost.to, more = exact(cost.from)
		diags.Append(more...)
	}
	return m, diags
}

// newContent converts inputs and outputs of a run.
func newContent(run api.Run) content {
	return content{
		InputsJSON: newText(run.Inputs), OutputsJSON: newText(run.Outputs),
		InputMessagesJSON: messages(run.Inputs, document.Inputs), OutputMessagesJSON: messages(run.Outputs, document.Outputs),
	}
}

// exact is a cost as a string with all its digits.
func exact(cost *json.Number) (types.String, diag.Diagnostics) {
	if cost == nil {
		return types.StringNull(), nil
	}
	amount, err := decimal.Parse(cost.String())
	if err != nil {
		return types.StringNull(), diag.Diagnostics{diag.NewErrorDiagnostic("Cannot read a run",
			"The service returned a cost that is not a number: "+err.Error()+".")}
	}
	return types.StringValue(amount.String()), nil
}

// count is 0 if the service reports nothing.
func count(n *int64) types.Int64 {
	if n == nil {
		return types.Int64Value(0)
	}
	return types.Int64Value(*n)
}

func newText(raw json.RawMessage) types.String { return framework.StringOrNull(string(raw)) }

// messages converts inputs or outputs to the native format; null if no format is recognised.
func messages(raw json.RawMessage, side document.Side) types.String {
	if raw == nil {
		return types.StringNull()
	}
	found, err := message.Normalize(raw, side)
	if err != nil || found.Format == document.FormatUnrecognized {
		return types.StringNull()
	}
	return types.StringValue(string(found.Native()))
}

// modelOf returns the model in the metadata or inputs of a run.
func modelOf(run api.Run) (name, provider types.String) {
	members := map[string]json.RawMessage{}
	for key, value := range map[string]json.RawMessage{"metadata": run.Metadata, "inputs": run.Inputs} {
		if value != nil {
			members[key] = value
		}
	}
	decoded, _ := llmrun.DecodeRunMembers(members)
	found := decoded.Model()
	return framework.StringOrNull(found.Name), framework.StringOrNull(found.Provider)
}

// firstToken returns the time to first token of a run; null if one of the times is unknown.
func firstToken(run api.Run) types.Float64 {
	first, known := since(run.StartTime, run.FirstTokenTime)
	if !known {
		return types.Float64Null()
	}
	return types.Float64Value(first.Seconds())
}

// countGaps counts the calls of models without a cost, and their tokens, and those whose cost is incomplete, or not known to be complete. A
// call without tokens counts, too: a client that logs no usage would otherwise look like one that spends nothing.
func (m *listModel) countGaps(runs []api.Run) {
	var unpriced, tokens, incomplete, unchecked int64
	for _, run := range runs {
		switch {
		case !llmrun.RunType(strings.ToLower(run.RunType)).CallsModel():
		case run.TotalCost == nil:
			unpriced, tokens = unpriced+1, tokens+count(run.TotalTokens).ValueInt64()
		case run.CostIncomplete == nil:
			unchecked++
		case len(run.CostIncomplete) > 0:
			incomplete++
		}
	}
	m.UnpricedRunCount, m.UnpricedTokens = types.Int64Value(unpriced), types.Int64Value(tokens)
	m.CostIncompleteRunCount, m.CostUncheckedRunCount = types.Int64Value(incomplete), types.Int64Value(unchecked)
}
