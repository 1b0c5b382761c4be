package message

import (
	"encoding/json"

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

// Extras holds what has no place in the normal form, verbatim, under the key that the format gives it.
//
// Values of the wrong type are kept here too: a text that is a number stays under "text", and Block.Text stays nil.
type Extras = rawjson.Members

// Layout says how a format wrote what the normal form writes in one way only: content as a string, a role by another
// name, a call in a legacy field. The keys are private to the format, a value is never information of its own: a
// builder for the same format uses it, every other builder ignores it, and the normal form leaves it out.
type Layout map[string]json.RawMessage

// Message is a message of the normal form.
type Message struct {
	// Role is empty when the message has none that is a non-empty string.
	Role string
	// Content is nil when the message has no list of blocks at all, and empty when the list is.
	Content []Block
	// ToolCallID names the call that a message of role tool answers.
	ToolCallID *string
	// UsageMetadata is verbatim, because its costs are decimals; nil when absent.
	UsageMetadata json.RawMessage

	Extras Extras
	Layout Layout
}

// Block is a content block. A field that is nil was absent, or of the wrong type and is in Extras.
type Block struct {
	Type string

	// Text belongs to text and reasoning blocks, Annotations (a list of objects) to text blocks.
	Text        *string
	Annotations json.RawMessage

	// URL, Base64 and MimeType belong to images, files, audio and video. ID is an external file there, and the id of
	// the call or the result elsewhere.
	URL      *string
	Base64   *string
	ID       *string
	MimeType *string

	// Name and Args (an object) belong to calls; ToolCallID, Status and Output (any value) to results of server tools.
	Name       *string
	Args       json.RawMessage
	ToolCallID *string
	Status     *string
	Output     json.RawMessage

	Extras Extras
	Layout Layout
}

// put notes how something was written, and makes the map when there is none yet.
func (l *Layout) put(key string, value json.RawMessage) {
	if *l == nil {
		*l = Layout{}
	}
	(*l)[key] = value
}

// is says whether the note under a key is the string given.
func (l Layout) is(key, note string) bool {
	raw, ok := l[key]
	return ok && string(raw) == `"`+note+`"`
}

// besideKey is the extra for members that stand around a part, as far as the part has members of the same name.
const besideKey = "beside"

// addBeside adds what stands around a part to its extras. Where a name is taken, the members stay together under a name of
// their own.
func addBeside(extras *Extras, rest Extras) {
	for key := range rest {
		if (*extras)[key] != nil {
			extras.Put(besideKey, rawjson.Object(nil).WithAll(rest).Encode())
			return
		}
	}
	for key, value := range rest {
		extras.Put(key, value)
	}
}
