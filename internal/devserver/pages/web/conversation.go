package web

import "encoding/json"

// conversation is a document with tool results beside the calls that they answer.
type conversation struct {
	// Side is inputs or outputs.
	Side string
	Document
	Messages []shownMessage
	// BlocksOmitted and ProblemsOmitted are the numbers of hidden ones.
	BlocksOmitted, ProblemsOmitted int

	// RawShown is the JSON, truncated to the available space.
	RawShown *jsonText

	blocks int // The number shown.
	room   room
}

// maxBlocks and maxProblems limit what a page shows of a document: some have a hundred thousand blocks.
const (
	maxBlocks   = 150
	maxProblems = 20
)

// show truncates a message to the available space; if none is left, it is hidden. A message without blocks counts as one.
func (c *conversation) show(blocks []Block) (shown []Block, is bool) {
	if c.blocks == maxBlocks {
		c.BlocksOmitted += max(1, len(blocks))
		return nil, false
	}
	shown = blocks[:min(len(blocks), maxBlocks-c.blocks)]
	c.blocks += max(1, len(shown))
	c.BlocksOmitted += len(blocks) - len(shown)
	return shown, true
}

type shownMessage struct {
	Message
	// Number counts from 1, including messages that are shown elsewhere.
	Number int
	Blocks []shownBlock
}

type shownBlock struct {
	Block
	Text                   longText
	ArgsShown, OutputShown *jsonText
	Media                  media
	Annotations            []annotation
	// Results are those of a call, in order of arrival.
	Results []shownResult
}

// shownResult is a tool's result: a separate message, or a block of a server tool.
type shownResult struct {
	// Number is that of the message.
	Number      int
	Status      string
	Blocks      []shownBlock
	OutputShown *jsonText
	Extras      json.RawMessage
}

// recognized says that there is more to show than raw JSON.
func (c conversation) Recognized() bool { return c.Format != "" && c.Format != "unrecognized" }

// newConversation attaches results to the nearest preceding call with their ID. A result without such a call, for example
// because the call was made in another run, stays in its place.
func newConversation(side string, d Document) conversation {
	c := conversation{Side: side, Document: d, room: room{sideRoom}}
	c.Problems = d.Problems[:min(len(d.Problems), maxProblems)]
	c.ProblemsOmitted = len(d.Problems) - len(c.Problems)
	calls := map[string]*shownBlock{}
	for i, message := range d.Messages {
		content, is := c.show(message.Content)
		if !is {
			continue
		}
		shown := shownMessage{Message: message, Number: i + 1}
		if message.Role == "tool" {
			if call := calls[message.ToolCallID]; call != nil {
				call.Results = append(call.Results, shownResult{
					Number: shown.Number, Blocks: c.newBlocks(content), Extras: message.Extras,
				})
				continue
			}
		}
		// Calls are referenced by pointers, so the list must not be reallocated.
		shown.Blocks = make([]shownBlock, 0, len(content))
		for _, block := range content {
			if block.Type == "server_tool_result" {
				if call := calls[block.ToolCallID]; call != nil {
					call.Results = append(call.Results, shownResult{
						Number: shown.Number, Status: block.Status, OutputShown: newShownJSON(block.Output, &c.room), Extras: block.Extras,
					})
					continue
				}
			}
			shown.Blocks = append(shown.Blocks, c.newBlock(block))
			if isCall(block) && block.ID != "" {
				calls[block.ID] = &shown.Blocks[len(shown.Blocks)-1]
			}
		}
		c.Messages = append(c.Messages, shown)
	}
	if d.Raw != nil {
		raw := room{rawRoom}
		c.RawShown = newShownJSON(d.Raw, &raw)
	}
	return c
}

func isCall(b Block) bool { return b.Type == "tool_call" || b.Type == "server_tool_call" }

func (c *conversation) newBlocks(blocks []Block) []shownBlock {
	all := make([]shownBlock, len(blocks))
	for i, b := range blocks {
		all[i] = c.newBlock(b)
	}
	return all
}

func (c *conversation) newBlock(b Block) shownBlock {
	shown := shownBlock{
		Block: b, Text: newMarkdown(b.Text, &c.room), ArgsShown: newShownJSON(b.Args, &c.room), OutputShown: newShownJSON(b.Output, &c.room),
		Annotations: newAnnotations(b.Annotations),
	}
	switch b.Type {
	case "image", "audio", "video", "file":
		shown.Media = newMedia(b)
	}
	return shown
}

// annotation is a reference in a text.
type annotation struct {
	Type, Title, Quote, Address string
	// Raw is the whole of it.
	Raw json.RawMessage
}

// newAnnotations reads a list. The names of members are those of the services that send annotations; annotations without
// any of them are shown as JSON.
func newAnnotations(raw json.RawMessage) []annotation {
	if len(raw) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return []annotation{{Raw: raw}}
	}
	all := make([]annotation, len(list))
	for i, item := range list {
		all[i] = annotation{Raw: item}
		var members map[string]json.RawMessage
		if json.Unmarshal(item, &members) != nil {
			continue
		}
		// Some services wrap everything but the type in an object named like the type.
		var inner map[string]json.RawMessage
		all[i].Type = member("type", members)
		if json.Unmarshal(members[all[i].Type], &inner) != nil {
			inner = nil
		}
		all[i].Title = firstMember([]string{"title", "document_title", "filename", "file_id"}, members, inner)
		all[i].Quote = firstMember([]string{"cited_text", "quote", "text"}, members, inner)
		all[i].Address = firstMember([]string{"url", "source"}, members, inner)
	}
	return all
}

func firstMember(names []string, objects ...map[string]json.RawMessage) string {
	for _, name := range names {
		if text := member(name, objects...); text != "" {
			return text
		}
	}
	return ""
}

// member returns a string from the first object that has it.
func member(name string, objects ...map[string]json.RawMessage) string {
	for _, object := range objects {
		var text string
		if json.Unmarshal(object[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
