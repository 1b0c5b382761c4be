package convert

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Data that formats contain beside content: who answered and when, why the answer ended, its cost, and parameters of the
// request. A conversion omits it if the other format has no place for it, and lists it.
var (
	answerData = []string{
		"object", "created", "created_at", "completed_at", "system_fingerprint", "service_tier", "usage", "type", "model_name",
		"stop_reason", "stop_sequence", "stop_details", "finish_reason", "status", "incomplete_details", "response_metadata", "provider",
		"llm_output", "llmOutput", "run", "x_groq", "prompt_logprobs", "prompt_filter_results", "container", "context_management",
		"background", "billing", "conversation", "include", "instructions", "max_output_tokens", "max_tool_calls", "metadata",
		"parallel_tool_calls", "previous_response_id", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier",
		"store", "tool_choice", "tools", "top_logprobs", "truncation", "user", "frequency_penalty", "presence_penalty",
	}
	requestData = []string{
		"metadata", "user", "store", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier", "stream_options",
		"background", "betas", "anthropic_version",
	}
	metaData = []string{
		"id", "response_metadata", "index", "status", "phase", "example", "tool_call_chunks", "created_at", "model", envelope.GenerationKey,
	}
	partData = []string{"id", "index", "status", "caller", "cache_control", "signature", "encrypted_content", "logprobs", "partial_json"}
)

// documentData says which extras of a document are data for a format that doesn't contain them.
func documentData(d *document.Document, to *Target) func(string) bool {
	written := to.Written(d)
	return func(key string) bool {
		switch {
		case slices.Contains(written, key):
			return false
		case d.Side == document.Inputs:
			return slices.Contains(requestData, key)
		case key == "text": // The settings of a text, not one.
			return rawjson.IsObject(d.Extras[key])
		default:
			return slices.Contains(answerData, key)
		}
	}
}

// AreAlternatives says whether the messages of an answer are alternatives rather than a sequence: several choices, or
// several candidates of a framework.
func AreAlternatives(d *document.Document) bool {
	if d.Side == document.Inputs || len(d.Messages) < 2 {
		return false
	}
	for i := range d.Messages {
		extras := d.Messages[i].Extras
		if d.Shape != document.ShapeGenerations && extras[envelope.ChoiceKey] == nil && extras[envelope.GenerationKey] == nil {
			return false
		}
	}
	return true
}

// messageData says which extras of a message are data.
func messageData(m *document.Message, to *Target, choices bool) func(string) bool {
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b document.Block) bool { return b.Type == kind })
	}
	reasons, calls := has(document.BlockReasoning), has(document.BlockToolCall)
	return func(key string) bool {
		switch key {
		case envelope.ChoiceKey:
			return !choices
		case "id", "status", "phase":
			return !to.Items || m.Role == document.RoleAssistant && onlyCalls(m)
		case "additional_kwargs":
			return saysAgain(m.Extras[key], calls, reasons)
		case "reasoning_details", "thinking_blocks":
			return reasons
		case document.KeyType: // A framework's name for the role.
			kind, _ := rawjson.ReadString(m.Extras[key])
			return envelope.MessageTypes[kind]
		case "name":
			return m.Role == document.RoleTool && !to.Names // The call contains it.
		default:
			return slices.Contains(metaData, key)
		}
	}
}

// onlyCalls says whether a message contains only calls, so that the responses format has no message item for it.
func onlyCalls(m *document.Message) bool {
	isOther := func(b document.Block) bool { return !document.IsCall(&b) && !document.IsReasoning(&b) }
	return len(m.Content) > 0 && !slices.ContainsFunc(m.Content, isOther)
}

// saysAgain says whether what a framework keeps of a provider's message is only the calls and the reasoning that are also
// in the content.
func saysAgain(raw []byte, calls, reasons bool) bool {
	o, ok := rawjson.ReadObject(raw)
	return ok && !slices.ContainsFunc(o, func(m rawjson.Member) bool {
		switch m.Key {
		case "tool_calls", "function_call":
			return !calls && !rawjson.IsVoid(m.Value)
		case "reasoning_content", "reasoning":
			return !reasons && !rawjson.IsVoid(m.Value)
		default:
			return !rawjson.IsVoid(m.Value)
		}
	})
}

// blockData says which extras of a block are data for a format that doesn't contain them.
func blockData(b *document.Block, to *Target) func(string) bool {
	own := to.Block(b)
	return func(key string) bool {
		if key == document.KeyType {
			return b.Type == document.BlockReasoning && b.Kind("") == part.ReasoningText && !to.Items
		}
		return slices.Contains(partData, key) && !slices.Contains(own, key)
	}
}
