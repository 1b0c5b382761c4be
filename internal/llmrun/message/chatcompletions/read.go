package chatcompletions

import (
	"cmp"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the chat-completions format: a request's messages, a response's choices, and the shapes of a single
// message.
func Read(src document.Source) (*document.Document, bool) {
	return envelope.Read(src, document.FormatChatCompletions, appendMessage)
}

func appendMessage(messages []document.Message, m document.Message, o rawjson.Object, taken []string) []document.Message {
	m.Role = cmp.Or(envelope.ChatRoles[m.Role], m.Role)
	if split, ok := envelope.AppendAnswers(messages, &m, o, taken); ok { // Of the provider behind a gateway.
		return split
	}
	for i := range m.Content { // An instrumentation has a message of its own for what comes before an answer.
		if b := &m.Content[i]; m.Role == document.RoleReasoning && b.Type == document.BlockText {
			b.Type = document.BlockReasoning
		}
	}
	content := o.Get("content")
	if rawjson.IsNull(content) { // The format uses null for an answer that consists of calls alone.
		m.Content, taken = []document.Block{}, append(taken, "content")
	}
	if rawjson.IsString(content) && m.Content[0].Take("annotations", o.Get("annotations")) {
		taken = append(taken, "annotations")
	}
	if images, ok := readImages(o.Get("images")); ok {
		m.Content, taken = append(m.Content, images...), append(taken, "images")
	}
	taken = append(taken, envelope.TakeBeside(&m, &m, o)...)
	m.Extras = o.Rest(taken...)
	return append(messages, m)
}

// readImages reads the images beside the content: data alone, or parts as in the content.
func readImages(raw json.RawMessage) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 {
		return nil, false
	}
	images := make([]document.Block, 0, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if !o.Has("type") && (o.Has("url") || o.Has("b64_json")) { // Generated images have none.
			o = append(rawjson.Typed(document.BlockImage), o...)
		}
		if data, ok := rawjson.ReadString(raw); ok {
			images = append(images, document.Block{Type: document.BlockImage, Base64: &data})
		} else if images = part.Append(images, o); len(images) != i+1 || images[i].Type != document.BlockImage {
			return nil, false
		}
	}
	return images, true
}

// Check validates a document of the chat-completions format.
func Check(v *check.Checker, src document.Source) {
	v.Envelope(src, checkMessage)
}

func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleSystem, "developer", document.RoleUser, document.RoleAssistant, document.RoleTool, "function", "model", "thinking")
	// An answer may also have been truncated at its start.
	isSilent := role == document.RoleAssistant && (maySayNothing(o) || v.Side == document.Outputs && o.Has("content"))
	content := o.Get("content")
	// A tool can return data, or nothing.
	isReturned := (role == document.RoleTool || role == "function") && (part.IsData(content) || rawjson.IsNull(content))
	if !isReturned && (!rawjson.IsNullOrAbsent(content) || !isSilent) {
		v.Blocks(content, p.Member("content"), func(part rawjson.Object, at string) { checkPart(v, part, at, role) })
	}
	key, calls := o.Find("tool_calls")
	v.ToolCalls(calls, p.Member(key), role, false)
	if call := o.Get("function_call"); !rawjson.IsNullOrAbsent(call) {
		v.Function(call, p.Member("function_call"))
	}
	_, answers := o.Find("tool_call_id")
	if _, tool := o.Find("tool_name"); role == document.RoleTool && answers == nil && tool == nil {
		v.Add(p.Member("tool_call_id"), document.RuleToolCallIDRequired, "the answer of a tool doesn't say which call it answers",
			v.Calls.Hint("set tool_call_id to the ID of the call"))
	}
	v.ToolCallID(o, p, role)
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
}

// maySayNothing reports whether an answer may have no content: one with calls, audio, a refusal or reasoning instead.
var maySayNothing = shape.Named("chat_without_content")

func checkPart(v *check.Checker, o rawjson.Object, at, role string) {
	if v.Part(o, at, role) != document.BlockFile {
		return
	}
	if b := part.Append(nil, o)[0]; b.Base64 == nil && b.URL == nil && b.ID == nil && b.Text == nil {
		v.Add(at+"/file", document.RuleMediaSource, "the file has no data", "set file_data or file_id")
	}
}
