package cohere

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// shapeHistory is {"message":"…","chat_history":[{"role","message"}]}.
const shapeHistory = "history"

// Has reports whether a document is a request or an answer of version 1 of that provider's chat API, whose messages are
// strings; version 2 is chat completions.
func Has(src document.Source) bool { return shapes[src.Side](src.Object) }

var shapes = map[document.Side]shape.Shape{document.Inputs: shape.Named("cohere_request"), document.Outputs: shape.Named("cohere_answer")}

// Read reads the history and the message after it, or the text of an answer with its calls.
func Read(src document.Source) (*document.Document, bool) {
	o, side := src.Object, src.Side
	d := &document.Document{Format: document.FormatCohere, Side: side, Shape: shapeHistory, Messages: []document.Message{}}
	if side == document.Outputs {
		m := readTurn(o, "text")
		d.Shape, d.Extras = document.ShapeResult, m.Extras
		d.Messages = append(d.Messages, document.Message{Role: document.RoleAssistant, Content: m.Content})
		return d, true
	}
	taken := []string{"message"}
	if text, _ := o.Text("preamble"); text != "" {
		d.Messages, taken = append(d.Messages, document.Text(document.RoleSystem, text)), append(taken, "preamble")
	}
	key, value := o.Find("chat_history")
	if history, ok := rawjson.ReadArray(value); ok && rawjson.AllObjects(history) {
		d.Messages, taken = slices.Grow(d.Messages, len(history)+1), append(taken, key)
		for _, turn := range rawjson.Objects(history) {
			d.Messages = append(d.Messages, readTurn(turn, "message"))
		}
	}
	text, _ := o.Text("message")
	d.Messages = append(d.Messages, document.Text(document.RoleUser, text))
	d.Extras = o.Rest(taken...)
	return d, true
}

// readTurn reads {"role":"CHATBOT","message","tool_calls"}, or an answer, which has its text under another key.
func readTurn(o rawjson.Object, key string) document.Message {
	m := document.Message{Content: []document.Block{}}
	taken := make([]string, 0, 3)
	said, _ := o.Text("role")
	if role, known := envelope.RoleOf(strings.ToLower(said)); known {
		m.Role, taken = role, append(taken, "role")
	}
	if text, ok := o.Text(key); ok {
		m.Content, taken = append(m.Content, document.Block{Type: document.BlockText, Text: &text}), append(taken, key)
	}
	taken = append(append(taken, part.AddCalls(&m, o)...), addResults(&m, o)...)
	m.Extras = o.Rest(taken...)
	return m
}

// addResults reads [{"call","outputs"}], the results of tools, which refer to calls by repeating them.
func addResults(m *document.Message, o rawjson.Object) []string {
	key, value := o.Find("tool_results")
	list, ok := rawjson.ReadArray(value)
	if !ok || !rawjson.AllObjects(list) {
		return nil
	}
	for _, result := range rawjson.Objects(list) {
		b := document.Block{Type: document.BlockText}
		b.Extras = result.Rest(b.TakeMembers(result, "outputs", "value")...)
		m.Content = append(m.Content, b)
	}
	return []string{key}
}

// Check validates the history of a request. Its messages are strings, and results and calls beside them.
func Check(v *check.Checker, src document.Source) {
	key, history := src.Object.Find("chat_history")
	if v.Side == document.Outputs || rawjson.IsNullOrAbsent(history) {
		return
	}
	v.Blocks(history, v.Base+rawjson.Pointer(key), func(turn rawjson.Object, at string) {
		v.Misplaced(turn, "message", "content", at)
		role, _ := turn.Text("role")
		_, calls := turn.Find("tool_calls")
		_, results := turn.Find("tool_results")
		v.Text(turn, "message", at, document.RuleContentBlocks, rawjson.IsVoidOrAbsent(calls) && rawjson.IsVoidOrAbsent(results) && !strings.EqualFold(role, document.RoleTool))
	})
}
