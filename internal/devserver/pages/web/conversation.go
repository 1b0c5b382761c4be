package web

import "encoding/json"

// conversation is a document with the results of tools beside the calls that they answer.
type conversation struct {
	// Side is inputs or outputs.
	Side string
	Document
	Messages []shownMessage
	// BlocksOmitted and ProblemsOmitted are how many are not shown.
	BlocksOmitted, ProblemsOmitted int

	// RawShown is the JSON as far as there is room for it.
	RawShown *jsonText

	blocks int // That are shown.
	room   room
}

// maxBlocks and maxProblems bound what a page shows of a document: some are made of a hundred thousand blocks.
const (
	maxBlocks   = 150
	maxProblems = 20
)

// show cuts off what is too much to be shown of a message; it is nothing at all when there is no room left. A message without
// any blocks counts as one.
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
	// Number counts from 1, with the messages that are shown elsewhere.
	Number int
	Blocks []shownBlock
}

type shownBlock struct {
	Block
	Text                   longText
	ArgsShown, OutputShown *jsonText
	Media                  media
	Annotations            []annotation
	// Results are those of a call, in the order of their coming.
	Results []shownResult
}

// shownResult is what a tool has answered: a message of its own, or a block of a server tool.
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

// newConversation puts results to the nearest call before them that has their id. A result without such a call, as when
// the call was made in another run, stays where it is.
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
		// Calls are pointed to, so the list may not move any more.
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

// annotation is what a text refers to.
type annotation struct {
	Type, Title, Quote, Address string
	// Raw is the whole of it.
	Raw json.RawMessage
}

// newAnnotations reads a list. The words are those of the services that send annotations; what has none of them is shown
// as JSON.
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
		// Some wrap all but the type in an object under the name of the type.
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

// member is a text in the first object that has one.
func member(name string, objects ...map[string]json.RawMessage) string {
	for _, object := range objects {
		var text string
		if json.Unmarshal(object[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
