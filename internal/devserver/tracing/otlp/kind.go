package otlp

import "strings"

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

// kinds map attribute values, in lower case, to run types; the first attribute with a known value counts.
var kinds = []struct {
	attributes []string
	types      map[string]string
}{
	{[]string{"langsmith.span.kind"}, map[string]string{
		"llm": typeLLM, "chain": typeChain, "tool": typeTool, "retriever": typeRetriever, "embedding": typeEmbedding,
		"prompt": typePrompt, "parser": typeParser,
	}},
	{[]string{"gen_ai.operation.name"}, map[string]string{
		"chat": typeLLM, "completion": typeLLM, "text_completion": typeLLM, "generate_content": typeLLM, "responses": typeLLM,
		"responses.compact": typeLLM, "embedding": typeEmbedding, "embeddings": typeEmbedding, "execute_tool": typeTool,
		"retrieval": typeRetriever, "rerank": typeRetriever, "invoke_agent": typeChain, "create_agent": typeChain, "invoke_workflow": typeChain,
		"execute_event_loop_cycle": typeChain, "chain": typeChain, "parser": typeParser,
	}},
	{[]string{"openinference.span.kind"}, map[string]string{
		"llm": typeLLM, "embedding": typeEmbedding, "retriever": typeRetriever, "tool": typeTool, "prompt": typePrompt,
		"chain": typeChain, "agent": typeChain, "reranker": typeRetriever, "guardrail": typeChain, "evaluator": typeChain,
		"decision": typeChain,
	}},
	{[]string{"ai.operationId"}, map[string]string{
		"ai.generatetext": typeChain, "ai.generatetext.dogenerate": typeLLM, "ai.streamtext": typeChain, "ai.streamtext.dostream": typeLLM,
		"ai.generateobject": typeChain, "ai.generateobject.dogenerate": typeLLM, "ai.streamobject": typeChain, "ai.streamobject.dostream": typeLLM,
		"ai.embed": typeChain, "ai.embed.doembed": typeEmbedding, "ai.embedmany": typeChain, "ai.embedmany.doembed": typeEmbedding,
		"ai.rerank": typeChain, "ai.rerank.dorerank": typeRetriever, "ai.toolcall": typeTool,
	}},
	{[]string{"traceloop.span.kind"}, map[string]string{
		"tool": typeTool, "workflow": typeChain, "task": typeChain, "agent": typeChain,
	}},
	{[]string{"llm.request.type", "traceloop.llm.request.type"}, map[string]string{
		"chat": typeLLM, "completion": typeLLM, "rerank": typeLLM, "unknown": typeLLM, "embedding": typeEmbedding,
	}},
}

// runType returns the type of a span's work.
func (a attributes) runType() string {
	for _, kind := range kinds {
		if known := kind.types[strings.ToLower(a.peek(kind.attributes...))]; known != "" {
			return known
		}
	}
	switch {
	case a.has("gen_ai.tool.name", "gen_ai.tool.call.id"):
		return typeTool
	case a.has("llm.prompt_template.variables"):
		return typePrompt
	case a.has("gen_ai.request.model", "gen_ai.response.model"): // Only model calls have one.
		return typeLLM
	default:
		return typeChain
	}
}
