package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// prepared is a document being converted to another format: without data that has no place there, and with reasoning where
// that format has it.
type prepared struct {
	Document
	// dropped are the pointers of what was omitted, in the original document.
	dropped []string
	// origins are the original locations of the blocks of each message.
	origins []origin
	// alternatives says that the messages are alternatives.
	alternatives bool
}

// origin is the original index of a message, and those of the message and the position of each of its blocks.
type origin struct {
	message int
	blocks  [][2]int
}

// prepare prepares a document for the format of a provider. The document itself is not changed.
func prepare(d *Document, to *target) *prepared {
	p := &prepared{Document: *d, alternatives: areAlternatives(d)}
	p.Messages = make([]Message, len(d.Messages))
	p.origins = make([]origin, len(d.Messages))
	choices := to.choices != nil && to.choices(d)
	p.Extras = p.keep(d.Extras, documentData(d, to), "extras")
	for i := range d.Messages {
		m := withoutVoid(&d.Messages[i])
		p.origins[i].message = i
		m.Extras = p.keep(m.Extras, messageData(&m, to, choices), "messages", i, "extras")
		if m.Extras[choiceKey] != nil && to.reason {
			m.Extras = p.keepReason(m.Extras, i)
		}
		for j := range m.Content {
			b := &m.Content[j]
			b.Extras = p.keep(b.Extras, blockData(b, to), "messages", i, "content", j, "extras")
			p.origins[i].blocks = append(p.origins[i].blocks, [2]int{i, j})
		}
		p.Messages[i] = m
	}
	to.reasoning(p)
	return p
}

// withoutVoid copies a message without extras that have no meaning in another format.
func withoutVoid(m *Message) Message {
	out := *m
	out.Content = slices.Clone(m.Content)
	out.Extras = m.Extras.WithoutVoid()
	for i := range out.Content {
		out.Content[i].Extras = out.Content[i].Extras.WithoutVoid()
	}
	if rawjson.IsVoid(m.UsageMetadata) {
		out.UsageMetadata = nil
	}
	return out
}

// keep returns the extras without those that are data about the content and not part of it.
func (p *prepared) keep(extras Extras, isData func(key string) bool, at ...any) Extras {
	kept := extras
	for _, m := range rawjson.Object(nil).WithAll(extras) {
		if !isData(m.Key) {
			continue
		}
		kept = kept.Without(m.Key)
		if !rawjson.IsVoid(m.Value) {
			p.drop(append(at, m.Key)...)
		}
	}
	return kept
}

func (p *prepared) drop(at ...any) { p.dropped = append(p.dropped, rawjson.Pointer(at...)) }

// keepReason removes everything from a choice except a reason for the end of the answer that the messages format can
// express.
func (p *prepared) keepReason(extras Extras, i int) Extras {
	choice, ok := rawjson.ReadObject(extras[choiceKey])
	finished, _ := choice.Text("finish_reason")
	if !ok || !isFinishReason(finished) {
		p.drop("messages", i, "extras", choiceKey)
		return extras.Without(choiceKey)
	}
	var kept rawjson.Object
	for _, m := range choice {
		switch {
		case m.Key == "finish_reason", m.Key == "index" && isIndex(m.Value, 0), rawjson.IsVoid(m.Value):
			kept = append(kept, m)
		default:
			p.drop("messages", i, "extras", choiceKey, m.Key)
		}
	}
	rest := extras.Without(choiceKey)
	rest.Put(choiceKey, kept.Encode())
	return rest
}

// mergeReasoning moves reasoning from a separate message into the answer that follows it, or into an answer without other
// content.
func (p *prepared) mergeReasoning() {
	messages, origins := []Message{}, []origin{}
	for i := 0; i < len(p.Messages); i++ {
		m, o := p.Messages[i], p.origins[i]
		if m.Role != RoleReasoning || m.UsageMetadata != nil || m.ToolCallID != nil || !isThought(&m) {
			messages, origins = append(messages, m), append(origins, o)
			continue
		}
		p.dropAll(m.Extras, o.message)
		if len(m.Content) == 0 {
			p.drop("messages", o.message)
			continue
		}
		next := Message{Role: RoleAssistant, Content: []Block{}}
		nextOrigin := origin{message: o.message}
		if i+1 < len(p.Messages) && p.Messages[i+1].Role == RoleAssistant {
			i++
			next, nextOrigin = p.Messages[i], p.origins[i]
		}
		for j := range m.Content {
			m.Content[j].Type = BlockReasoning
		}
		next.Content = append(append([]Block{}, m.Content...), next.Content...)
		nextOrigin.blocks = append(append([][2]int{}, o.blocks...), nextOrigin.blocks...)
		messages, origins = append(messages, next), append(origins, nextOrigin)
	}
	p.Messages, p.origins = messages, origins
}

// isThought says whether a message of reasoning consists of texts.
func isThought(m *Message) bool {
	return !slices.ContainsFunc(m.Content, func(b Block) bool { return b.Type != BlockReasoning && b.Type != BlockText })
}

// dropAll drops the members of a reasoning message beside its texts.
func (p *prepared) dropAll(extras Extras, i int) {
	for _, m := range rawjson.Object(nil).WithAll(extras) {
		p.drop("messages", i, "extras", m.Key)
	}
}

// joinReasoning joins the reasoning before an answer into one text, because chat completions have one member for it.
func (p *prepared) joinReasoning() {
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
		m.Content = append([]Block{{Type: BlockReasoning, Text: &all}}, m.Content[n:]...)
		o.blocks = append(o.blocks[:1:1], o.blocks[n:]...)
	}
}

// splitReasoning moves the reasoning before an answer to a separate message.
func (p *prepared) splitReasoning() {
	messages, origins := []Message{}, []origin{}
	for i := range p.Messages {
		m, o := p.Messages[i], p.origins[i]
		if n := leadingReasoning(&m); n > 0 {
			messages = append(messages, Message{Role: RoleReasoning, Content: m.Content[:n:n]})
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
func leadingReasoning(m *Message) int {
	n := 0
	for m.Role == RoleAssistant && n < len(m.Content) && isReasoning(&m.Content[n]) {
		n++
	}
	return n
}

// place returns the original location of a part of the prepared document.
func (p *prepared) place(parts []any) []any {
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
