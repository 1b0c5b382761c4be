package agents

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

type reader struct {
	*document.Document
	// contents says that the last entry was a content without a message, which the next one joins.
	contents bool
}

// Read reads the entries into messages. The results of tools become separate messages, and calls without a message are
// added to the preceding message of the assistant.
func Read(src document.Source) (*document.Document, bool) {
	c, ok := open(src)
	if !ok {
		return nil, false
	}
	r := reader{Document: &document.Document{Format: c.format, Side: src.Side, Shape: c.shape, Extras: c.rest, Messages: []document.Message{}}}
	for _, key := range []string{keyInstructions, "system_instruction", "instructions", "systemPrompt"} {
		if instructions, ok := partsOf(src.Object.Get(key)); ok && c.shape != document.ShapeBare {
			r.parts(document.RoleSystem, instructions)
			r.Extras = r.Extras.Without(key)
		}
	}
	r.Messages = slices.Grow(r.Messages, len(c.entries))
	for _, raw := range c.entries {
		r.add(raw)
	}
	return r.KeepAside()
}

// wrappers are members in which a message can be, with the rest beside it.
var wrappers = []string{"message", "prompt", "completion"}

func (r *reader) add(raw json.RawMessage) {
	members := rawjson.Borrow()
	defer members.Return()
	if rawjson.IsString(raw) {
		*members = members.With("content", raw)
	} else if !members.Reuse(raw) {
		r.SetAside(raw)
		return
	}
	start := len(r.Messages)
	inner, beside := r.unwrap(*members)
	r.entry(inner)
	if beside != nil {
		document.AddBeside(&r.Messages[start].Extras, beside)
	}
}

// unwrap returns the message in an entry, and the members beside it.
func (r *reader) unwrap(o rawjson.Object) (rawjson.Object, document.Extras) {
	for _, key := range wrappers {
		if !rawjson.IsObject(o.Get(key)) {
			continue
		}
		inner, _ := rawjson.ReadObject(o.Get(key))
		role, _ := inner.Text("role")
		switch {
		case r.Format == document.FormatOpenInference:
			return inner, o.Rest(key)
		case role != "" && r.Format == document.FormatClaudeAgent:
			return inner, o.Rest(key, "type")
		}
	}
	return o, nil
}

func (r *reader) entry(o rawjson.Object) {
	if r.Format == document.FormatOpenAIAgents {
		o = swapped(o)
	}
	role, taken := r.role(o)
	kind := r.kind(o)
	if kind != "" && !o.Has("type") {
		o = append(rawjson.Of("type", rawjson.Quote(kind)), o...)
	}
	m, isAnswer := part.AgentAnswer(o)
	switch {
	case r.Format == document.FormatClaudeAgent && role == "":
		r.program(o, kind)
	case role != "":
		r.message(role, o, taken)
	case isAnswer:
		r.Messages = append(r.Messages, m)
	case kind == document.BlockReasoning:
		r.Messages = append(r.Messages, part.Reasoning(o, "content", "input_text", "rawContent", part.ReasoningText))
	case slices.Contains(contentTypes, kind):
		if !r.contents {
			r.Messages = append(r.Messages, document.Message{Role: usualRoles[r.Side]})
		}
		m := &r.Messages[len(r.Messages)-1]
		m.Content, r.contents = part.Append(m.Content, o), true
		return
	default:
		last := len(r.Messages) - 1
		if last < 0 || r.Messages[last].Role != document.RoleAssistant {
			r.Messages = append(r.Messages, document.Message{Role: document.RoleAssistant})
			last++
		}
		r.Messages[last].Content = part.Append(r.Messages[last].Content, o)
	}
	r.contents = false
}

// swapped exchanges the IDs of an item that has the provider's beside that of the SDK, to which results refer.
func swapped(o rawjson.Object) rawjson.Object {
	if !o.Has("callId") || !o.Has("call_id") {
		return o
	}
	names := map[string]string{"callId": "call_id", "call_id": "callId"}
	o = slices.Clone(o)
	for i := range o {
		o[i].Key = cmp.Or(names[o[i].Key], o[i].Key)
	}
	return o
}

// kind returns the type of an entry. Mistral's SDK leaves it out where it has a default.
func (r *reader) kind(o rawjson.Object) string {
	kind, ok := o.Text("type")
	switch {
	case ok || r.Format != document.FormatConversations:
		return kind
	case o.Has("result"):
		return "function.result"
	case o.Has("toolCallId"), o.Has("tool_call_id"):
		return "function.call"
	case o.Has("arguments"):
		return "tool.execution"
	default:
		return "agent.handoff"
	}
}

// usualRoles are the roles of messages that have none.
var usualRoles = map[document.Side]string{document.Inputs: document.RoleUser, document.Outputs: document.RoleAssistant}

// roleNames are roles, and types of entries that are messages of a role.
var roleNames = map[string]string{
	"user_input": document.RoleUser, "model_output": document.RoleAssistant, "message.input": document.RoleUser, "message.output": document.RoleAssistant,
	"request": document.RoleUser, "response": document.RoleAssistant,
}

// role returns the role of an entry and the members that determine it; none if the entry is an item. A message with the ID of a
// call is its result, even if it counts as the user's.
func (r *reader) role(o rawjson.Object) (role string, taken []string) {
	if kind, _ := o.Text("type"); kind == "message" {
		taken = append(taken, "type")
	}
	for _, key := range []string{"role", "type", "kind"} {
		text, _ := o.Text(key)
		if name := cmp.Or(roleNames[text], envelope.ChatRoles[text]); name != "" {
			return name, append(taken, key)
		}
	}
	if role, _ = o.Text("role"); role != "" {
		taken = append(taken, "role")
	}
	isConvention := r.Format == document.FormatOpenTelemetry || r.Format == document.FormatOpenInference
	id, _ := o.Text("tool_call_id")
	switch {
	case r.Format == document.FormatMCP && role == "", id != "" && (isConvention || role != ""):
		return document.RoleTool, taken
	case role != "":
		return role, taken
	case r.Format == document.FormatConversations && o.Has("content"):
		return document.RoleAssistant, taken
	case isConvention:
		return usualRoles[r.Side], taken
	default:
		return "", nil
	}
}

// program reads an entry of the Claude Agent SDK without a message: the result, or the state of the program.
func (r *reader) program(o rawjson.Object, kind string) {
	text, ok := o.Text("result")
	if kind != "result" || !ok {
		r.SetAside(o.Encode())
		return
	}
	r.Messages = append(r.Messages, document.Message{
		Role: document.RoleAssistant, Content: []document.Block{{Type: document.BlockText, Text: &text}}, Extras: o.Rest("result"),
	})
}

// partsOf returns the parts of content, which may be a string or a single part.
func partsOf(raw json.RawMessage) ([]json.RawMessage, bool) {
	switch rawjson.FirstByte(raw) {
	case '"', '{':
		return []json.RawMessage{raw}, true
	case '[':
		list, _ := rawjson.ReadArray(raw)
		return list, part.AreParts(list)
	default:
		return nil, false
	}
}

var contentKeys = []string{"parts", "blocks", "content", "contents", "text"}

// message reads a message with parts, and the calls and the reasoning beside them.
func (r *reader) message(role string, o rawjson.Object, taken []string) {
	start := len(r.Messages)
	if text, ok := o.Text("instructions"); ok && r.Format == document.FormatPydanticAI && start == 0 {
		r.parts(document.RoleSystem, []json.RawMessage{rawjson.Quote(text)})
		taken, start = append(taken, "instructions"), len(r.Messages)
	}
	for _, key := range contentKeys {
		if parts, ok := partsOf(o.Get(key)); ok {
			taken = append(taken, key)
			r.parts(role, parts)
		}
	}
	if len(r.Messages) == start {
		r.Messages = append(r.Messages, document.Message{Role: role, Content: []document.Block{}})
	}
	first, last := &r.Messages[start], &r.Messages[len(r.Messages)-1]
	kept, _ := rawjson.ReadObject(o.Get("additional_kwargs")) // LlamaIndex has there what only some models have.
	if id, ok := o.Text("tool_call_id"); ok && first.ToolCallID == nil {
		first.ToolCallID, taken = &id, append(taken, "tool_call_id")
	} else if id, ok := kept.Text("tool_call_id"); ok && role == document.RoleTool && first.ToolCallID == nil {
		first.ToolCallID = &id
	}
	taken = append(taken, envelope.TakeBeside(first, last, o)...)
	part.AddCalls(last, kept)
	if name := o.Get("function_call_name"); name != nil { // OpenInference.
		call := rawjson.Of("name", name).WithRaw("arguments", o.Get("function_call_arguments_json"))
		last.Content = append(last.Content, part.Function(call.Encode()))
		taken = append(taken, "function_call_name", "function_call_arguments_json")
	}
	document.AddBeside(&first.Extras, o.Rest(taken...))
}

// partRoles are parts that belong to another role than their message.
var partRoles = map[string]string{"system-prompt": document.RoleSystem, "user-prompt": document.RoleUser}

// parts adds parts in messages of a role. Results of tools are messages of their own.
func (r *reader) parts(role string, parts []json.RawMessage) {
	current := -1
	for i, o := range rawjson.Objects(parts) {
		if m, ok := part.AgentAnswer(o); ok && (role != document.RoleAssistant || r.Format == document.FormatOpenTelemetry) {
			r.Messages, current = append(r.Messages, m), -1
			continue
		}
		kind, _ := o.Text("part_kind")
		own := cmp.Or(partRoles[kind], role)
		if current < 0 || r.Messages[current].Role != own {
			r.Messages = append(r.Messages, document.Message{Role: own, Content: []document.Block{}})
			current = len(r.Messages) - 1
		}
		m := &r.Messages[current]
		if kind != "user-prompt" || !rawjson.IsArray(o.Get("content")) {
			m.Content = part.AppendElement(m.Content, parts[i], o, r.part)
			continue
		}
		for raw := range rawjson.Elements(o.Get("content")) {
			prompt, _ := part.Output(raw)
			m.Content = append(m.Content, prompt...)
		}
		document.AddBeside(&m.Extras, o.Rest("content", "part_kind"))
	}
}

// part reads a part. OpenInference has it in an object of its own, and repeats calls there.
func (r *reader) part(content []document.Block, o rawjson.Object) []document.Block {
	if call := o.Get("tool_call"); rawjson.IsObject(call) && r.Format == document.FormatOpenInference {
		calls, _ := part.Calls(rawjson.EncodeArray([]json.RawMessage{call}))
		document.AddBeside(&calls[0].Extras, o.Rest("tool_call"))
		return append(content, calls...)
	}
	if inner, ok := rawjson.ReadObject(o.Get("message_content")); ok {
		content = part.Append(content, flattened(inner))
		document.AddBeside(&content[len(content)-1].Extras, o.Rest("message_content"))
		return content
	}
	content = part.Append(content, o)
	if b := &content[len(content)-1]; r.Format == document.FormatOpenTelemetry && b.Type == document.BlockToolCall && b.Args == nil {
		if rawjson.IsNullOrAbsent(o.Get("arguments")) { // The convention omits arguments if there are none.
			b.Args, b.Extras = json.RawMessage("{}"), b.Extras.Without("arguments")
		}
	}
	return content
}

// flattened unwraps the media {"type":"image","image":{"image":{"url"}}}.
func flattened(o rawjson.Object) rawjson.Object {
	kind, _ := o.Text("type")
	media, _ := rawjson.ReadObject(o.Get(kind))
	if inner := media.Get(kind); inner != nil && len(media) == 1 {
		return rawjson.Of("type", rawjson.Quote(kind)).With(kind, inner).WithAll(o.Rest("type", kind))
	}
	return o
}
