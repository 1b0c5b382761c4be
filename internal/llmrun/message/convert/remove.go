package convert

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// remove removes lost values from the document and lists them as dropped. It returns false if there was nothing to remove.
func (p *Prepared) remove(lost []loss) (removed bool) {
	messages, blocks, seen := map[int]bool{}, map[[2]int]bool{}, map[string]bool{}
	for _, l := range lost {
		switch {
		case seen[l.Pointer] || len(l.at) == 1:
			continue
		case l.at == nil:
			p.dropped = append(p.dropped, l.Pointer)
		case l.at[0] == "extras":
			key, _ := l.at[1].(string)
			delete(p.Extras, key)
			p.drop(l.at...)
		default:
			at := p.removeFrom(l.at)
			if place := rawjson.Pointer(p.place(at)...); place == l.Pointer || !seen[place] {
				p.dropped, seen[place] = append(p.dropped, place), true
			}
			i, _ := at[1].(int)
			if len(at) == 2 {
				messages[i] = true
			} else if j, isBlock := at[len(at)-1].(int); isBlock {
				blocks[[2]int{i, j}] = true
			}
		}
		seen[l.Pointer], removed = true, true
	}
	p.keepOnly(messages, blocks)
	return removed
}

// removeFrom removes a member of a message or a block, and returns its location. If there is no such member, or the rest would
// say nothing, it returns the location of the block or the message, which is to be removed.
func (p *Prepared) removeFrom(at []any) []any {
	i, _ := at[1].(int)
	m := &p.Messages[i]
	if len(at) >= 4 && at[2] == "content" {
		if j, _ := at[3].(int); len(at) > 4 && removeMember(&m.Content[j], at[4:]) {
			return at
		}
		return at[:4]
	}
	switch key, _ := at[len(at)-1].(string); {
	case len(at) > 3 && m.Extras[key] != nil:
		delete(m.Extras, key)
	case key == "tool_call_id" && m.ToolCallID != nil:
		m.ToolCallID = nil
	case key == "usage_metadata" && m.UsageMetadata != nil:
		m.UsageMetadata = nil
	default:
		return at[:2]
	}
	return at
}

// removeMember removes a member of a block. It returns false if there is no such member, or if nothing is left of media.
func removeMember(b *document.Block, at []any) bool {
	raw := map[any]*json.RawMessage{"annotations": &b.Annotations, "args": &b.Args, "output": &b.Output}[at[0]]
	switch {
	case at[0] == "extras":
		key, _ := at[1].(string)
		found := b.Extras[key] != nil
		delete(b.Extras, key)
		return found
	case raw != nil:
		found := *raw != nil
		*raw = nil
		return found
	}
	name, _ := at[0].(string)
	field := b.Field(name)
	found := *field != nil
	*field = nil
	_, isMedia := MediaParts[b.Type]
	return found && (!isMedia || b.URL != nil || b.Base64 != nil || b.ID != nil)
}

// keepOnly removes messages and blocks. A message of a request of which no block is left is removed too, except the answer of a
// tool, without which its call would be refused.
func (p *Prepared) keepOnly(messages map[int]bool, blocks map[[2]int]bool) {
	kept, origins := []document.Message{}, []origin{}
	for i, m := range p.Messages {
		o, places := p.origins[i], [][2]int{}
		content := slices.Clone(m.Content[:0])
		for j := range m.Content {
			if !blocks[[2]int{i, j}] {
				content, places = append(content, m.Content[j]), append(places, o.blocks[j])
			}
		}
		emptied := len(content) == 0 && len(m.Content) > 0 && p.Side == document.Inputs && m.Role != document.RoleTool
		if emptied && !messages[i] {
			p.drop("messages", o.message)
		}
		if !emptied && !messages[i] {
			m.Content, o.blocks = content, places
			kept, origins = append(kept, m), append(origins, o)
		}
	}
	p.Messages, p.origins = kept, origins
}
