package document

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The roles of the normal form.
const (
	RoleSystem    = "system"
	RoleReasoning = "reasoning"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// The block types of the normal form.
const (
	BlockText             = "text"
	BlockReasoning        = "reasoning"
	BlockImage            = "image"
	BlockFile             = "file"
	BlockAudio            = "audio"
	BlockVideo            = "video"
	BlockToolCall         = "tool_call"
	BlockServerToolCall   = "server_tool_call"
	BlockServerToolResult = "server_tool_result"
)

// Extras contains what has no place in the normal form, verbatim, under the format's own key.
//
// Values of the wrong type are also kept here: a text that is a number stays under "text", and Block.Text stays nil.
type Extras = rawjson.Members

// Message is a message of the normal form.
type Message struct {
	Role          string          // empty if the message has no role that is a non-empty string
	Content       []Block         // nil if the message has no list of blocks, and empty if the list is empty
	ToolCallID    *string         // the ID of the call that a message with role tool answers
	UsageMetadata json.RawMessage // verbatim, because its costs are decimals; nil if absent

	Extras Extras
}

// Text returns a message with one text.
func Text(role, text string) Message {
	return Message{Role: role, Content: []Block{{Type: BlockText, Text: &text}}}
}

// Text returns the text blocks of a message, joined as the SDKs of the providers and the libraries join them: without a separator,
// because models split a sentence where a citation begins or ends.
func (m *Message) Text() string {
	var b strings.Builder
	for i := range m.Content {
		if block := &m.Content[i]; block.Type == BlockText && block.Text != nil {
			b.WriteString(*block.Text)
		}
	}
	return b.String()
}

// Block is a content block. A nil field was absent, or had the wrong type and is in Extras.
type Block struct {
	Type string

	// Text belongs to text and reasoning blocks, and to media that are a text or have a transcript. Annotations (a list of
	// objects) belong to text blocks.
	Text        *string
	Annotations json.RawMessage

	// URL, Base64 and MimeType belong to images, files, audio and video. For these, ID is an external file; otherwise, it
	// is the ID of the call or the result.
	URL      *string
	Base64   *string
	ID       *string
	MimeType *string

	// Name and Args belong to calls; ToolCallID, Status and Output (any value) to results of server tools. Args is an object; a
	// call that has a text instead has it as the argument "input".
	Name       *string
	Args       json.RawMessage
	ToolCallID *string
	Status     *string
	Output     json.RawMessage

	Extras Extras
}

// Native writes the normal form: {"messages":[…],"extras":{…}}. The extras of messages and blocks are also in an object
// "extras". The top-level one is present even if it is empty: it distinguishes the normal form from other formats.
// Normalizing the result returns the same messages and extras.
func (d *Document) Native() []byte {
	messages := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		messages[i] = d.Messages[i].native()
	}
	return rawjson.Of("messages", rawjson.EncodeArray(messages)).With("extras", rawjson.EncodeMembers(d.Extras)).Encode()
}

func (m *Message) native() json.RawMessage {
	o := make(rawjson.Object, 0, 6).WithName("role", m.Role)
	if m.Content != nil {
		blocks := make([]json.RawMessage, len(m.Content))
		for i := range m.Content {
			blocks[i] = m.Content[i].native()
		}
		o = o.With("content", rawjson.EncodeArray(blocks))
	}
	return withExtras(o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata), m.Extras)
}

func (b *Block) native() json.RawMessage {
	return withExtras(make(rawjson.Object, 0, 6).WithName("type", b.Type).WithText("id", b.ID).WithText("name", b.Name).WithRaw("args", b.Args).
		WithText("tool_call_id", b.ToolCallID).WithText("status", b.Status).WithRaw("output", b.Output).
		WithText("text", b.Text).WithRaw("annotations", b.Annotations).
		WithText("url", b.URL).WithText("base64", b.Base64).WithText("mime_type", b.MimeType), b.Extras)
}

func withExtras(o rawjson.Object, extras Extras) json.RawMessage {
	if len(extras) > 0 {
		o = o.With("extras", rawjson.EncodeMembers(extras))
	}
	return o.Encode()
}
