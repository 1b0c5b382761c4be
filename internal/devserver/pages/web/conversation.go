package web

import (
	"encoding/json"
	"html/template"
)

// conversation is a document with tool results beside the calls that they answer.
type conversation struct {
	// Side is inputs or outputs.
	Side string
	Document
	// Messages are those that are new and fit the page, and folds of the others.
	Messages []shownMessage
	// Previous is the call that has seen messages of this one as well; nil if there is none.
	Previous *PreviousCall
	// BlocksOmitted and ProblemsOmitted are the numbers of hidden ones.
	BlocksOmitted, ProblemsOmitted int

	// Pretty is the JSON of a document of unknown format, as people read it, and RawShown that of any other as it was logged. Both are
	// truncated to the available space.
	Pretty, RawShown *shownJSON

	paths Paths
	runID string // Empty if messages have no pages.
	room  room
}

// Paths are those of the page.
func (c conversation) Paths() Paths { return c.paths }

// URLOf returns the page of a message; empty if it has none.
func (c conversation) URLOf(number int) string {
	if c.runID == "" {
		return ""
	}
	return c.paths.Message(c.runID, c.Side, number)
}

// fold are messages that follow one another, of which only the beginning is shown.
type fold struct {
	// From is the number of the first one, and Listed are the last ones. Seen says that the previous call has seen all of them.
	From, Count int
	Seen        bool
	Listed      []foldedMessage
}

// Unlisted is the number of the first ones.
func (f fold) Unlisted() int { return f.Count - len(f.Listed) }

// foldedMessage is a message of which only the beginning is shown.
type foldedMessage struct {
	Number           int
	Role, Name, Head string
	// URL is the page of the message; empty if it has none.
	URL string
}

const (
	// maxBlocks and maxProblems limit what a page shows of a document: some have a hundred thousand blocks.
	maxBlocks   = 150
	maxProblems = 20
	// maxFolded is the number of folded messages that are listed.
	maxFolded = 60
	// headOfMessage is how much of them is shown.
	headOfMessage = 100
)

// lastThatFit returns the number of the first message from which on there is space for all that are new, and for at least one. All others
// are folded.
func lastThatFit(messages []Message) (from, folded int) {
	blocks, size := 0, 0
	for from = len(messages); from > 0; from-- {
		m := messages[from-1]
		if m.Seen {
			folded++
			continue
		}
		blocks += max(1, len(m.Content))
		size += shownSize(m)
		if from < len(messages) && (blocks > maxBlocks || size > sideRoom) {
			break
		}
	}
	return from, from + folded
}

// shownSize returns how much of the available space a message takes at most.
func shownSize(m Message) (size int) {
	for _, b := range m.Content[:min(len(m.Content), maxBlocks)] {
		for _, text := range []string{b.Text, string(b.Args), string(b.Output)} {
			size += len(template.HTMLEscapeString(text[:min(len(text), maxText)]))
		}
	}
	return size
}

type shownMessage struct {
	Message
	// Fold are the messages that stand here; nil if this is a message.
	Fold *fold
	// Number counts from 1, including messages that are shown elsewhere.
	Number int
	Blocks []shownBlock
	// CallNumber is the number of a folded message, with the call that this one answers; 0 if there is none.
	CallNumber int
}

type shownBlock struct {
	Block
	Text                   longText
	ArgsShown, OutputShown *shownJSON
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
	OutputShown *shownJSON
	Extras      json.RawMessage
}

// recognized says that there is more to show than raw JSON.
func (c conversation) Recognized() bool { return c.Format != "" && c.Format != "unrecognized" }

// newConversation attaches results to the nearest preceding call with their ID. A result without such a call, for example
// because the call was made in another run, stays in its place.
func newConversation(side string, d Document, paths Paths, runID string) conversation {
	c := conversation{Side: side, Document: d, room: room{sideRoom}, paths: paths, runID: runID}
	c.Problems = d.Problems[:min(len(d.Problems), maxProblems)]
	c.ProblemsOmitted = len(d.Problems) - len(c.Problems)
	from, folded := lastThatFit(d.Messages)
	calls, foldedCalls := map[string]*shownBlock{}, map[string]int{}
	for i, message := range d.Messages {
		if i < from || message.Seen {
			c.fold(i+1, message, folded <= maxFolded, foldedCalls)
			folded--
			continue
		}
		content := message.Content[:min(len(message.Content), maxBlocks)]
		c.BlocksOmitted += len(message.Content) - len(content)
		shown := shownMessage{Message: message, Number: i + 1, CallNumber: foldedCalls[message.ToolCallID]}
		if message.Role == "tool" {
			if call := calls[message.ToolCallID]; call != nil {
				call.Results = append(call.Results, shownResult{
					Number: shown.Number, Blocks: c.newBlocks(content), Extras: message.Extras,
				})
				continue
			}
		}
		c.show(shown, content, calls)
	}
	if d.Raw == nil {
		return c
	}
	if !c.Recognized() {
		c.Pretty = newShownJSON(d.Raw, &c.room)
		return c
	}
	strict := newJSONText(d.Raw)
	text, omitted := (&room{rawRoom}).take(strict.Text, maxText)
	c.RawShown = &shownJSON{Text: text, Omitted: strict.Omitted + omitted}
	return c
}

// fold adds a message to the fold at the end, and its number to the calls, by their IDs.
func (c *conversation) fold(number int, m Message, listed bool, calls map[string]int) {
	for _, b := range m.Content {
		if isCall(b) && b.ID != "" {
			calls[b.ID] = number
		}
	}
	if last := len(c.Messages) - 1; last < 0 || c.Messages[last].Fold == nil {
		c.Messages = append(c.Messages, shownMessage{Fold: &fold{From: number, Seen: true}})
	}
	f := c.Messages[len(c.Messages)-1].Fold
	f.Count++
	f.Seen = f.Seen && m.Seen
	if listed {
		f.Listed = append(f.Listed, foldedMessage{number, m.Role, m.Name, headOf(m), c.URLOf(number)})
	}
}

// headOf returns the beginning of what a message says.
func headOf(m Message) string {
	for _, b := range m.Content {
		switch {
		case b.Text != "":
			return short(headOfMessage, b.Text)
		case isCall(b):
			return "calls " + short(headOfMessage, b.Name)
		}
	}
	if len(m.Content) > 0 {
		return m.Content[0].Type
	}
	return "no content"
}

// show adds a message, except for results of server tools whose calls are shown.
func (c *conversation) show(shown shownMessage, content []Block, calls map[string]*shownBlock) {
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
