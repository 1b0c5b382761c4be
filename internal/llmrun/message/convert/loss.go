package convert

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// omission is a value that can't be written, and its original location. It is a loss, or else data.
type omission struct {
	document.Loss
	at   []any
	lost bool
}

func (p *Prepared) drop(at ...any) {
	p.omitted = append(p.omitted, omission{Loss: document.Loss{Pointer: rawjson.Pointer(at...)}, at: at})
}

func (p *Prepared) lose(reason string, at ...any) {
	at = p.place(at)
	p.omitted = append(p.omitted, omission{document.Loss{Pointer: rawjson.Pointer(at...), Reason: reason}, at, true})
}

// compare orders omissions as the parts of a document: extras before messages, and blocks before the other members of a message.
func (o omission) compare(other omission) int { return slices.Compare(o.position(), other.position()) }

func (o omission) position() []int {
	if len(o.at) < 2 || o.at[0] != "messages" {
		return nil
	}
	i, _ := o.at[1].(int)
	if len(o.at) < 4 || o.at[2] != "content" {
		return []int{i, math.MaxInt}
	}
	j, _ := o.at[3].(int)
	return []int{i, j}
}

// err returns an error that lists the first losses; nil if there is none.
func (p *Prepared) err() error {
	lost := &document.LossError{From: p.Format, To: p.to.Format}
	for _, o := range p.omitted {
		switch {
		case !o.lost:
		case len(lost.Losses) == document.MaxListed:
			lost.More++
		default:
			lost.Losses = append(lost.Losses, o.Loss)
		}
	}
	if lost.Losses == nil {
		return nil
	}
	return lost
}

// keepRoles removes messages with roles that the format doesn't have, or that are alternatives to the one that it can contain, and
// blocks that it doesn't have.
func (p *Prepared) keepRoles() {
	p.filter(func(i int) bool {
		switch role := p.Messages[i].Role; {
		case i > 0 && p.Alternatives && !p.to.Alternatives:
			p.lose("an answer is a single message, but this is an alternative", "messages", i)
		case !slices.Contains(p.to.Roles, role):
			p.lose("the format has no role "+role, "messages", i)
		case i > 0 && role != "" && role == p.to.First:
			p.lose("only the first message can have the role "+role, "messages", i)
		default:
			return true
		}
		return false
	}, func(i, j int, _ []document.Block) bool {
		return p.to.Form(&p.Messages[i], &p.Messages[i].Content[j]) != nil
	})
}

// filter removes messages and blocks. A message of a request of which no block is left is removed too, except the answer of a
// tool, without which its call would be refused.
func (p *Prepared) filter(message func(i int) bool, block func(i, j int, before []document.Block) bool) {
	messages, origins := p.Messages[:0], p.origins[:0]
	for i, m := range p.Messages {
		o := p.origins[i]
		content, places := m.Content[:0], o.blocks[:0]
		for j, b := range m.Content {
			if block(i, j, content) {
				content, places = append(content, b), append(places, o.blocks[j])
			} else {
				p.lose(blockReason(&m.Content[j]), "messages", i, "content", j)
			}
		}
		emptied := len(content) == 0 && len(m.Content) > 0 && p.Side == document.Inputs && m.Role != document.RoleTool
		if kept := message(i); kept && !emptied {
			m.Content, o.blocks = content, places
			messages, origins = append(messages, m), append(origins, o)
		} else if kept {
			p.drop("messages", o.message)
		}
	}
	p.Messages, p.origins = messages, origins
}

func blockReason(b *document.Block) string {
	switch {
	case slices.Contains(media, b.Type):
		return "the format has no place for such media here, or only for data with a mime_type, or a URL"
	case b.Text == nil && (b.Type == document.BlockText || b.Type == document.BlockReasoning):
		return "the block has no text"
	default:
		return "the format has no place for such a block here"
	}
}

// fits reports whether the same blocks were read as were written.
func (p *Prepared) fits(read *document.Document) bool {
	return slices.EqualFunc(p.Messages, read.Messages, func(m, r document.Message) bool {
		return m.Role == r.Role && slices.EqualFunc(m.Content, r.Content, isRead)
	})
}

// media are the types of blocks with data that may be elsewhere.
var media = []string{document.BlockImage, document.BlockAudio, document.BlockVideo, document.BlockFile}

// isRead reports whether a block has the same type as the one that was read, and that one has content.
func isRead(b, read document.Block) bool {
	if b.Type != read.Type {
		return false
	}
	switch {
	case b.Type == document.BlockText, b.Type == document.BlockReasoning:
		return b.Kind("") == read.Kind("") && b.Text != nil && read.Text != nil && (*b.Text == *read.Text || *read.Text == "")
	case b.Type == document.BlockServerToolResult:
		return read.Output != nil
	case slices.Contains(media, b.Type):
		given := false
		for _, name := range []string{"url", "base64", "id", "text"} {
			own, other := *b.Field(name), *read.Field(name)
			if own != nil && other != nil && *own == *other {
				return true
			}
			given = given || own != nil
		}
		return !given && len(b.Extras) > 0
	default:
		return true
	}
}

// keepFitting removes blocks and messages that can't be read again after those before them.
func (p *Prepared) keepFitting() {
	var before []document.Message
	p.filter(func(i int) bool {
		return true
	}, func(i, j int, before []document.Block) bool {
		m := p.Messages[i]
		m.Content = slices.Concat(before[max(0, len(before)-1):], m.Content[j:j+1])
		return p.areRead(m)
	})
	p.filter(func(i int) bool {
		m := p.Messages[i]
		if !p.areRead(append(before[max(0, len(before)-1):len(before):len(before)], m)...) {
			p.lose("the message would become part of the previous one", "messages", i)
			return false
		}
		before = append(before, m)
		return true
	}, func(int, int, []document.Block) bool { return true })
}

// areRead reports whether messages are read again as they were written.
func (p *Prepared) areRead(messages ...document.Message) bool {
	alone := &Prepared{Document: document.Document{Format: p.Format, Messages: messages}, to: p.to}
	_, read := alone.write()
	return alone.fits(read)
}

// keepEqual removes the members that weren't read as they were written, and says whether there are any.
func (p *Prepared) keepEqual(read *document.Document) bool {
	before, last := len(p.omitted), len(read.Messages)-1
	if last >= 0 && len(p.Messages) > last && p.Messages[last].UsageMetadata == nil && read.Extras["usage_metadata"] == nil {
		read.Extras.Put("usage_metadata", read.Messages[last].UsageMetadata) // That of an answer is beside its message.
	}
	p.keepSame(p.Extras, read.Extras)
	for i := range min(len(p.Messages), len(read.Messages)) {
		m, r, at := &p.Messages[i], &read.Messages[i], []any{"messages", i}
		p.keepText(&m.ToolCallID, r.ToolCallID, at, "tool_call_id")
		p.keepRaw(&m.UsageMetadata, r.UsageMetadata, at, "usage_metadata")
		p.keepSame(m.Extras, r.Extras, at...)
		for j := range min(len(m.Content), len(r.Content)) {
			p.keepBlock(&m.Content[j], &r.Content[j], append(at, "content", j))
		}
	}
	return len(p.omitted) > before
}

func (p *Prepared) keepBlock(b, read *document.Block, at []any) {
	for _, name := range []string{"text", "url", "base64", "id", "mime_type", "name", "tool_call_id", "status"} {
		p.keepText(b.Field(name), *read.Field(name), at, name)
	}
	p.keepRaw(&b.Annotations, read.Annotations, at, "annotations")
	p.keepRaw(&b.Args, read.Args, at, "args")
	p.keepRaw(&b.Output, read.Output, at, "output")
	p.keepSame(b.Extras, read.Extras, at...)
}

func (p *Prepared) keepText(own **string, read *string, at []any, key string) {
	isEqual := *own == read || *own != nil && read != nil && **own == *read
	if usual := *own == nil && key == "status"; !isEqual && !usual {
		p.loseField(at, key, read != nil)
		*own = read
	}
}

func (p *Prepared) keepRaw(own *json.RawMessage, read json.RawMessage, at []any, key string) {
	isVoid := key != "args" && rawjson.IsVoidOrAbsent(*own) // A call without arguments is another one.
	if !isVoid && !rawjson.IsSame(*own, read) {
		p.loseField(at, key, read != nil)
		*own = read
	}
}

func (p *Prepared) loseField(at []any, key string, changed bool) {
	reason := map[bool]string{true: "the format would have another value here", false: "the format has no place for it here"}
	p.lose(reason[changed], append(slices.Clone(at), key)...)
}

func (p *Prepared) keepSame(extras, read document.Extras, at ...any) {
	if len(extras) == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if !rawjson.IsSame(extras[key], read[key]) {
			p.lose("", append(slices.Clip(at), "extras", key)...)
			delete(extras, key)
		}
	}
}
