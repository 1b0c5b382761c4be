package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// addKept reads reasoning and calls from additional_kwargs, where older versions of the framework, and some of its models,
// store only that. Both remain extras as well.
func addKept(m *Message, raw json.RawMessage) {
	kept, ok := rawjson.ReadObject(raw)
	if !ok || m.Role != RoleAssistant {
		return
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b Block) bool { return b.Type == kind })
	}
	if !has(BlockReasoning) {
		for _, key := range reasoningKeys {
			if text, ok := kept.Text(key); ok && text != "" {
				m.Content = slices.Insert(m.Content, 0, Block{Type: BlockReasoning, Text: &text})
				break
			}
		}
	}
	if has(BlockToolCall) {
		return
	}
	if calls, ok := parseCalls(kept.Get("tool_calls")); ok {
		m.Content = append(m.Content, calls...)
	} else if call := kept.Get("function_call"); rawjson.IsObject(call) {
		m.Content = append(m.Content, parseFunction(call))
	}
}
