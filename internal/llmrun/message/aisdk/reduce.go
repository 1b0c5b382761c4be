package aisdk

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk reports whether an object is a part of a stream: of a model, of streamText, or of a message for a user interface.
// Types that other formats have too don't count.
func IsChunk(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	switch kind {
	case "tool-call-delta":
		return o.Has(callID)
	case "error", "file", "reasoning", "source", "start":
		return false
	case "finish":
		return o.Has("finishReason")
	default:
		return steps[kind] != nil || pieces[kind] != piece{} || events.Has(kind)
	}
}

// Reduce combines the parts of a stream into the result of the call: {"content":[…],"finishReason","usage"}. The content of
// several steps stays together.
func Reduce(parts []json.RawMessage) (json.RawMessage, error) {
	s := stream{
		open: map[id]int{}, names: map[string]json.RawMessage{},
	}
	s.Read(parts, s.add)
	if s.Understood() {
		// What the SDK says of a stream that doesn't say why it ended.
		s.content()
		s.Answer.Precede(rawjson.Of("finishReason", json.RawMessage(`"other"`)))
	}
	return s.Finish("ai_sdk")
}

type stream struct {
	chunk.Stream
	// open are the blocks that go on.
	open map[id]int
	// names are the names of the tools that were called, by the ID of the call.
	names map[string]json.RawMessage
}

// id identifies a block: IDs of texts and calls may be equal.
type id struct{ kind, id string }

const (
	callID   = "toolCallId"
	toolName = "toolName"
	metadata = "providerMetadata"
)

// idOf returns the ID in a part. The names of members depend on the version of the SDK; parts of version 4 have no ID.
func idOf(kind string, o rawjson.Object) id {
	name, ok := o.Text(callID)
	if !ok {
		name, _ = o.Text("id")
	}
	return id{kind, name}
}

// piece is what a part does with a block: start, delta or end.
type piece struct{ block, phase string }

const blockInput = "input"

var pieces = map[string]piece{
	"text-start": {"text", "start"}, "text-delta": {"text", "delta"}, "text-end": {"text", "end"},
	"reasoning-start": {"reasoning", "start"}, "reasoning-delta": {"reasoning", "delta"}, "reasoning-end": {"reasoning", "end"},
	"reasoning": {"reasoning", "delta"}, "reasoning-signature": {"reasoning", "sign"},
	"tool-input-start": {blockInput, "start"}, "tool-input-delta": {blockInput, "delta"}, "tool-input-end": {blockInput, "last"},
	"tool-call-streaming-start": {blockInput, "start"}, "tool-call-delta": {blockInput, "delta"},
}

//go:embed stream.txt
var streamText string

// events are the parts that a table can describe.
var events = chunk.NewTable(streamText, nil)

// steps maps the types of other parts to what they do.
var steps = map[string]func(*stream, rawjson.Object) bool{
	"tool-call": (*stream).addCall, "tool-input-available": (*stream).addCall, "tool-input-error": (*stream).addFailedCall,
	"tool-result": (*stream).addResult, "tool-error": (*stream).addResult,
	"tool-output-available": (*stream).addOutput, "tool-output-error": (*stream).addOutput,
	"source-url": (*stream).addSource, "source-document": (*stream).addSource, "steering-message": (*stream).addSteering,
	"error": func(s *stream, o rawjson.Object) bool {
		return s.Fail(o.Get("errorText")) || s.Fail(o.Get(chunk.Error))
	},
}

func (s *stream) add(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	if p, ok := pieces[kind]; ok {
		return s.addPiece(p, o)
	}
	if step := steps[kind]; step != nil {
		return step(s, o)
	}
	if strings.HasPrefix(kind, "data-") {
		kind = "data-" // Data of the application.
	}
	return s.Apply(events, kind, o)
}

// addPiece adds to a block. A block without ID ends when another one begins; an ID may be used again. The whole call follows
// the pieces of its input, unless the stream breaks off.
func (s *stream) addPiece(p piece, o rawjson.Object) bool {
	key := idOf(p.block, o)
	at, isOpen := s.open[key]
	text := slices.IndexFunc(deltaKeys, func(key string) bool { return rawjson.IsString(o.Get(key)) })
	switch {
	case p.phase == "delta" && text < 0:
		return false
	case p.phase == "last", p.phase == "end" && !isOpen:
		return true
	case !isOpen, p.phase == "start", p.phase == "delta" && p.block != blockInput && key.id == "" && at != s.content().End()-1:
		at = s.begin(key, o)
	}
	block := s.content().At(at)
	if value := o.Get(metadata); value != nil && !rawjson.IsNull(value) {
		block.Set(metadata, value)
	}
	switch {
	case p.phase == "sign":
		block.Add(o, "type")
	case p.phase == "end":
		delete(s.open, key)
	case p.phase == "delta" && p.block == blockInput:
		block.Grow("input", o.Get(deltaKeys[text]))
	case p.phase == "delta":
		block.Grow("text", o.Get(deltaKeys[text]))
	}
	return true
}

// deltaKeys are the members that may have the text of a piece.
var deltaKeys = []string{"delta", "text", "textDelta", "inputTextDelta", "argsTextDelta"}

func (s *stream) begin(key id, o rawjson.Object) int {
	block := rawjson.Typed(key.kind).With("text", json.RawMessage(`""`))
	if key.kind == blockInput {
		s.names[key.id] = o.Get(toolName)
		block = append(rawjson.Typed(kindCall).With(callID, rawjson.Quote(key.id)), o.Without(append(deltaKeys, "type", "id", callID)...)...)
	}
	s.open[key] = s.append(block)
	return s.open[key]
}

func (s *stream) content() *chunk.Partial { return s.Answer.List("content") }

func (s *stream) append(o rawjson.Object) int {
	at := s.content().End()
	s.content().At(at, o...)
	return at
}

// replace removes the block that a whole one replaces.
func (s *stream) replace(key id) {
	if at, ok := s.open[key]; ok {
		s.content().Remove(at)
		delete(s.open, key)
	}
}

// addSteering adds what a user says meanwhile, in the shape that it has in messages.
func (s *stream) addSteering(o rawjson.Object) bool {
	message, _ := rawjson.ReadObject(o.Get("message"))
	steering := s.content().At(s.append(o.Without("message")))
	if content := message.Get("content"); rawjson.IsString(content) {
		steering.Extend("parts", rawjson.Typed("text").With("text", content).Encode())
	} else if content != nil {
		steering.Grow("parts", content)
	}
	return true
}

// addSource adds a source under the names that it has in results.
func (s *stream) addSource(o rawjson.Object) bool {
	kind, _ := o.Text("type")
	source := rawjson.Typed("source").With("sourceType", rawjson.Quote(strings.TrimPrefix(kind, "source-"))).WithRaw("id", o.Get("sourceId"))
	s.append(append(source, o.Without("type", "sourceId")...))
	return true
}

// addCall adds a whole call, which replaces the pieces of its input.
func (s *stream) addCall(o rawjson.Object) bool {
	key := idOf(blockInput, o)
	s.replace(key)
	s.names[key.id] = o.Get(toolName)
	s.append(append(rawjson.Typed(kindCall), o.Without("type")...))
	return true
}

// addFailedCall adds a call that is invalid, and why.
func (s *stream) addFailedCall(o rawjson.Object) bool {
	return s.addCall(o.Without("errorText")) && s.addOutput(o)
}

// addResult adds a result. A preliminary one is repeated in full by the next.
func (s *stream) addResult(o rawjson.Object) bool {
	key := idOf(kindResult, o)
	s.replace(key)
	if at := s.append(o); string(o.Get("preliminary")) == "true" {
		s.open[key] = at
	}
	return true
}

// addOutput adds a result that a user interface gets, under the names that it has in results.
func (s *stream) addOutput(o rawjson.Object) bool {
	kind := kindResult
	if o.Has("errorText") {
		kind = "tool-error"
	}
	result := rawjson.Typed(kind).WithRaw(callID, o.Get(callID)).WithRaw("error", o.Get("errorText"))
	if !o.Has(toolName) {
		result = result.WithRaw(toolName, s.names[idOf("", o).id])
	}
	return s.addResult(append(result, o.Without("type", callID, "errorText")...))
}
