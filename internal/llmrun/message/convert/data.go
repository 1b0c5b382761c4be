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
		envelope.ChoiceKey,
	}
	partData = []string{"id", "index", "status", "caller", "cache_control", "signature", "encrypted_content", "logprobs", "partial_json"}
)

// isData says whether an extra of the document is data.
func (p *Prepared) isData(key string) bool {
	switch {
	case p.Side == document.Inputs:
		return slices.Contains(requestData, key)
	case key == "text": // The settings of a text, not one.
		return rawjson.IsObject(p.Extras[key])
	default:
		return slices.Contains(answerData, key)
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

// messageData says which extras of a message are data. Those of reasoning are, where it becomes part of an answer.
func (p *Prepared) messageData(m *document.Message) func(string) bool {
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b document.Block) bool { return b.Type == kind })
	}
	reasons, calls := has(document.BlockReasoning), has(document.BlockToolCall)
	merged := m.Role == document.RoleReasoning && !slices.Contains(p.to.Roles, m.Role)
	return func(key string) bool {
		switch key {
		case "additional_kwargs":
			return saysAgain(m.Extras[key], calls, reasons)
		case "reasoning_details", "thinking_blocks":
			return reasons
		case document.KeyType: // A framework's name for the role.
			kind, _ := rawjson.ReadString(m.Extras[key])
			return merged || envelope.MessageTypes[kind]
		case "name":
			return merged || m.Role == document.RoleTool // The call contains it.
		default:
			return merged || slices.Contains(metaData, key)
		}
	}
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

// blockData says which extras of a block are data.
func blockData(b *document.Block) func(string) bool {
	return func(key string) bool {
		isThought := key == document.KeyType && b.Type == document.BlockReasoning && b.Kind("") == part.ReasoningText
		return isThought || slices.Contains(partData, key)
	}
}
