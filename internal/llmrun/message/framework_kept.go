package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// noteKept marks a block that was read from the provider's message that the framework keeps, which remains an extra.
var noteKept = json.RawMessage(`"additional_kwargs"`)

// addKept reads reasoning and calls from additional_kwargs, where older versions of the framework, and some of its models,
// store only that.
func (m *Message) addKept(raw json.RawMessage) {
	kept, ok := rawjson.ReadObject(raw)
	if !ok || m.Role != RoleAssistant {
		return
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(m.Content, func(b Block) bool { return b.Type == kind })
	}
	var blocks []Block
	if !has(BlockReasoning) {
		for _, key := range reasoningKeys {
			if text, ok := kept.Text(key); ok && text != "" {
				m.Content = slices.Insert(m.Content, 0, Block{Type: BlockReasoning, Text: &text, Layout: Layout{layoutPlace: noteKept}})
				break
			}
		}
	}
	if has(BlockToolCall) {
		return
	}
	if calls, ok := parseCalls(kept.Get("tool_calls"), callFunction); ok {
		blocks = calls
	} else if call := kept.Get("function_call"); rawjson.IsObject(call) {
		b := Block{Type: BlockToolCall}
		if rest := b.takeFunction(call); rest != nil {
			b.Extras.Put("function", rawjson.Object(nil).WithAll(rest).Encode())
		}
		blocks = []Block{b}
	}
	for i := range blocks {
		blocks[i].Layout = Layout{layoutPlace: noteKept}
	}
	m.Content = append(m.Content, blocks...)
}
