package message

import (
	"encoding/json"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// buildFramework restores a document that was read from the framework's tracer. No other document can be converted: a
// constructor names a class, which no other format contains.
func buildFramework(d *Document) ([]byte, error) {
	if d.Format != FormatFramework {
		return nil, fmt.Errorf("building %s from %s: messages of other formats have no class; "+
			"build native, chat_completions, messages or responses", FormatFramework, d.Format)
	}
	messages := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		m := d.Messages[i]
		if d.Shape != shapeGenerations {
			messages[i] = buildFrameworkMessage(&m)
			continue
		}
		m.Extras = m.Extras.Without(generationKey)
		messages[i] = buildGeneration(&d.Messages[i], buildFrameworkMessage(&m))
	}
	key := "messages"
	if d.Shape == shapeGenerations {
		key = "generations"
	}
	if d.Shape == shapeMessages {
		return rawjson.Of(key, rawjson.EncodeArray(messages)).WithAll(d.Extras).Encode(), nil
	}
	lists, err := splitLists(messages, d.Extras[layoutLists])
	if err != nil {
		return nil, err
	}
	return rawjson.Of(key, rawjson.EncodeArray(lists)).WithAll(d.Extras.Without(layoutLists)).Encode(), nil
}

// splitLists splits the messages into the lists of their prompts; without a note, there is one.
func splitLists(messages []json.RawMessage, note json.RawMessage) ([]json.RawMessage, error) {
	if note == nil {
		return []json.RawMessage{rawjson.EncodeArray(messages)}, nil
	}
	var lengths []int
	if err := json.Unmarshal(note, &lengths); err != nil {
		return nil, fmt.Errorf("building %s: /extras/%s is %s, not the lengths of the lists: %w", FormatFramework, layoutLists, note, err)
	}
	lists, rest, fits := make([]json.RawMessage, len(lengths)), messages, true
	for i, n := range lengths {
		if fits = fits && n >= 0 && n <= len(rest); fits {
			lists[i], rest = rawjson.EncodeArray(rest[:n]), rest[n:]
		}
	}
	if !fits || len(rest) > 0 {
		return nil, fmt.Errorf("building %s: the lengths /extras/%s, %s, don't add up to the %d messages; correct or remove the lengths",
			FormatFramework, layoutLists, note, len(messages))
	}
	return lists, nil
}

func buildFrameworkMessage(m *Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if m.Layout[layoutRole] == nil && m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	var parts, calls []json.RawMessage
	var text *string
	for i := range m.Content {
		if b := &m.Content[i]; b.Layout.is(layoutPlace, "tool_calls") {
			calls = append(calls, buildCall(b, callFlat))
		} else if !b.Layout.is(layoutPlace, "additional_kwargs") {
			text, parts = b.Text, append(parts, buildPart(b))
		}
	}
	switch form, _ := rawjson.ReadString(m.Layout[layoutContent]); {
	case form == "absent":
	case form == "null":
		o = o.With("content", json.RawMessage("null"))
	case form == "" && len(parts) == 1 && text != nil:
		o = o.With("content", rawjson.Quote(*text))
	default:
		o = o.With("content", rawjson.EncodeArray(parts))
	}
	if all := m.Layout[layoutCalls]; all != nil {
		o = o.With("tool_calls", all)
	} else if calls != nil {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	o = o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata).
		WithRaw("type", m.Layout[layoutType]).WithAll(m.Extras)
	if beside := m.Layout[layoutConstructor]; beside != nil {
		constructor, _ := rawjson.ReadObject(beside)
		return append(constructor, rawjson.Member{Key: "kwargs", Value: o.Encode()}).Encode()
	}
	return o.Encode()
}

func buildGeneration(m *Message, message json.RawMessage) json.RawMessage {
	if m.Layout.is(layoutMessage, "absent") {
		o := make(rawjson.Object, 0, 2)
		if len(m.Content) == 1 {
			o = o.WithText("text", m.Content[0].Text)
		}
		return o.WithAll(m.Extras).Encode()
	}
	generation, _ := rawjson.ReadObject(m.Extras[generationKey])
	return append(generation, rawjson.Member{Key: "message", Value: message}).Encode()
}
