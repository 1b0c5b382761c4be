package message

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// shapeHistory is {"message":"…","chat_history":[{"role","message"}]}.
const shapeHistory = "history"

// isCohere says whether a document is a request or an answer of version 1 of that provider's chat API, whose messages are
// strings; version 2 is chat completions.
func isCohere(src Source) bool {
	o := src.Object
	if src.Side == Outputs {
		return rawjson.IsString(o.Get("text")) && o.Has("generation_id")
	}
	return rawjson.IsString(o.Get("message")) && !o.Has("messages") && !o.Has("role")
}

// parseCohere reads the history and the message after it, or the text of an answer with its calls.
func parseCohere(src Source) (*Document, bool) {
	o, side := src.Object, src.Side
	d := &Document{Format: FormatCohere, Side: side, Shape: shapeHistory, Messages: []Message{}}
	if side == Outputs {
		m := Message{Role: RoleAssistant, Content: []Block{}}
		text, _ := o.Text("text")
		m.Content = append(m.Content, Block{Type: BlockText, Text: &text})
		taken := append([]string{"text"}, takeCohereCalls(&m, o)...)
		d.Shape, d.Messages, d.Extras = shapeResult, append(d.Messages, m), o.Rest(taken...)
		return d, true
	}
	taken := []string{"message"}
	add := func(role, text string) {
		d.Messages = append(d.Messages, Message{Role: role, Content: []Block{{Type: BlockText, Text: &text}}})
	}
	if text, ok := o.Text("preamble"); ok {
		add(RoleSystem, text)
		taken = append(taken, "preamble")
	}
	if history, ok := rawjson.ReadArray(o.Get("chat_history")); ok && rawjson.AllObjects(history) {
		taken = append(taken, "chat_history")
		for _, raw := range history {
			addCohereTurn(d, raw)
		}
	}
	text, _ := o.Text("message")
	add(RoleUser, text)
	d.Extras = o.Rest(taken...)
	return d, true
}

// cohereRoles are the roles of a history.
var cohereRoles = map[string]string{"user": RoleUser, "chatbot": RoleAssistant, "system": RoleSystem, "tool": RoleTool}

// addCohereTurn reads {"role":"CHATBOT","message","tool_calls"}.
func addCohereTurn(d *Document, raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	m := Message{Content: []Block{}}
	taken := make([]string, 0, 3)
	said, _ := o.Text("role")
	if role, known := cohereRoles[strings.ToLower(said)]; known {
		m.Role, taken = role, append(taken, "role")
	}
	if text, ok := o.Text("message"); ok {
		m.Content, taken = append(m.Content, Block{Type: BlockText, Text: &text}), append(taken, "message")
	}
	taken = append(taken, takeCohereCalls(&m, o)...)
	m.Extras = o.Rest(taken...)
	d.Messages = append(d.Messages, m)
}

// takeCohereCalls reads [{"name","parameters"}].
func takeCohereCalls(m *Message, o rawjson.Object) []string {
	list, ok := rawjson.ReadArray(o.Get("tool_calls"))
	if !ok || !rawjson.AllObjects(list) {
		return nil
	}
	for _, raw := range list {
		call, _ := rawjson.ReadObject(raw)
		b := Block{Type: BlockToolCall}
		b.Extras = call.Rest(b.takeMembers(call, "name", "name", "parameters", "args", "id", "id")...)
		m.Content = append(m.Content, b)
	}
	return []string{"tool_calls"}
}

// checkCohere has nothing to validate: the messages of the format are strings.
func checkCohere(*validator, Source) {}
