package framework

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// addKept reads reasoning and calls from additional_kwargs, where older versions of the framework, and some of its models,
// store only that. Both remain extras as well.
func addKept(m *document.Message, raw json.RawMessage) {
	kept, ok := rawjson.ReadObject(raw)
	if !ok || m.Role != document.RoleAssistant {
		return
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b document.Block) bool { return b.Type == kind })
	}
	if !has(document.BlockReasoning) {
		for _, key := range envelope.ReasoningKeys {
			if text, ok := kept.Text(key); ok && text != "" {
				m.Content = slices.Insert(m.Content, 0, document.Block{Type: document.BlockReasoning, Text: &text})
				break
			}
		}
	}
	if has(document.BlockToolCall) {
		return
	}
	if calls, ok := part.Calls(kept.Get("tool_calls")); ok {
		m.Content = append(m.Content, calls...)
	} else if call := kept.Get("function_call"); rawjson.IsObject(call) {
		m.Content = append(m.Content, part.Function(call))
	}
}
