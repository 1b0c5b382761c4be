package llmrun

import (
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Measurement contains all figures of a run.
type Measurement struct {
	Model usage.Model
	Usage usage.Usage
	// UsageSource is the JSON pointer of the usage, empty if the run has none.
	UsageSource    string
	Cost           usage.Cost
	FirstTokenTime *time.Time
	// Problems are about figures that the run has tried to report.
	Problems []document.Problem
}

// Measure reads the figures of a run alone, without the runs below it. Prices may be nil.
//
// Prices apply only to calls of models, which are llm and embedding runs; any run may report a cost. A run whose model has
// no price, or that names no model, keeps its tokens, and its cost is unknown.
func (r *Run) Measure(prices *usage.PriceMap) Measurement {
	reading := r.Usage()
	m := Measurement{
		Model: r.Model(), Usage: reading.Usage, UsageSource: reading.Source, FirstTokenTime: r.FirstTokenTime(),
		Problems: append(reading.Problems, r.CheckEvents()...),
	}
	var price *usage.Price
	if r.RunType.CallsModel() {
		input, _, _ := m.Usage.Tokens()
		var start time.Time
		if r.StartTime != nil {
			start = *r.StartTime
		}
		price = prices.Find(m.Model, start, input)
	}
	m.Cost = usage.EstimateCost(m.Usage, price)
	return m
}

// Usage finds the tokens and costs that the run itself reports.
func (r *Run) Usage() usage.Reading {
	return usage.Places{
		Outputs: r.Outputs, Metadata: r.Metadata["usage_metadata"], MetadataPointer: r.metadataPointer("usage_metadata"),
		Kind: usageKinds[r.RunType], RunMetadata: r.Metadata,
	}.Find()
}

// usageKinds are the types of runs that aren't model calls.
var usageKinds = map[RunType]usage.Kind{
	RunTypeTool: usage.Work, RunTypeRetriever: usage.Work,
	RunTypeChain: usage.Flow, RunTypePrompt: usage.Flow, RunTypeParser: usage.Flow,
}

// metadataPointer is the location of a key of Metadata.
func (r *Run) metadataPointer(key string) string {
	extra, _ := rawjson.ReadObject(r.Extra)
	metadata, _ := rawjson.ReadObject(extra.Get("metadata"))
	if !metadata.Has(key) && membersOf(r.Rest["metadata"])[key] != nil {
		return rawjson.Pointer("metadata", key)
	}
	return rawjson.Pointer("extra", "metadata", key)
}

// Model finds the model. The first of metadata.ls_model_name, inputs.model and inputs.model_name counts; clients of the
// tracing framework have it only in the invocation parameters. The model in a response is never used: it is a dated version
// of the requested one, to which prices apply.
func (r *Run) Model() usage.Model {
	m := usage.Model{Params: map[string]string{}}
	for key, value := range r.InvocationParams {
		if s, ok := rawjson.ReadString(value); ok && s != "" {
			m.Params[key] = s
		}
	}
	inputs, _ := rawjson.ReadObject(r.Inputs)
	var first rawjson.Object // The first of several arguments.
	if args, _ := rawjson.ReadArray(inputs.Get("args")); len(args) > 0 {
		first, _ = rawjson.ReadObject(args[0])
	}
	body, _ := rawjson.ReadObject(inputs.Get("body")) // Of a line of a batch.
	params, _ := rawjson.ReadObject(inputs.Get("params"))
	for _, place := range []struct {
		value  json.RawMessage
		source string
	}{
		{r.Metadata["ls_model_name"], "metadata.ls_model_name"},
		{inputs.Get("model"), "inputs.model"},
		{inputs.Get("model_name"), "inputs.model_name"},
		{first.Get("model"), "inputs.args[0].model"},
		{body.Get("model"), "inputs.body.model"},
		{params.Get("model"), "inputs.params.model"},
		{r.InvocationParams["model"], "invocation_params.model"},
		{r.InvocationParams["model_name"], "invocation_params.model_name"},
	} {
		if name, ok := rawjson.ReadString(place.value); ok && name != "" {
			m.Name, m.Source = name, place.source
			break
		}
	}
	provider, _ := rawjson.ReadString(r.Metadata["ls_provider"])
	m.Provider, _ = usage.ProviderName(provider)
	return m
}
