package otlp

import (
	"slices"
	"strings"
)

// The types of runs.
const (
	typeLLM       = "llm"
	typeChain     = "chain"
	typeTool      = "tool"
	typeRetriever = "retriever"
	typeEmbedding = "embedding"
	typePrompt    = "prompt"
	typeParser    = "parser"
)

// kindAttributes say what a span does. The first with a known value counts, and then any attribute whose name says that it is a type.
var kindAttributes = []string{
	"langsmith.span.kind", "gen_ai.operation.name", "openinference.span.kind", "ai.operationId", "traceloop.span.kind",
	"llm.request.type", "traceloop.llm.request.type",
}

// kinds are the values of these attributes by run type, in lower case and with underscores.
var kinds = func() map[string]string {
	types := map[string]string{}
	for kind, values := range map[string]string{
		typeLLM: "llm chat chat_model model language_model completion text_completion generate_content generation responses responses.compact " +
			"model_inference llm_call ai.generatetext.dogenerate ai.streamtext.dostream ai.generateobject.dogenerate ai.streamobject.dostream",
		typeEmbedding: "embedding embeddings embed embedder rag_embedding ai.embed.doembed ai.embedmany.doembed",
		typeTool:      "tool tool_call mcp_tool_call provider_tool_call execute_tool function function_call ai.toolcall",
		typeRetriever: "retriever retrieval rerank reranker ai.rerank.dorerank",
		typeChain: "chain agent agent_run agent_step workflow workflow_run workflow_step task flow flowstep util guardrail evaluator decision " +
			"invoke_agent create_agent invoke_workflow execute_event_loop_cycle model_generation model_step model_chunk processor_run " +
			"ai.generatetext ai.streamtext ai.generateobject ai.streamobject ai.embed ai.embedmany ai.rerank",
		typePrompt: "prompt prompttemplate dotprompt",
		typeParser: "parser",
	} {
		for value := range strings.FieldsSeq(values) {
			types[value] = kind
		}
	}
	return types
}()

var underscores = strings.NewReplacer("-", "_", " ", "_")

// kindOf returns the run type for the value of an attribute; empty if it is unknown.
func kindOf(attribute, value string) string {
	value = underscores.Replace(strings.ToLower(value))
	if strings.HasSuffix(attribute, "llm.request.type") && (value == "rerank" || value == "unknown") {
		return typeLLM // OpenLLMetry has such an attribute only in calls of models.
	}
	return kinds[value]
}

// statedType returns the type of a span's work that an attribute says; empty if none does.
func (b *builder) statedType() string {
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
func (b *builder) runType(stated string) string {
	a := b.attributes
	if stated != "" {
		return stated
	}
	for range b.family.called(toolWords) {
		return typeTool
	}
	switch {
	case a.has("llm.prompt_template.variables"):
		return typePrompt
	case a.has("gen_ai.request.model", "gen_ai.response.model"): // Only model calls have one.
		return typeLLM
	case b.callsModel():
		return typeLLM
	default:
		return typeChain
	}
}

// callsModel reports whether a span of an unknown convention has a model or counts tokens, unless it is named like what calls others.
func (b *builder) callsModel() bool {
	names := strings.Fields(wordsOf(b.span.GetName()))
	if slices.ContainsFunc(names, func(word string) bool { return kinds[word] == typeChain }) {
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
	count := countOf(a[n.key])
	counts := has("token", "tokens") || has("usage") && slices.Contains(sideWords, words[len(words)-1])
	return count != nil && *count > 0 && counts && !has("max", "min", "limit", "budget", "id", "time")
}

// sideWords are the last words of counts whose names don't say that they are tokens.
var sideWords = []string{"input", "output", "prompt", "completion", "total", "cached", "reasoning"}
