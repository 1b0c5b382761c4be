package converse

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// events are the members that identify the events of a stream; eventMetadata is also a name that other objects have.
var events = []string{"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", eventMetadata}

const eventMetadata = "metadata"

// suffixException ends the names of the events that report an error.
const suffixException = "Exception"

// IsChunk says whether an object is an event of a stream.
func IsChunk(o rawjson.Object) bool {
	return slices.ContainsFunc(o, func(m rawjson.Member) bool {
		event, ok := rawjson.ReadObject(m.Value)
		return ok && slices.Contains(events, m.Key) && (m.Key != eventMetadata || len(o) == 1 && rawjson.IsObject(event.Get("usage")))
	})
}

// deltas are what the members of a delta do, named with the member in them if they are objects.
var deltas = func() chunk.Table {
	const block, thought = "content[contentBlockIndex].", "delta.reasoningContent."
	return chunk.NewTable(map[string][]chunk.Rule{
		"start":                      {{From: "start", To: "content[contentBlockIndex]", How: chunk.Begin}},
		"text":                       {{From: "delta.text", To: block + "text"}},
		"toolUse.input":              {{From: "delta.toolUse.input", To: block + "toolUse.input", How: chunk.JSON}},
		"toolResult":                 {{From: "delta.toolResult", To: block + "toolResult.content", How: chunk.Grow}},
		"reasoningContent.text":      {{From: thought + "text", To: block + "reasoningContent.reasoningText.text", How: chunk.Grow}},
		"reasoningContent.signature": {{From: thought + "signature", To: block + "reasoningContent.reasoningText.signature", How: chunk.Grow}},
		"reasoningContent.redactedContent": {
			{From: thought + "redactedContent", To: block + "reasoningContent.redactedContent", How: chunk.Data},
		},
		"citation":     {{From: "delta.citation", To: block + "citationsContent.citations", How: chunk.Append}},
		"image.format": {{From: "delta.image.format", To: block + "image.format", How: chunk.Set}},
		"image.error":  {{From: "delta.image.error", To: block + "image.error", How: chunk.Set}},
		"image.source": {{From: "delta.image.source.bytes", To: block + "image.source.bytes", How: chunk.Data}},
	}, nil)
}()

// Reduce combines the events of a stream into the answer: {"output":{"message":…},"stopReason","usage"}.
func Reduce(chunks []json.RawMessage) (json.RawMessage, error) {
	s := stream{}
	s.Read(chunks, s.add)
	if !s.message.IsEmpty() {
		s.message.Precede(rawjson.Of("role", rawjson.Quote("assistant")))
		s.message.Set("content", encode(s.message.List("content")))
		s.Answer.Precede(rawjson.Of("output", rawjson.Of("message", s.message.Encode()).Encode()))
	}
	return s.Finish("converse")
}

type stream struct {
	chunk.Stream
	message chunk.Partial
}

func (s *stream) add(o rawjson.Object) bool {
	for _, m := range o {
		event, ok := rawjson.ReadObject(m.Value)
		switch {
		case !ok:
		case strings.HasSuffix(m.Key, suffixException):
			return s.Fail(append(chunk.Typed(m.Key), chunk.Without(event, "type")...).Encode())
		case slices.Contains(events, m.Key):
			return s.addEvent(m.Key, event)
		}
	}
	return false
}

func (s *stream) addEvent(name string, event rawjson.Object) bool {
	switch name {
	case "messageStart":
		s.message.Add(event, "content")
		return true
	case "contentBlockStop":
		return true
	case "contentBlockStart":
		return deltas.Apply(&s.message, "start", event)
	case "contentBlockDelta":
		return s.addDelta(event)
	default: // messageStop and metadata
		s.Answer.Add(event)
		return true
	}
}

func (s *stream) addDelta(event rawjson.Object) bool {
	delta, _ := rawjson.ReadObject(event.Get("delta"))
	for _, m := range delta {
		known := deltas.Apply(&s.message, m.Key, event)
		inner, _ := rawjson.ReadObject(m.Value)
		for _, n := range inner {
			known = deltas.Apply(&s.message, m.Key+"."+n.Key, event) || known
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
