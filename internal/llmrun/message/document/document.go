package document

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Format is a family of shapes of a run's inputs or outputs.
type Format string

// The formats that Normalize distinguishes.
const (
	FormatNative          Format = "native"
	FormatChatCompletions Format = "chat_completions"
	FormatMessages        Format = "messages"
	FormatResponses       Format = "responses"
	FormatFramework       Format = "framework"
	// FormatGemini, FormatConverse, FormatAISDK and FormatCohere are read, validated and written back, but conversion to them
	// is not supported.
	FormatGemini   Format = "gemini"
	FormatConverse Format = "converse"
	FormatAISDK    Format = "ai_sdk"
	FormatCohere   Format = "cohere"
	// The formats of agents, protocols and tracing conventions are read and validated.
	FormatOpenTelemetry Format = "opentelemetry"
	FormatOpenInference Format = "openinference"
	FormatPydanticAI    Format = "pydantic_ai"
	FormatLlamaIndex    Format = "llama_index"
	FormatOpenAIAgents  Format = "openai_agents"
	FormatClaudeAgent   Format = "claude_agent"
	FormatInteractions  Format = "interactions"
	FormatConversations Format = "conversations"
	FormatMCP           Format = "mcp"

	FormatUnrecognized Format = "unrecognized"
)

// Side is the half of a run to which a document belongs.
type Side int

// A run has inputs and outputs.
const (
	Inputs Side = iota
	Outputs
)

// String returns the name of the run's field.
func (s Side) String() string {
	if s == Outputs {
		return "outputs"
	}
	return "inputs"
}

// The shapes: how the messages are wrapped. If a client has wrapped a value once more, because it logs only objects, the
// shape is preceded by the wrapper's key, as in "outputs.pair".
const (
	ShapeMessages    = "messages"    // {"messages":[…]}
	ShapeNormal      = "normal"      // {"messages":[…],"extras":{…}}: the output of Document.Native
	ShapeList        = "list"        // a bare list of messages
	ShapeChoices     = "choices"     // {"choices":[{"message":{…}}]}
	ShapeCompletion  = "completion"  // {"choices":[{"text":"…"}]}
	ShapeMessage     = "message"     // {"message":{…}}
	ShapeBare        = "bare"        // a single message without a wrapper
	ShapePair        = "pair"        // [role, content]
	ShapePrompt      = "prompt"      // {"system":"…","prompt":"…"}, in which the system prompt is optional
	ShapeResponse    = "response"    // {"response":"…","done":true}
	ShapeImages      = "images"      // {"created":…,"data":[{"url":…}]}: generated images
	ShapeInput       = "input"       // {"input":…}, the items or the string passed to a responses call
	ShapeOutput      = "output"      // {"output":[…]}, the items that a responses call returns
	ShapeGenerations = "generations" // {"generations":[[…]]}
	ShapePrompts     = "prompts"     // {"prompts":["…"]}
	ShapeLists       = "lists"       // {"messages":[[…]]}
	ShapeResult      = "result"      // {"text",…}: the answer of an SDK
)

// Document is the parsed form of one half of a run.
type Document struct {
	Format Format
	Side   Side
	// Shape is one of the Shape constants, or a wrapper's key followed by one of them.
	Shape    string
	Messages []Message
	// Extras contains the members beside the messages. An unrecognized document has its whole value under "raw".
	Extras Extras

	Source json.RawMessage // the whole document as it was read

	// See SetOrigin.
	origin   Source
	wrappers []string
	aside    []json.RawMessage
}

// SetOrigin notes from what the messages were read, and the keys of the client's wrappers around it.
func (d *Document) SetOrigin(src Source, wrappers ...string) { d.origin, d.wrappers = src, wrappers }

// Origin returns what SetOrigin noted, for those who read the messages again.
func (d *Document) Origin() (src Source, wrappers []string) { return d.origin, d.wrappers }

// KeyAside is the extra for the entries of a list of messages that nobody said, such as the state of a program.
const KeyAside = "aside"

// AddEntries reads the entries of a list of messages, and sets those aside that are neither objects nor what else can be a message.
func (d *Document) AddEntries(list []json.RawMessage, read func(json.RawMessage), others ...func([]byte) bool) {
	d.Messages = slices.Grow(d.Messages, len(list))
	for _, raw := range list {
		if rawjson.IsObject(raw) || slices.ContainsFunc(others, func(is func([]byte) bool) bool { return is(raw) }) {
			read(raw)
		} else {
			d.SetAside(raw)
		}
	}
}

// SetAside sets an entry aside, until KeepAside.
func (d *Document) SetAside(entry json.RawMessage) { d.aside = append(d.aside, entry) }

// KeepAside returns the document with the entries that were set aside; false if their key is taken.
func (d *Document) KeepAside() (*Document, bool) {
	if d.aside == nil {
		return d, true
	}
	if d.Extras[KeyAside] != nil {
		return nil, false
	}
	d.Extras.Put(KeyAside, rawjson.EncodeArray(d.aside))
	return d, true
}

// Source is one half of a run as it was logged. Many formats look at the same lists until one recognizes them, so that a source keeps what
// it has split. It must not be used concurrently.
type Source struct {
	Raw    json.RawMessage
	Side   Side
	Object rawjson.Object // Object contains the members of Raw; nil if that isn't an object

	lists map[string][]json.RawMessage // what List has split, by key
}

// NewSource reads the members of one half of a run, which must be valid JSON.
func NewSource(raw json.RawMessage, side Side) Source {
	o, _ := rawjson.ReadObject(raw)
	return Source{Raw: raw, Side: side, Object: o, lists: map[string][]json.RawMessage{}}
}

// List returns the elements of the array under a key, which must not be changed. Those of a document that is an array have no key.
func (s Source) List(key string) ([]json.RawMessage, bool) {
	raw := s.Raw
	if key != "" {
		raw = s.Object.Get(key)
	}
	if !rawjson.IsArray(raw) {
		return nil, false
	}
	list, ok := s.lists[key]
	if !ok {
		list, _ = rawjson.ReadArray(raw)
		s.lists[key] = list
	}
	return list, true
}
