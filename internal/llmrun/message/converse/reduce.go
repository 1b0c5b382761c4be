package converse

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

//go:embed stream.txt
var streamText string

var events = chunk.NewTable(streamText, nil)

// eventMetadata is the name of an event, and of members that other objects have.
const eventMetadata = "metadata"

// suffixException ends the names of the events that report an error.
const suffixException = "Exception"

// IsChunk reports whether an object is an event of a stream.
func IsChunk(o rawjson.Object) bool {
	return slices.ContainsFunc(o, func(m rawjson.Member) bool {
		event, ok := rawjson.ReadObject(m.Value)
		return ok && events.Has(m.Key) && (m.Key != eventMetadata || len(o) == 1 && rawjson.IsObject(event.Get("usage")))
	})
}

// Reduce combines the events of a stream into the answer: {"output":{"message":…},"stopReason","usage"}.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := chunk.Stream{}
	s.Read(chunks, func(o rawjson.Object) bool { return add(&s, o) })
	if s.Answer.Has("output") {
		message := s.Answer.Key("output").Key("message")
		message.Precede(rawjson.Of("role", rawjson.Quote("assistant")))
		message.Set("content", encode(message.List("content")))
	}
	return s.Finish("converse")
}

func add(s *chunk.Stream, o rawjson.Object) bool {
	for _, m := range o {
		event, ok := rawjson.ReadObject(m.Value)
		switch {
		case !ok:
		case strings.HasSuffix(m.Key, suffixException):
			return s.Fail(append(rawjson.Typed(m.Key), event.Without("type")...).Encode())
		case m.Key == "contentBlockDelta":
			return addDelta(s, event)
		case events.Has(m.Key):
			return s.Apply(events, m.Key, event)
		}
	}
	return false
}

func addDelta(s *chunk.Stream, event rawjson.Object) bool {
	delta, _ := rawjson.ReadObject(event.Get("delta"))
	for _, m := range delta {
		name := "contentBlockDelta." + m.Key
		known := s.Apply(events, name, event)
		inner, _ := rawjson.ReadObject(m.Value)
		for _, n := range inner {
			known = s.Apply(events, name+"."+n.Key, event) || known
		}
		if !known {
			return false
		}
	}
	return len(delta) > 0
}

// encode encodes blocks. One that has several contents becomes a block for each; citations have the text in theirs.
func encode(blocks *chunk.Partial) json.RawMessage {
	list := []json.RawMessage{}
	for _, block := range blocks.All() {
		cited, parts := block.Has("citationsContent"), []json.RawMessage{}
		if block.Has("text") {
			parts = append(parts, rawjson.Of("text", block.Get("text")).Encode())
		}
		if cited {
			block.Key("citationsContent").Set("content", rawjson.EncodeArray(parts))
		}
		if block.Has("toolUse") {
			block.Key("toolUse").Precede(rawjson.Of("input", json.RawMessage("{}")))
		}
		if block.Has("toolResult") {
			block.Key("toolResult").Precede(rawjson.Of("content", json.RawMessage("[]")))
		}
		contents, _ := rawjson.ReadObject(block.Encode())
		for _, m := range contents {
			if m.Key != "text" || !cited {
				list = append(list, rawjson.Of(m.Key, m.Value).Encode())
			}
		}
	}
	return rawjson.EncodeArray(list)
}
