package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Layout keys of the responses format.
const (
	// layoutOutput is noteAbsent if an answer has no output.
	layoutOutput = "output"
	// layoutSummary is noteAbsent if the summary of a reasoning item isn't the source of its message's content.
	layoutSummary = "summary"
)

// Places of messages and blocks in the responses format.
var (
	noteInput        = json.RawMessage(`"input"`)
	noteInstructions = json.RawMessage(`"instructions"`)
	noteItem         = json.RawMessage(`"item"`)
)

// parseResponses reads the responses format: the input of a request, with its instructions as the first message, and the
// output of an answer, whose usage belongs to its last message.
//
// A model's message, its reasoning and each of its calls are separate items. Reasoning is a message of that role; the calls
// are added to the preceding assistant message, or to one without an item.
func parseResponses(raw json.RawMessage, side Side) (*Document, bool) {
	o, ok := rawjson.ReadObject(raw)
	if !ok || !isResponses(o, side) {
		return nil, false
	}
	d := &Document{Format: FormatResponses, Side: side, Shape: shapeInput, Messages: []Message{}}
	key, taken := "input", make([]string, 0, 3)
	if side == Outputs {
		key, d.Shape = "output", shapeOutput
	}
	if text, ok := o.Text("instructions"); ok && side == Inputs {
		d.Messages = append(d.Messages, textMessage(RoleSystem, text, noteInstructions))
		taken = append(taken, "instructions")
	}
	items, ok := rawjson.ReadArray(o.Get(key))
	text, isText := o.Text(key)
	switch {
	case ok && allObjects(items):
		taken = append(taken, key)
		for _, raw := range items {
			d.addItem(raw)
		}
	case isText && side == Inputs:
		taken = append(taken, key)
		d.Messages = append(d.Messages, textMessage(RoleUser, text, noteInput))
	default:
		d.Layout.put(layoutOutput, noteAbsent)
	}
	if usage := o.Get("usage_metadata"); side == Outputs && len(d.Messages) > 0 && rawjson.IsObject(usage) {
		d.Messages[len(d.Messages)-1].UsageMetadata = usage
		taken = append(taken, "usage_metadata")
	}
	d.Extras = o.Rest(taken...)
	return d, true
}

// textMessage is a message that the document contains as a separate member.
func textMessage(role, text string, place json.RawMessage) Message {
	return Message{Role: role, Content: []Block{{Type: BlockText, Text: &text}}, Layout: Layout{layoutPlace: place}}
}

// userItems are the items, besides messages and tool answers, that clients send and models don't.
var userItems = []string{"item_reference", "mcp_approval_response"}

// addItem reads an item into a new message, or into the last one.
func (d *Document) addItem(raw json.RawMessage) {
	o, _ := rawjson.ReadObject(raw)
	kind, ok := o.Text("type")
	switch {
	case !o.Has("type") || kind == "message":
		d.Messages = append(d.Messages, parseItemMessage(o))
	case kind == "reasoning":
		d.Messages = append(d.Messages, parseReasoningItem(o))
	case ok && strings.HasSuffix(kind, suffixCallOutput):
		d.Messages = append(d.Messages, parseCallOutput(o, kind))
	case slices.Contains(userItems, kind):
		d.Messages = append(d.Messages, Message{
			Role: RoleUser, Content: []Block{verbatimItem(raw, o, kind)}, Layout: Layout{layoutContent: noteAbsent},
		})
	default:
		d.addCall(parseCallItem(raw, o, kind)...)
	}
}

// addCall adds the blocks of an item to the last assistant message, or to a new one.
func (d *Document) addCall(blocks ...Block) {
	last := len(d.Messages) - 1
	if last < 0 || !joinsCalls(&d.Messages[last]) {
		d.Messages = append(d.Messages, Message{Role: RoleAssistant, Layout: Layout{layoutContent: noteAbsent}})
		last++
	}
	d.Messages[last].Content = append(d.Messages[last].Content, blocks...)
}

// joinsCalls says whether calls that follow a message become part of it.
func joinsCalls(m *Message) bool { return m.Role == RoleAssistant && m.Content != nil }

// parseItemMessage reads {"type":"message","role","content","id","status"}; the type may be absent.
func parseItemMessage(o rawjson.Object) Message {
	var m Message
	taken := make([]string, 0, 3)
	if o.Has("type") {
		taken = append(taken, "type")
	} else {
		m.Layout.put(layoutType, noteAbsent)
	}
	if role, ok := o.Text("role"); ok && role != "" {
		m.Role, taken = role, append(taken, "role")
	}
	if m.Role == "developer" {
		m.Layout.put(layoutRole, rawjson.Quote(m.Role))
		m.Role = RoleSystem
	}
	if m.Role == RoleTool || m.Role == RoleReasoning {
		m.Layout.put(layoutPlace, noteMessage)
	}
	if content, form := takeContent(o.Get("content"), partReader(m.Role)); form != nil {
		m.Content, taken = content, append(taken, "content")
		m.noteForm(form)
	}
	m.Extras = o.Rest(taken...)
	return m
}

// The types of the entries of a reasoning item's summary and content. That of the content is kept as the extra "type".
const (
	summaryText   = "summary_text"
	reasoningText = "reasoning_text"
)

// parseReasoningItem reads {"type":"reasoning","summary":[…],"content":[…],"encrypted_content","id"}: a block for each
// entry of the summary, and then of the content.
func parseReasoningItem(o rawjson.Object) Message {
	m := Message{Role: RoleReasoning, Content: []Block{}}
	taken := append(make([]string, 0, 3), "type")
	if summary, ok := parseReasoning(o.Get("summary"), summaryText); ok {
		m.Content, taken = summary, append(taken, "summary")
	} else {
		m.Layout.put(layoutSummary, noteAbsent)
	}
	if content, ok := parseReasoning(o.Get("content"), reasoningText); ok && len(content) > 0 {
		for _, b := range content {
			m.Content = append(m.Content, b.ofKind(reasoningText))
		}
		taken = append(taken, "content")
	}
	m.Extras = o.Rest(taken...)
	return m
}

// parseReasoning reads a list of texts that all have the given type.
func parseReasoning(raw json.RawMessage, want string) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		return nil, false
	}
	blocks := make([]Block, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		b := Block{Type: BlockReasoning}
		if kind, _ := o.Text("type"); kind != want || !b.take("text", o.Get("text")) {
			return nil, false
		}
		b.Extras = o.Rest("type", "text")
		blocks[i] = b
	}
	return blocks, true
}

const (
	suffixCallOutput   = "_call_output"
	functionCallOutput = "function_call_output"
)

// parseCallOutput reads {"type":"function_call_output","call_id","output"}, and the outputs of other calls that a client
// executes, whose type becomes the extra "type".
func parseCallOutput(o rawjson.Object, kind string) Message {
	m := Message{Role: RoleTool, Content: []Block{}}
	taken := append(make([]string, 0, 3), "type")
	if id, ok := o.Text("call_id"); ok {
		m.ToolCallID, taken = &id, append(taken, "call_id")
	}
	if content, form := takeContent(o.Get("output"), partReader(RoleTool)); form != nil {
		m.Content, taken = content, append(taken, "output")
		m.noteForm(form)
	} else {
		m.noteForm(noteAbsent)
	}
	m.Extras = o.Rest(taken...)
	if kind != functionCallOutput {
		m.Extras.Put(keyType, rawjson.Quote(kind))
	}
	return m
}
