package otlp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

var kindAttributes = texttable.Words(attributesText, "$kinds")

// kinds are the values of these attributes by run type.
var kinds = func() map[string]llmrun.RunType {
	types := map[string]llmrun.RunType{}
	for _, kind := range table("kind") {
		for _, value := range kind.attributes {
			types[value] = llmrun.RunType(kind.name)
		}
	}
	return types
}()

var underscores = strings.NewReplacer("-", "_", " ", "_")

// kindOf returns the run type for the value of an attribute; empty if it is unknown.
func kindOf(attribute, value string) llmrun.RunType {
	value = underscores.Replace(strings.ToLower(value))
	if strings.HasSuffix(attribute, "llm.request.type") && (value == "rerank" || value == "unknown") {
		return llmrun.RunTypeLLM // OpenLLMetry has such an attribute only in calls of models.
	}
	return kinds[value]
}

// statedType returns the type of a span's work that an attribute says; empty if none does.
func (b *builder) statedType() llmrun.RunType {
	a := b.attributes
	for _, attribute := range kindAttributes {
		if known := kindOf(attribute, a.peek(attribute)); known != "" {
			return known
		}
	}
	for n := range b.family.called(kindWords) {
		if known := kindOf(n.key, a.unquoted(n.key)); known != "" {
			return known
		}
	}
	for value := range b.family.members(kindWords) {
		if known := kindOf("", value); known != "" {
			return known
		}
	}
	return ""
}

// runType returns the type of a span's work: the stated one, or else the one that follows from its attributes.
func (b *builder) runType(stated llmrun.RunType) llmrun.RunType {
	a := b.attributes
	if stated != "" {
		return stated
	}
	for range b.family.called(toolWords) {
		return llmrun.RunTypeTool
	}
	switch {
	case a.has("llm.prompt_template.variables"):
		return llmrun.RunTypePrompt
	case a.has("gen_ai.request.model", "gen_ai.response.model"): // Only model calls have one.
		return llmrun.RunTypeLLM
	case b.callsModel():
		return llmrun.RunTypeLLM
	default:
		return llmrun.RunTypeChain
	}
}

// callsModel reports whether a span of an unknown convention has a model or counts tokens, unless it is named like what calls others.
func (b *builder) callsModel() bool {
	names := strings.Fields(wordsOf(b.span.GetName()))
	if slices.ContainsFunc(names, func(word string) bool { return kinds[word] == llmrun.RunTypeChain }) {
		return false
	}
	for n := range b.family.unread() {
		if n.countsTokens(b.attributes) || n.isModel(b.attributes) {
			return true
		}
	}
	return false
}

// isModel reports whether the attribute says which model was called: an identifier.
func (n named) isModel(a attributes) bool {
	words := strings.Fields(n.words)
	text := a.unquoted(n.key)
	return slices.Contains(words[max(0, len(words)-2):], "model") && text != "" && !strings.ContainsAny(text, " {[")
}

// countsTokens reports whether the attribute counts tokens, and doesn't limit them.
func (n named) countsTokens(a attributes) bool {
	words := strings.Fields(n.words)
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	count, is := countOf(a[n.key])
	counts := has("token", "tokens") || has("usage") && slices.Contains(sideWords, words[len(words)-1])
	return is && count > 0 && counts && !has("max", "min", "limit", "budget", "id", "time")
}

// sideWords are the last words of counts whose names don't say that they are tokens.
var sideWords = []string{"input", "output", "prompt", "completion", "total", "cached", "reasoning"}

var requestParameters = table("parameter")

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
	if name == "" && b.kind.CallsModel() {
		provider, name = b.ownModel(provider)
	}
	if name != "" {
		set("model", rawjson.Quote(name))
		b.metadata.Put("ls_model_name", rawjson.Quote(name))
	}
	for _, parameter := range requestParameters {
		set(parameter.name, a.payload(parameter.attributes...))
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
		list = append(list, rawjson.EncodeMembers(members))
	}
	return rawjson.EncodeArray(list)
}

var (
	threadAttributes = texttable.Words(attributesText, "$threads")
	metadataPrefixes = texttable.Words(attributesText, "$metadata")
	markers          = texttable.Words(attributesText, "$markers")
)

// labels sets tags and metadata. It runs last: everything unused becomes metadata.
func (b *builder) labels() {
	a := b.attributes
	tags := append(a.texts("langsmith.span.tags"), a.texts("tag.tags")...)
	for n := range b.family.called(tagWords) {
		tags = append(tags, a.texts(n.key)...)
	}
	if len(tags) > 0 {
		text, _ := json.Marshal(tags) // Encoding a list of strings never fails.
		b.fields["tags"] = text
	}
	if serialized := a.below("gen_ai.serialized."); serialized != nil {
		b.fields["serialized"] = rawjson.EncodeMembers(serialized.members())
	}
	b.runtime = a.payload("langsmith.span.runtime")
	a.drop(markers...)
	thread := a.peek(threadAttributes...)
	for _, words := range threadWords {
		for _, n := range b.family.names {
			if n.ends(words) {
				thread = cmp.Or(thread, a.unquoted(n.key))
			}
		}
	}
	b.markUnread()
	for _, prefix := range metadataPrefixes {
		for key, value := range a.below(prefix).members() {
			b.metadata.Put(key, value)
		}
	}
	if document, is := rawjson.ReadObject(payloadOf(a["metadata"])); is {
		a.drop("metadata")
		for _, m := range document {
			b.metadata.Put(m.Key, m.Value)
		}
	}
	for key, value := range a.members() {
		if _, known := b.metadata[key]; !known {
			b.metadata.Put(key, value)
		}
	}
	named := b.metadata["thread_id"] != nil || b.metadata["session_id"] != nil || b.metadata["conversation_id"] != nil
	if thread != "" && !named {
		b.metadata.Put("thread_id", rawjson.Quote(thread))
	}
}

// extra combines the attributes that say how the work was done.
func (b *builder) extra(runtime json.RawMessage) {
	o := rawjson.Of("metadata", rawjson.EncodeMembers(b.metadata))
	if len(b.parameters) > 0 {
		o = o.With("invocation_params", b.parameters.Encode())
	}
	if own, is := rawjson.ReadObject(b.runtime); is {
		o = o.With("runtime", own.Encode())
	} else {
		o = o.WithRaw("runtime", runtime)
	}
	b.fields["extra"] = o.Encode()
}
