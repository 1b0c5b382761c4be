package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Prepared is a document being converted to another format: without data that has no place there, and with reasoning where
// that format has it.
type Prepared struct {
	document.Document
	to *Target
	// omitted are values that can't be written.
	omitted []omission
	// origins are the original locations of the blocks of each message.
	origins []origin
	// settings are the members beside the messages that were converted.
	settings document.Extras
	// Alternatives says that the messages are alternatives.
	Alternatives bool
}

// origin is the original index of a message, and those of the message and the position of each of its blocks.
type origin struct {
	message int
	blocks  [][2]int
}

// Prepare prepares a document for the format of a provider. The document itself is not changed.
func Prepare(d *document.Document, to *Target) *Prepared {
	p := &Prepared{Document: *d, to: to, Alternatives: AreAlternatives(d)}
	p.Extras = maps.Clone(d.Extras)
	p.Messages = make([]document.Message, len(d.Messages))
	p.origins = make([]origin, len(d.Messages))
	for i := range d.Messages {
		m := WithoutVoid(&d.Messages[i])
		p.origins[i].message = i
		calls := 0
		for j := range m.Content {
			b := &m.Content[j]
			if b.Type == document.BlockToolCall {
				if f := to.Form(&m, b); f != nil && string(b.Extras["index"]) == strconv.Itoa(calls) && !slices.Contains(f.Extras, "index") {
					delete(b.Extras, "index") // It only repeats the position.
				}
				calls++
			}
			p.origins[i].blocks = append(p.origins[i].blocks, [2]int{i, j})
		}
		p.Messages[i] = m
	}
	if p.Side == document.Inputs {
		p.convertSettings()
	}
	for key, value := range p.settings {
		p.Extras.Put(key, value)
	}
	to.Prepare(p)
	p.keepKnown()
	to.Reasoning(p)
	return p
}

// WithoutVoid copies a message without extras that have no meaning in another format.
func WithoutVoid(m *document.Message) document.Message {
	out := *m
	out.Content = slices.Clone(m.Content)
	out.Extras = maps.Clone(m.Extras).RemoveVoid()
	for i := range out.Content {
		out.Content[i].Extras = maps.Clone(out.Content[i].Extras).RemoveVoid()
	}
	if rawjson.IsVoid(m.UsageMetadata) {
		out.UsageMetadata = nil
	}
	return out
}

// keepKnown removes what the format has no name for.
func (p *Prepared) keepKnown() {
	p.keepExtras(p.Extras, slices.Concat(p.to.Written(&p.Document), slices.Collect(maps.Keys(p.settings))), p.isData)
	for i := range p.Messages {
		m := &p.Messages[i]
		if len(m.Extras) > 0 {
			p.keepExtras(m.Extras, p.to.Extras(p, m), p.messageData(m), "messages", i)
		}
		for j := range m.Content {
			b := &m.Content[j]
			if f := p.to.Form(m, b); f != nil && len(b.Extras) > 0 {
				p.keepExtras(b.Extras, f.known(b), blockData(b), "messages", i, "content", j)
			}
		}
	}
}

func (p *Prepared) keepExtras(extras document.Extras, known []string, isData func(string) bool, at ...any) {
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if slices.Contains(known, key) {
			continue
		}
		if at := append(slices.Clone(at), "extras", key); isData(key) && !rawjson.IsVoid(extras[key]) {
			p.drop(at...)
		} else if !rawjson.IsVoid(extras[key]) {
			p.lose("", at...)
		}
		delete(extras, key)
	}
}

// StopReasons maps the messages format's reasons for the end of an answer to those of chat completions.
var StopReasons = map[string]string{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}

// TakeReason makes the stop reason of the messages format of the choice that has the only message, if there is one for it.
func (p *Prepared) TakeReason() {
	extras := p.Messages[0].Extras
	choice, _ := rawjson.ReadObject(extras[envelope.ChoiceKey])
	finished, _ := choice.Text("finish_reason")
	for reason, finish := range StopReasons {
		if finish != finished {
			continue
		}
		p.settings.Put("stop_reason", rawjson.Quote(reason))
		p.Extras.Put("stop_reason", rawjson.Quote(reason))
		delete(extras, envelope.ChoiceKey)
		for _, m := range choice {
			if m.Key != "finish_reason" && !rawjson.IsVoid(m.Value) && (m.Key != "index" || string(m.Value) != "0") {
				p.drop("messages", 0, "extras", envelope.ChoiceKey, m.Key)
			}
		}
	}
}

// MergeReasoning moves reasoning from a separate message into the answer that follows it, or into an answer without other
// content.
func (p *Prepared) MergeReasoning() {
	messages, origins := []document.Message{}, []origin{}
	for i := 0; i < len(p.Messages); i++ {
		m, o := p.Messages[i], p.origins[i]
		if m.Role != document.RoleReasoning || m.UsageMetadata != nil || m.ToolCallID != nil || !isThought(&m) {
			messages, origins = append(messages, m), append(origins, o)
			continue
		}
		if len(m.Content) == 0 {
			p.drop("messages", o.message)
			continue
		}
		next := document.Message{Role: document.RoleAssistant, Content: []document.Block{}}
		nextOrigin := origin{message: o.message}
		if i+1 < len(p.Messages) && p.Messages[i+1].Role == document.RoleAssistant {
			i++
			next, nextOrigin = p.Messages[i], p.origins[i]
		}
		for j := range m.Content {
			m.Content[j].Type = document.BlockReasoning
		}
		next.Content = append(append([]document.Block{}, m.Content...), next.Content...)
		nextOrigin.blocks = append(append([][2]int{}, o.blocks...), nextOrigin.blocks...)
		messages, origins = append(messages, next), append(origins, nextOrigin)
	}
	p.Messages, p.origins = messages, origins
}

// isThought reports whether a message of reasoning consists of texts.
func isThought(m *document.Message) bool {
	return !slices.ContainsFunc(m.Content, func(b document.Block) bool { return b.Type != document.BlockReasoning && b.Type != document.BlockText })
}

// JoinReasoning joins the reasoning before an answer into one text, because chat completions have one member for it.
func (p *Prepared) JoinReasoning() {
	for i := range p.Messages {
		m, o := &p.Messages[i], &p.origins[i]
		n := leadingReasoning(m)
		if n < 2 {
			continue
		}
		texts := make([]string, n)
		for j := range texts {
			texts[j] = *m.Content[j].Text
		}
		all := strings.Join(texts, "\n\n")
		m.Content = append([]document.Block{{Type: document.BlockReasoning, Text: &all}}, m.Content[n:]...)
		o.blocks = append(o.blocks[:1:1], o.blocks[n:]...)
	}
}

// SplitReasoning moves the reasoning before an answer to a separate message.
func (p *Prepared) SplitReasoning() {
	messages, origins := []document.Message{}, []origin{}
	for i := range p.Messages {
		m, o := p.Messages[i], p.origins[i]
		if n := leadingReasoning(&m); n > 0 {
			messages = append(messages, document.Message{Role: document.RoleReasoning, Content: m.Content[:n:n]})
			origins = append(origins, origin{message: o.message, blocks: o.blocks[:n:n]})
			m.Content, o.blocks = m.Content[n:], o.blocks[n:]
			if len(m.Content) == 0 && m.UsageMetadata == nil && len(m.Extras) == 0 {
				continue
			}
		}
		messages, origins = append(messages, m), append(origins, o)
	}
	p.Messages, p.origins = messages, origins
}

// leadingReasoning returns the number of pure reasoning blocks at the start of an answer.
func leadingReasoning(m *document.Message) int {
	n := 0
	for m.Role == document.RoleAssistant && n < len(m.Content) && document.IsReasoning(&m.Content[n]) {
		n++
	}
	return n
}

// place returns the original location of a part of the prepared document.
func (p *Prepared) place(parts []any) []any {
	if len(parts) < 2 || parts[0] != "messages" {
		return parts
	}
	i, _ := parts[1].(int)
	at := append([]any{"messages", p.origins[i].message}, parts[2:]...)
	if len(parts) >= 4 && parts[2] == "content" {
		j, _ := parts[3].(int)
		at[1], at[3] = p.origins[i].blocks[j][0], p.origins[i].blocks[j][1]
	}
	return at
}

// isData reports whether an extra of the document is data.
func (p *Prepared) isData(key string) bool {
	switch {
	case p.Side == document.Inputs:
		return slices.Contains(members["request"], key)
	case key == "text": // The settings of a text, not one.
		return rawjson.IsObject(p.Extras[key])
	default:
		return slices.Contains(members["answer"], key)
	}
}

// AreAlternatives reports whether the messages of an answer are alternatives rather than a sequence: several choices, or
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
			return merged || envelope.TypeRole(kind) != "" || kind == "chat"
		case "name":
			return merged || m.Role == document.RoleTool // The call contains it.
		default:
			return merged || slices.Contains(members["message"], key)
		}
	}
}

// saysAgain reports whether what a framework keeps of a provider's message is only the calls and the reasoning that are also
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
		return isThought || slices.Contains(members["part"], key)
	}
}
