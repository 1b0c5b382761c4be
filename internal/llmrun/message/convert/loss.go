package convert

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// writing is a document of which all that can't be written is removed.
type writing struct {
	*Prepared
	to *Target
	// emptied are the pointers of messages that are removed because nothing is left of them.
	emptied []string
}

// loss is a value that can't be written, and its original location.
type loss struct {
	document.Loss
	at []any
}

func (p *Prepared) lose(reason string, at ...any) {
	at = p.place(at)
	p.lost = append(p.lost, loss{document.Loss{Pointer: rawjson.Pointer(at...), Reason: reason}, at})
}

// compare orders losses as the parts of a document: extras before messages, and blocks before the other members of a message.
func (l loss) compare(other loss) int { return slices.Compare(l.position(), other.position()) }

func (l loss) position() []int {
	if len(l.at) < 2 || l.at[0] != "messages" {
		return nil
	}
	i, _ := l.at[1].(int)
	if len(l.at) < 4 || l.at[2] != "content" {
		return []int{i, math.MaxInt}
	}
	j, _ := l.at[3].(int)
	return []int{i, j}
}

// err returns the error, which lists the first losses.
func (w *writing) err() error {
	lost := &document.LossError{From: w.Format, To: w.to.Format, More: max(0, len(w.lost)-document.MaxListed)}
	for _, l := range w.lost[:len(w.lost)-lost.More] {
		lost.Losses = append(lost.Losses, l.Loss)
	}
	return lost
}

// keepKnown removes what the format has no name for, and messages that are alternatives to the one that it can contain.
func (w *writing) keepKnown() {
	w.keepExtras(w.Extras, slices.Concat(w.to.Written(&w.Document), slices.Collect(maps.Keys(w.settings))))
	for i := range w.Messages {
		m := &w.Messages[i]
		known, _ := w.to.Extras(m, nil)
		w.keepExtras(m.Extras, known, "messages", i)
		for j := range m.Content {
			if known, ok := w.to.Extras(m, &m.Content[j]); ok {
				w.keepExtras(m.Content[j].Extras, known, "messages", i, "content", j)
			}
		}
	}
	w.filter(func(i int) bool {
		switch role := w.Messages[i].Role; {
		case i > 0 && w.Alternatives && !w.to.Choices(&w.Document):
			w.lose("an answer is a single message, but this is an alternative", "messages", i)
		case !slices.Contains(w.to.Roles, role):
			w.lose("the format has no role "+role, "messages", i)
		case i > 0 && role != "" && role == w.to.First:
			w.lose("only the first message can have the role "+role, "messages", i)
		default:
			return true
		}
		return false
	}, func(i, j int, _ []document.Block) bool {
		_, ok := w.to.Extras(&w.Messages[i], &w.Messages[i].Content[j])
		return ok
	})
}

// keepExtras removes all extras but the known ones.
func (w *writing) keepExtras(extras document.Extras, known []string, at ...any) {
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if slices.Contains(known, key) {
			continue
		}
		if !rawjson.IsVoid(extras[key]) {
			w.lose("", append(slices.Clone(at), "extras", key)...)
		}
		delete(extras, key)
	}
}

// filter removes messages and blocks. A message of a request of which no block is left is removed too, except the answer of a
// tool, without which its call would be refused.
func (w *writing) filter(message func(i int) bool, block func(i, j int, before []document.Block) bool) {
	messages, origins := []document.Message{}, []origin{}
	for i, m := range w.Messages {
		o, places := w.origins[i], [][2]int{}
		content := slices.Clone(m.Content[:0])
		for j, b := range m.Content {
			if block(i, j, content) {
				content, places = append(content, b), append(places, o.blocks[j])
			} else {
				w.lose(blockReason(&m.Content[j]), "messages", i, "content", j)
			}
		}
		emptied := len(content) == 0 && len(m.Content) > 0 && w.Side == document.Inputs && m.Role != document.RoleTool
		if kept := message(i); kept && !emptied {
			m.Content, o.blocks = content, places
			messages, origins = append(messages, m), append(origins, o)
		} else if kept {
			w.emptied = append(w.emptied, rawjson.Pointer("messages", o.message))
		}
	}
	w.Messages, w.origins = messages, origins
}

// blockReason says why a block can't be written.
func blockReason(b *document.Block) string {
	switch _, isMedia := MediaParts[b.Type]; {
	case isMedia:
		return "the format has no place for such media here, or only for data with a mime_type, or a URL"
	case b.Text == nil && (b.Type == document.BlockText || b.Type == document.BlockReasoning):
		return "the block has no text"
	default:
		return "the format has no place for such a block here"
	}
}

// fits says whether the same blocks were read as were written.
func (w *writing) fits(read *document.Document) bool {
	return slices.EqualFunc(w.Messages, read.Messages, func(m, r document.Message) bool {
		return m.Role == r.Role && slices.EqualFunc(m.Content, r.Content, isRead)
	})
}

// isRead says whether a block has the same type as the one that was read, and that one has content.
func isRead(b, read document.Block) bool {
	if b.Type != read.Type {
		return false
	}
	switch b.Type {
	case document.BlockText, document.BlockReasoning:
		return b.Text != nil && read.Text != nil && (*b.Text == *read.Text || *read.Text == "")
	case document.BlockServerToolResult:
		return read.Output != nil
	case document.BlockImage, document.BlockAudio, document.BlockVideo, document.BlockFile:
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
func (w *writing) keepFitting() {
	var before []document.Message
	w.filter(func(i int) bool {
		return true
	}, func(i, j int, before []document.Block) bool {
		m := w.Messages[i]
		m.Content = append(before[max(0, len(before)-1):len(before):len(before)], m.Content[j])
		return w.areRead(m)
	})
	w.filter(func(i int) bool {
		m := w.Messages[i]
		if !w.areRead(append(before[max(0, len(before)-1):len(before):len(before)], m)...) {
			w.lose("the message would become part of the previous one", "messages", i)
			return false
		}
		before = append(before, m)
		return true
	}, func(int, int, []document.Block) bool { return true })
}

// areRead says whether messages are read again as they were written.
func (w *writing) areRead(messages ...document.Message) bool {
	part := &writing{Prepared: &Prepared{Document: document.Document{Format: w.Format, Messages: messages}}, to: w.to}
	_, read := part.write()
	return part.fits(read)
}

// keepEqual removes the members that weren't read as they were written, and says whether there are any.
func (w *writing) keepEqual(read *document.Document) bool {
	before, last := len(w.lost), len(read.Messages)-1
	if last >= 0 && len(w.Messages) > last && w.Messages[last].UsageMetadata == nil && read.Extras["usage_metadata"] == nil {
		read.Extras.Put("usage_metadata", read.Messages[last].UsageMetadata) // That of an answer is beside its message.
	}
	w.keepSame(w.Extras, read.Extras)
	for i := range w.Messages {
		if i > last {
			break
		}
		m, r, at := &w.Messages[i], &read.Messages[i], []any{"messages", i}
		w.keepText(&m.ToolCallID, r.ToolCallID, append(at, "tool_call_id"))
		w.keepRaw(&m.UsageMetadata, r.UsageMetadata, append(at, "usage_metadata"))
		w.keepSame(m.Extras, r.Extras, at...)
		for j := range min(len(m.Content), len(r.Content)) {
			w.keepBlock(&m.Content[j], &r.Content[j], append(at, "content", j))
		}
	}
	return len(w.lost) > before
}

func (w *writing) keepBlock(b, read *document.Block, at []any) {
	at = slices.Clip(at)
	for _, name := range []string{"text", "url", "base64", "id", "mime_type", "name", "tool_call_id", "status"} {
		w.keepText(b.Field(name), *read.Field(name), append(at, name))
	}
	w.keepRaw(&b.Annotations, read.Annotations, append(at, "annotations"))
	w.keepRaw(&b.Args, read.Args, append(at, "args"))
	w.keepRaw(&b.Output, read.Output, append(at, "output"))
	w.keepSame(b.Extras, read.Extras, at...)
}

func (w *writing) keepText(own **string, read *string, at []any) {
	isEqual := *own == read || *own != nil && read != nil && **own == *read
	if usual := *own == nil && at[len(at)-1] == "status"; !isEqual && !usual {
		w.loseField(at, read != nil)
		*own = read
	}
}

func (w *writing) keepRaw(own *json.RawMessage, read json.RawMessage, at []any) {
	isVoid := at[len(at)-1] != "args" && rawjson.IsVoidOrAbsent(*own) // A call without arguments is another one.
	if !isVoid && !part.SameJSON(*own, read) {
		w.loseField(at, read != nil)
		*own = read
	}
}

func (w *writing) loseField(at []any, changed bool) {
	reason := map[bool]string{true: "the format would have another value here", false: "the format has no place for it here"}
	w.lose(reason[changed], at...)
}

func (w *writing) keepSame(extras, read document.Extras, at ...any) {
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		if !part.SameJSON(extras[key], read[key]) {
			w.lose("", append(slices.Clip(at), "extras", key)...)
			delete(extras, key)
		}
	}
}
