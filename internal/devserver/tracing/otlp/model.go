package otlp

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// requestParameters maps attributes about how a model was called to names of parameters.
var requestParameters = []struct{ attribute, name string }{
	{"gen_ai.request.temperature", "temperature"}, {"gen_ai.request.top_p", "top_p"}, {"gen_ai.request.top_k", "top_k"},
	{"gen_ai.request.max_tokens", "max_tokens"}, {"gen_ai.request.frequency_penalty", "frequency_penalty"},
	{"gen_ai.request.presence_penalty", "presence_penalty"}, {"gen_ai.request.seed", "seed"},
	{"gen_ai.request.encoding_formats", "encoding_formats"}, {"gen_ai.request.stop_sequences", "stop"},
	{"gen_ai.request.choice.count", "n"}, {"gen_ai.request.stream", "stream"}, {"gen_ai.output.type", "output_type"},
	{"llm.presence_penalty", "presence_penalty"}, {"llm.frequency_penalty", "frequency_penalty"}, {"llm.top_k", "top_k"},
	{"llm.is_streaming", "stream"}, {"gen_ai.tool.definitions", "tools"}, {"tools", "tools"}, {"gen_ai.tool.name", "tool_name"},
}

// model sets which model was called, and how.
func (b *builder) model() {
	a := b.attributes
	parameters, _ := rawjson.ReadObject(a.payload("llm.invocation_parameters"))
	set := func(name string, value json.RawMessage) {
		if value != nil && !parameters.Has(name) {
			parameters = parameters.With(name, value)
		}
	}
	provider := a.peek("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "ai.model.provider")
	name := a.modelName(parameters)
	if name == "" && llmrun.RunType(b.kind).CallsModel() {
		provider, name = b.ownModel(provider)
	}
	if name != "" {
		set("model", rawjson.Quote(name))
		b.metadata.Put("ls_model_name", rawjson.Quote(name))
	}
	for _, parameter := range requestParameters {
		set(parameter.name, a.payload(parameter.attribute))
	}
	set("tools", a.tools())
	if functions := a.below("llm.request.functions."); functions != nil {
		set("functions", functions.nested())
	}
	if provider != "" {
		provider, _ = usage.ProviderName(provider)
		b.metadata.Put("ls_provider", rawjson.Quote(provider))
	}
	b.parameters = parameters
}

// modelName returns the model that was asked for. The one that answered is a dated version of it, to which prices don't apply;
// some programs replace the general attribute with it.
func (a attributes) modelName(parameters rawjson.Object) string {
	requested := a.text("gen_ai.request.model", "llm.request.model_name")
	parameter, _ := parameters.Text("model")
	general := a.text("llm.model_name", "embedding.model_name", "ai.model.id")
	return cmp.Or(requested, parameter, general, a.peek("gen_ai.response.model", "llm.response.model_name"))
}

// ownModel returns the model that an unknown convention names, and its provider. Genkit names both together.
func (b *builder) ownModel(provider string) (string, string) {
	if both := b.attributes.text("genkit:name"); both != "" {
		provider, name, _ := strings.Cut(both, "/")
		return provider, name
	}
	name := b.family.textCalled(modelWords)
	if provider == "" {
		provider = b.family.textCalled(providerWords)
	}
	return provider, name
}

// tools reads tools that have an attribute each, or are in a list.
func (a attributes) tools() json.RawMessage {
	var tools []json.RawMessage
	for _, fields := range a.entries("llm.tools.") {
		if tool := fields.payload("tool.json_schema"); tool != nil {
			tools = append(tools, tool)
		}
	}
	if tools == nil {
		return a.list("ai.prompt.tools")
	}
	return rawjson.EncodeArray(tools)
}

// nested reads a list of objects with an attribute for each field: NUMBER.FIELD.
func (a attributes) nested() json.RawMessage {
	var list []json.RawMessage
	for _, fields := range a.entries("") {
		members := make(rawjson.Members, len(fields))
		for name, value := range fields {
			members[name] = payloadOf(value)
		}
		list = append(list, rawjson.Object(nil).WithAll(members).Encode())
	}
	return rawjson.EncodeArray(list)
}
