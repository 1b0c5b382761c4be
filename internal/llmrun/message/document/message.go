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
