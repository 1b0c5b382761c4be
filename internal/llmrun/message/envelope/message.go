package envelope

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// TakeMessage reads the members common to messages in the native, the chat-completions and the framework format, and
// returns the keys that it has read. Members of the wrong type are skipped.
func TakeMessage(m *document.Message, o rawjson.Object, topUsage bool) []string {
	return takeMessage(make([]string, 0, 8), m, o, topUsage) // Inlined: the list is on the caller's stack.
}

func takeMessage(taken []string, m *document.Message, o rawjson.Object, topUsage bool) []string {
	if role, ok := o.Text("role"); ok && role != "" {
		m.Role, taken = role, append(taken, "role")
	}
	key, value := o.Find("tool_call_id")
	if rawjson.IsString(value) {
		id, _ := rawjson.ReadString(value)
		m.ToolCallID, taken = &id, append(taken, key)
	}
	read := part.Content
	if m.ToolCallID != nil || m.Role == document.RoleTool || m.Role == "function" {
		read = part.Returned
	}
	if content, ok := read(o.Get("content")); ok {
		m.Content, taken = content, append(taken, "content")
	}
	if usage := o.Get("usage_metadata"); usage != nil && !topUsage {
		m.UsageMetadata, taken = usage, append(taken, "usage_metadata")
	}
	return taken
}

// Reader appends a message to others, as one or more messages. TakeMessage has read the members that are taken.
type Reader func(messages []document.Message, m document.Message, o rawjson.Object, taken []string) []document.Message

// Read unwraps a document and reads its messages. It fails if a key for what is beside a message is taken.
func Read(src document.Source, format document.Format, read Reader) (*document.Document, bool) {
	e, ok := Open(src)
	if !ok {
		return nil, false
	}
	d := &document.Document{Format: format, Side: src.Side, Shape: e.Shape, Extras: e.Rest}
	d.Messages = make([]document.Message, 0, len(e.Messages)+1)
	// The usage of the only message may be beside it. If such a message has usage_metadata of its own, that remains an extra.
	beside := []string{document.ShapeChoices, document.ShapeCompletion, document.ShapeMessage, document.ShapeBare}
	topUsage := len(e.Messages) == 1 && slices.Contains(beside, e.Shape)
	taken := make([]string, 0, 16)
	for i, o := range rawjson.Objects(e.Messages) {
		if !rawjson.IsObject(e.Messages[i]) {
			d.SetAside(e.Messages[i])
			continue
		}
		start := len(d.Messages)
		var m document.Message
		taken = takeMessage(taken[:0], &m, o, topUsage)
		d.Messages = read(d.Messages, m, o, taken)
		if e.Choices == nil {
			continue
		}
		extras := &d.Messages[start].Extras
		if (*extras)[ChoiceKey] != nil {
			return nil, false
		}
		if e.Choices[i] != nil {
			extras.Put(ChoiceKey, e.Choices[i])
		}
	}
	if usage := d.Extras["usage_metadata"]; topUsage && rawjson.IsObject(usage) {
		d.Messages[0].UsageMetadata = usage
		d.Extras = d.Extras.Without("usage_metadata")
	}
	if content, ok := part.Content(d.Extras[keySystem]); ok && !rawjson.IsEmpty(d.Extras[keySystem]) {
		d.Messages = slices.Insert(d.Messages, 0, document.Message{Role: document.RoleSystem, Content: content})
		d.Extras = d.Extras.Without(keySystem)
	}
	return d.KeepAside()
}

// AppendAnswers appends a message that has answers of tools among its parts, which become separate messages: the first of them has what
// stands beside the content. It reports false for any other message.
func AppendAnswers(messages []document.Message, m *document.Message, o rawjson.Object, taken []string) ([]document.Message, bool) {
	if m.ToolCallID != nil || !slices.Contains(taken, "content") || !part.HasAnswers(o.Get("content")) {
		return messages, false
	}
	start := len(messages)
	list, _ := rawjson.ReadArray(o.Get("content"))
	messages = part.Split(messages, list, m.Role, part.ReturnedAnswer, part.Append)
	messages[start].UsageMetadata = m.UsageMetadata
	document.AddBeside(&messages[start].Extras, o.Rest(taken...))
	return messages, true
}

// keySystem is the member beside the messages that has the system prompt. Clients of several providers have it for all of them.
const keySystem = "system"

// TakeBeside reads what messages have beside their content, and returns the keys that it has read: reasoning into the first message,
// before its content; a refusal, audio and calls into the last one, after it.
func TakeBeside(first, last *document.Message, o rawjson.Object) []string {
	var taken []string
	var blocks []document.Block
	for _, key := range ReasoningKeys {
		key, value := o.Find(key)
		if !rawjson.IsString(value) {
			continue
		}
		text, _ := rawjson.ReadString(value)
		taken = append(taken, key)
		if len(blocks) == 0 || *blocks[0].Text != text {
			blocks = append(blocks, document.Block{Type: document.BlockReasoning, Text: &text})
		}
	}
	first.Content = slices.Insert(first.Content, 0, blocks...)
	if text, ok := o.Text("refusal"); ok {
		refusal := document.Block{Type: document.BlockText, Text: &text, Extras: document.Extras{part.KeepRefusal: json.RawMessage("true")}}
		last.Content, taken = append(last.Content, refusal), append(taken, "refusal")
	}
	if rawjson.IsObject(o.Get("audio")) {
		audio := document.Block{Type: document.BlockAudio}
		audio.TakeWithin(o, "audio", AudioMembers)
		last.Content, taken = append(last.Content, audio), append(taken, "audio")
	}
	taken = append(taken, part.AddCalls(last, o)...)
	if call := o.Get("function_call"); rawjson.IsObject(call) {
		last.Content, taken = append(last.Content, part.Function(call)), append(taken, "function_call")
	}
	return taken
}

// AudioMembers are the members of the audio of an answer, {"id","data","transcript","expires_at"}.
var AudioMembers = []string{"id", "id", "data", "base64"}

// ChatRoles maps the roles of chat completions to different names in the normal form.
var ChatRoles = map[string]string{
	"developer": document.RoleSystem, "function": document.RoleTool,
	// Other providers with the same format, and frameworks, use their own names.
	"model": document.RoleAssistant, "ai": document.RoleAssistant, "human": document.RoleUser, "thinking": document.RoleReasoning, "chatbot": document.RoleAssistant,
}

// TypeRole returns the role for the type of a framework's message, such as ai, or for its class, AIMessage or AIMessageChunk; empty if there
// is none.
func TypeRole(name string) string {
	name = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "Chunk"), "Message"))
	if name == document.RoleSystem || name == document.RoleTool {
		return name
	}
	return ChatRoles[name]
}

// RoleOf returns the normal form's name for a role that another format has under that name or its own.
func RoleOf(name string) (role string, known bool) {
	if slices.Contains(PairRoles, name) && ChatRoles[name] == "" {
		return name, true
	}
	role, known = ChatRoles[name]
	return role, known
}

// ReasoningKeys are the members for the reasoning before an answer, by provider. Some gateways set two to the same text.
var ReasoningKeys = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}
