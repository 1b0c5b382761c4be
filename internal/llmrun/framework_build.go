package llmrun

import (
	"encoding/json"
	"fmt"
)

// buildFramework writes a document that was read from the framework's tracer as it was. No other document can become
// one: a constructor names a class, which no other format knows.
func buildFramework(d *Document) ([]byte, error) {
	if d.Format != FormatFramework {
		return nil, fmt.Errorf("building %s from %s: messages of another format have no class; "+
			"build native, chat_completions, messages or responses", FormatFramework, d.Format)
	}
	messages := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		m := d.Messages[i]
		if d.Shape != ShapeGenerations {
			messages[i] = buildFrameworkMessage(&m)
			continue
		}
		m.Extras = m.Extras.without(generationKey)
		messages[i] = buildGeneration(&d.Messages[i], buildFrameworkMessage(&m))
	}
	key := "messages"
	if d.Shape == ShapeGenerations {
		key = "generations"
	}
	if d.Shape == ShapeMessages {
		return object{{key, encodeArray(messages)}}.withAll(d.Extras).encode(), nil
	}
	lists, err := splitLists(messages, d.Extras[layoutLists])
	if err != nil {
		return nil, err
	}
	return object{{key, encodeArray(lists)}}.withAll(d.Extras.without(layoutLists)).encode(), nil
}

// splitLists deals the messages out to the prompts that they belong to; without a note there is one.
func splitLists(messages []json.RawMessage, note json.RawMessage) ([]json.RawMessage, error) {
	if note == nil {
		return []json.RawMessage{encodeArray(messages)}, nil
	}
	var lengths []int
	if err := json.Unmarshal(note, &lengths); err != nil {
		return nil, fmt.Errorf("building %s: /extras/%s is %s, not the lengths of the lists: %w", FormatFramework, layoutLists, note, err)
	}
	lists, rest, fits := make([]json.RawMessage, len(lengths)), messages, true
	for i, n := range lengths {
		if fits = fits && n >= 0 && n <= len(rest); fits {
			lists[i], rest = encodeArray(rest[:n]), rest[n:]
		}
	}
	if !fits || len(rest) > 0 {
		return nil, fmt.Errorf("building %s: the lengths /extras/%s, %s, don't add up to the %d messages; correct or remove them",
			FormatFramework, layoutLists, note, len(messages))
	}
	return lists, nil
}

func buildFrameworkMessage(m *Message) json.RawMessage {
	o := make(object, 0, 6)
	if m.Layout[layoutRole] == nil && m.Role != "" {
		o = o.with("role", quote(m.Role))
	}
	var parts, calls []json.RawMessage
	var text *string
	for i := range m.Content {
		if b := &m.Content[i]; b.Layout.is(layoutPlace, "tool_calls") {
			calls = append(calls, buildCall(b, callFlat))
		} else {
			text, parts = b.Text, append(parts, buildPart(b))
		}
	}
	switch form, _ := readString(m.Layout[layoutContent]); {
	case form == "absent":
	case form == "null":
		o = o.with("content", json.RawMessage("null"))
	case form == "" && len(parts) == 1 && text != nil:
		o = o.with("content", quote(*text))
	default:
		o = o.with("content", encodeArray(parts))
	}
	if calls != nil {
		o = o.with("tool_calls", encodeArray(calls))
	}
	o = o.withText("tool_call_id", m.ToolCallID).withRaw("usage_metadata", m.UsageMetadata).
		withRaw("type", m.Layout[layoutType]).withAll(m.Extras)
	if beside := m.Layout[layoutConstructor]; beside != nil {
		constructor, _ := readObject(beside)
		return append(constructor, member{"kwargs", o.encode()}).encode()
	}
	return o.encode()
}

func buildGeneration(m *Message, message json.RawMessage) json.RawMessage {
	if m.Layout.is(layoutMessage, "absent") {
		o := make(object, 0, 2)
		if len(m.Content) == 1 {
			o = o.withText("text", m.Content[0].Text)
		}
		return o.withAll(m.Extras).encode()
	}
	generation, _ := readObject(m.Extras[generationKey])
	return append(generation, member{"message", message}).encode()
}
