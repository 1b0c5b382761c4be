package message

import "encoding/json"

// Format is a family of shapes that a run's inputs or outputs can have.
type Format string

// The formats that Normalize tells apart.
const (
	FormatNative          Format = "native"
	FormatChatCompletions Format = "chat_completions"
	FormatMessages        Format = "messages"
	FormatResponses       Format = "responses"
	FormatFramework       Format = "framework"
	// FormatGemini, FormatConverse, FormatSDK and FormatCohere are read, checked and written back, but nothing is converted
	// to them.
	FormatGemini       Format = "gemini"
	FormatConverse     Format = "converse"
	FormatSDK          Format = "ai_sdk"
	FormatCohere       Format = "cohere"
	FormatUnrecognized Format = "unrecognized"
)

// Side is the half of a run that a document is.
type Side int

// A run has inputs and outputs.
const (
	Inputs Side = iota
	Outputs
)

// String is the name of the run's field.
func (s Side) String() string {
	if s == Outputs {
		return "outputs"
	}
	return "inputs"
}

// The shapes: how the messages were wrapped. A value that a client wrapped once more, because it logs objects only,
// has the key of the wrapper before the shape, as in "outputs.pair".
const (
	// ShapeMessages is {"messages":[…]}.
	ShapeMessages = "messages"
	// ShapeNormal is {"messages":[…],"extras":{…}}: what Document.Native writes.
	ShapeNormal = "normal"
	// ShapeList is a bare list of messages.
	ShapeList = "list"
	// ShapeChoices is {"choices":[{"message":{…}}]}.
	ShapeChoices = "choices"
	// ShapeCompletion is {"choices":[{"text":"…"}]}.
	ShapeCompletion = "completion"
	// ShapeMessage is {"message":{…}}.
	ShapeMessage = "message"
	// ShapeBare is one message itself.
	ShapeBare = "bare"
	// ShapePair is [role, content].
	ShapePair = "pair"
	// ShapePrompt is {"system":"…","prompt":"…"}, of which the system may be missing.
	ShapePrompt = "prompt"
	// ShapeResponse is {"response":"…","done":true}.
	ShapeResponse = "response"
	// ShapeInput is {"input":…}, the items or the text that a responses call is given.
	ShapeInput = "input"
	// ShapeOutput is {"output":[…]}, the items that a responses call returns.
	ShapeOutput = "output"
	// ShapeGenerations is {"generations":[[…]]}.
	ShapeGenerations = "generations"
	// ShapePrompts is {"prompts":["…"]}.
	ShapePrompts = "prompts"
	// ShapeLists is {"messages":[[…]]}.
	ShapeLists = "lists"
)

// Document is one half of a run, read.
type Document struct {
	Format Format
	Side   Side
	// Shape is one of the Shape constants, or a wrapper's key and one of them.
	Shape    string
	Messages []Message
	// Extras holds the members beside the messages. An unrecognized document keeps its whole value under "raw".
	Extras Extras
	Layout Layout

	// source is the whole document, for those that are written back as they were read.
	source json.RawMessage
}
