package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// FieldsV1 are those of API version 1. Costs are strings, and times have no zone, which is UTC.
var FieldsV1 = map[string]Field{
	"id":                       {needRow, func(a *runAnswer) any { return a.row.ID }},
	"name":                     {needRow, func(a *runAnswer) any { return a.row.Name }},
	"run_type":                 {needRow, func(a *runAnswer) any { return a.row.RunType }},
	"status":                   {needRow, func(a *runAnswer) any { return a.row.Status }},
	"session_id":               {needRow, func(a *runAnswer) any { return a.row.ProjectID }},
	"trace_id":                 {needRow, func(a *runAnswer) any { return a.row.TraceID }},
	"dotted_order":             {needRow, func(a *runAnswer) any { return a.dottedOrder() }},
	"parent_run_id":            {needRow, func(a *runAnswer) any { return a.row.ParentRunID }},
	"parent_run_ids":           {needRow, func(a *runAnswer) any { return a.parentIDs() }},
	"child_run_ids":            {needBelow, func(a *runAnswer) any { return a.children() }},
	"direct_child_run_ids":     {needBelow, func(a *runAnswer) any { return a.children() }},
	"start_time":               {needRow, func(a *runAnswer) any { return Formatted(&a.row.StartTime, timestamp.NaiveLayout) }},
	"end_time":                 {needRow, func(a *runAnswer) any { return Formatted(a.row.EndTime, timestamp.NaiveLayout) }},
	"first_token_time":         {needTotals, func(a *runAnswer) any { return Formatted(a.totals.FirstTokenTime, timestamp.NaiveLayout) }},
	"error":                    {needRow, func(a *runAnswer) any { return a.row.Error }},
	"inputs":                   {needSaid, func(a *runAnswer) any { return a.raw("inputs") }},
	"outputs":                  {needSaid, func(a *runAnswer) any { return a.raw("outputs") }},
	"inputs_preview":           {needSaid, func(a *runAnswer) any { return a.preview("inputs") }},
	"outputs_preview":          {needSaid, func(a *runAnswer) any { return a.preview("outputs") }},
	"events":                   {needSaid, func(a *runAnswer) any { return a.raw("events") }},
	"extra":                    {needSaid, func(a *runAnswer) any { return a.raw("extra") }},
	"serialized":               {needSaid, func(a *runAnswer) any { return a.serialized() }},
	"tags":                     {needSaid, func(a *runAnswer) any { return a.tags() }},
	"reference_example_id":     {needSaid, func(a *runAnswer) any { return a.raw("reference_example_id") }},
	"thread_id":                {needRow, func(a *runAnswer) any { return a.row.ThreadID }},
	"total_tokens":             {needTotals, func(a *runAnswer) any { return a.totals.TotalTokens }},
	"prompt_tokens":            {needTotals, func(a *runAnswer) any { return a.totals.PromptTokens }},
	"completion_tokens":        {needTotals, func(a *runAnswer) any { return a.totals.CompletionTokens }},
	"total_cost":               {needTotals, func(a *runAnswer) any { return a.totals.TotalCost }},
	"prompt_cost":              {needTotals, func(a *runAnswer) any { return a.totals.PromptCost }},
	"completion_cost":          {needTotals, func(a *runAnswer) any { return a.totals.CompletionCost }},
	"prompt_token_details":     {needTotals, func(a *runAnswer) any { return a.totals.PromptTokenDetails }},
	"completion_token_details": {needTotals, func(a *runAnswer) any { return a.totals.CompletionTokenDetails }},
	"prompt_cost_details":      {needTotals, func(a *runAnswer) any { return a.totals.PromptCostDetails }},
	"completion_cost_details":  {needTotals, func(a *runAnswer) any { return a.totals.CompletionCostDetails }},
	"cost_incomplete":          {needTotals, func(a *runAnswer) any { return a.costIncomplete() }},
	"price_model_id":           {needRow, func(a *runAnswer) any { return a.row.PriceID }},
	"s3_urls":                  {needFiles, func(a *runAnswer) any { return a.signed() }},
	"app_path":                 {needRow, func(a *runAnswer) any { return a.appPath() }},
	"trace_first_received_at":  {needRow, func(a *runAnswer) any { return Formatted(&a.row.ReceivedAt, timestamp.NaiveLayout) }},
	"last_queued_at":           {needRow, func(a *runAnswer) any { return Formatted(&a.row.ReceivedAt, timestamp.NaiveLayout) }},
	"execution_order":          {needRow, func(*runAnswer) any { return 1 }},
	"in_dataset":               {needRow, func(*runAnswer) any { return false }},
	"trace_upgrade":            {needRow, func(*runAnswer) any { return false }},
	"feedback_stats":           {needRatings, func(a *runAnswer) any { return a.ratings.OfRun() }},
	"share_token":              {needShare, func(a *runAnswer) any { return api.NonEmpty(a.share) }},
	// Fields that this service doesn't support.
	"reference_dataset_id": nothing, "manifest_id": nothing, "manifest_s3_id": nothing,
	"trace_tier": nothing, "ttl_seconds": nothing, "messages": nothing, "inputs_s3_urls": nothing,
	"outputs_s3_urls": nothing, "trace_min_start_time": nothing, "trace_max_start_time": nothing,
	"inputs_or_signed_url": nothing, "outputs_or_signed_url": nothing, "error_s3_urls": nothing, "events_s3_urls": nothing,
	"extra_s3_urls": nothing, "serialized_s3_urls": nothing, "trace_min_max_start_time": nothing, "inserted_at": nothing, "manifest": nothing,
}

// costIncomplete returns why the cost isn't all that providers bill; empty if it is, and null without a cost, or if it was stored before
// this was known.
func (a *runAnswer) costIncomplete() any {
	own, err := figure.ReadStored(a.row.ID, a.row.Figures)
	if a.totals.TotalCost == nil || err != nil {
		return nil
	}
	reasons, below := []string{}, a.totals.IncompleteRuns
	if own.CostIncomplete != nil && len(*own.CostIncomplete) > 0 {
		reasons, below = *own.CostIncomplete, below-1
	}
	if below > 0 {
		reasons = append(reasons, fmt.Sprintf("incomplete costs of runs below: %d", below))
	}
	if len(reasons) == 0 && a.totals.UncheckedRuns > 0 {
		return nil
	}
	return reasons
}

// nothing is a field without a value.
var nothing = Field{needRow, func(*runAnswer) any { return nil }}

// serialized is included only for the run types for which it has a meaning.
func (a *runAnswer) serialized() any {
	if a.row.RunType != string(llmrun.RunTypeLLM) && a.row.RunType != string(llmrun.RunTypePrompt) {
		return nil
	}
	return a.raw("serialized")
}

// attached is the field of attachments for clients that didn't select it: they look for it all the same.
var attached = Field{needFiles, func(a *runAnswer) any {
	if len(a.files) == 0 {
		return absent
	}
	return a.signed()
}}

// signed returns the URLs of attachments; null if there are none.
func (a *runAnswer) signed() any {
	if len(a.files) == 0 {
		return nil
	}
	all := make(map[string]any, len(a.files))
	addresses := a.addresses()
	for _, file := range a.files {
		all["attachment."+file.Name] = map[string]any{
			"presigned_url": addresses[file.Name], "s3_url": "attachments/" + file.ID, "mime_type": file.MimeType,
		}
	}
	return all
}

// FieldsV2 are those of API version 2, by the names in requests; in responses, their names are in lower case. Costs are
// numbers, and fields without a value are omitted.
var FieldsV2 = withSame(map[string]Field{
	"RUN_TYPE":                 {needRow, func(a *runAnswer) any { return strings.ToUpper(a.row.RunType) }},
	"STATUS":                   {needRow, func(a *runAnswer) any { return strings.ToUpper(a.row.Status) }},
	"START_TIME":               {needRow, func(a *runAnswer) any { return Formatted(&a.row.StartTime, timestamp.Layout) }},
	"END_TIME":                 {needRow, func(a *runAnswer) any { return Formatted(a.row.EndTime, timestamp.Layout) }},
	"LATENCY_SECONDS":          {needRow, func(a *runAnswer) any { return a.latency() }},
	"FIRST_TOKEN_TIME":         {needTotals, func(a *runAnswer) any { return Formatted(a.totals.FirstTokenTime, timestamp.Layout) }},
	"ERROR_PREVIEW":            {needRow, func(a *runAnswer) any { return a.errorPreview() }},
	"METADATA":                 {needSaid, func(a *runAnswer) any { return a.member("metadata") }},
	"MANIFEST":                 FieldsV1["serialized"],
	"PROJECT_ID":               FieldsV1["session_id"],
	"IS_ROOT":                  {needRow, func(a *runAnswer) any { return a.row.ParentRunID == nil }},
	"REFERENCE_DATASET_ID":     nothing,
	"TOTAL_COST":               {needTotals, func(a *runAnswer) any { return CostNumber(a.totals.TotalCost) }},
	"PROMPT_COST":              {needTotals, func(a *runAnswer) any { return CostNumber(a.totals.PromptCost) }},
	"COMPLETION_COST":          {needTotals, func(a *runAnswer) any { return CostNumber(a.totals.CompletionCost) }},
	"PROMPT_TOKEN_DETAILS":     {needTotals, func(a *runAnswer) any { return RawDetails(a.totals.PromptTokenDetails) }},
	"COMPLETION_TOKEN_DETAILS": {needTotals, func(a *runAnswer) any { return RawDetails(a.totals.CompletionTokenDetails) }},
	"PROMPT_COST_DETAILS":      {needTotals, func(a *runAnswer) any { return RawDetails(a.totals.PromptCostDetails) }},
	"COMPLETION_COST_DETAILS":  {needTotals, func(a *runAnswer) any { return RawDetails(a.totals.CompletionCostDetails) }},
	"ATTACHMENTS":              {needFiles, func(a *runAnswer) any { return a.addresses() }},
	"LS_USER_ID":               {needSaid, func(a *runAnswer) any { return a.userID() }},
	"THREAD_EVALUATION_TIME":   nothing,
	"IS_IN_DATASET":            FieldsV1["in_dataset"],
	"LAST_QUEUED_AT":           {needRow, func(a *runAnswer) any { return Formatted(&a.row.ReceivedAt, timestamp.Layout) }},
	"SHARE_URL":                {needShare, func(a *runAnswer) any { return a.shareURL() }},
})

// sameFields have the same values in both versions.
var sameFields = []string{
	"id", "name", "error", "extra", "events", "inputs", "inputs_preview", "outputs", "outputs_preview", "parent_run_id",
	"parent_run_ids", "trace_id", "thread_id", "dotted_order", "reference_example_id", "total_tokens", "prompt_tokens",
	"completion_tokens", "cost_incomplete", "price_model_id", "tags", "app_path", "feedback_stats",
}

// withSame adds these to fields of version 2.
func withSame(fields map[string]Field) map[string]Field {
	for _, name := range sameFields {
		fields[strings.ToUpper(name)] = FieldsV1[name]
	}
	return fields
}

// userID returns the user that the program has logged for the run.
func (a *runAnswer) userID() any {
	var metadata map[string]json.RawMessage
	raw, _ := a.member("metadata").(json.RawMessage)
	if json.Unmarshal(raw, &metadata) != nil || metadata["ls_user_id"] == nil {
		return nil
	}
	return metadata["ls_user_id"]
}

// shareURL returns the public URL of a run; nil if it isn't shared.
func (a *runAnswer) shareURL() any {
	if a.share == "" {
		return nil
	}
	return a.base + "/public/" + a.share + "/r"
}

func (a *runAnswer) errorPreview() *string {
	return api.Converted(a.row.Error, func(text string) string { return form.Shortened(text, limits.Preview) })
}

// CostNumber returns a cost as a number with all its digits.
func CostNumber(cost *decimal.Decimal) *json.Number {
	return api.Converted(cost, decimal.Decimal.Number)
}

// RawDetails wraps details as in version 2; nil without details.
func RawDetails(details map[string]decimal.Decimal) any {
	if len(details) == 0 {
		return nil
	}
	return map[string]any{"raw": figure.Numbers(details)}
}

// AnswersV2 builds the responses of version 2 with the requested fields. Why a cost is incomplete accompanies it: clients of the service
// don't know the field, and can't request it from others.
func AnswersV2(v View, rows []store.Run, fields map[string]Field, of scope) ([]map[string]any, error) {
	if _, cost := fields["TOTAL_COST"]; cost {
		fields = maps.Clone(fields)
		fields["COST_INCOMPLETE"] = FieldsV2["COST_INCOMPLETE"]
	}
	all, err := Answers(v, rows, fields, of)
	if err != nil {
		return nil, err
	}
	for i, run := range all {
		small := make(map[string]any, len(run))
		for name, value := range run {
			if !IsNothing(value) {
				small[strings.ToLower(name)] = value
			}
		}
		all[i] = small
	}
	return all, nil
}

// IsNothing reports whether there is no value, whatever its type.
func IsNothing(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
