package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// chatKeys are the members of requests and responses beside the messages.
var chatKeys = []string{
	"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
	"metadata", "modalities", "model_name", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
	"reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store",
	"stream_options", "tool_choice", "tools", "top_logprobs", "user", "verbosity", "web_search_options",
	"created", "object", "system_fingerprint", "usage",
}

// chatTarget converts to a request's messages, a response with one choice or, if an answer has several messages, a list of
// them.
var chatTarget = &target{
	format: FormatChatCompletions,
	written: func(d *Document) []string {
		keys := writtenKeys(d, chatKeys, sharedKeys)
		if reason, ok := rawjson.ReadString(d.Extras["stop_reason"]); ok && saysWhy(d, reason) {
			return append(slices.Clone(keys), "stop_reason")
		}
		return keys
	},
	choices: hasChoices,
	names:   true,
	block: func(b *Block) []string {
		if b.Type == BlockToolCall {
			return []string{"index"}
		}
		return nil
	},
	reasoning: func(p *prepared) {
		p.mergeReasoning()
		p.joinReasoning()
	},
	lose:  loseChat,
	write: writeChat,
}

// hasChoices says whether a document is written as choices.
func hasChoices(d *Document) bool {
	return d.Side == Outputs && (len(d.Messages) == 1 || areAlternatives(d))
}

// saysWhy says whether a choice can express why an answer of the messages format ended.
func saysWhy(d *Document, reason string) bool {
	return d.Format == FormatMessages && stopReasons[reason] != "" && d.Side == Outputs && len(d.Messages) == 1 &&
		d.Messages[0].Extras[choiceKey] == nil
}

// chatShape is that of hasChoices after the messages were prepared, which can join several of an answer.
func chatShape(p *prepared) string {
	if p.Side == Outputs && (len(p.Messages) == 1 || p.alternatives) {
		return shapeChoices
	}
	return shapeMessages
}

func writeChat(p *prepared, rest Extras) []byte {
	rest = rest.Without("stop_reason")
	if chatShape(p) == shapeChoices {
		return chatChoices(&p.Document, rest)
	}
	messages := make([]json.RawMessage, len(p.Messages))
	for i := range p.Messages {
		messages[i] = chatMessage(&p.Messages[i])
	}
	return rawjson.Of("messages", rawjson.EncodeArray(messages)).WithAll(rest).Encode()
}

// chatChoices writes an answer. The usage of its only message stands beside the choices.
func chatChoices(d *Document, rest Extras) []byte {
	choices := make([]json.RawMessage, len(d.Messages))
	for i := range d.Messages {
		m := d.Messages[i]
		choice, beside := rawjson.ReadObject(m.Extras[choiceKey])
		m.Extras = m.Extras.Without(choiceKey)
		if len(choices) == 1 && m.UsageMetadata != nil {
			rest.Put("usage_metadata", m.UsageMetadata)
			m.UsageMetadata = nil
		}
		if reason, ok := rawjson.ReadString(d.Extras["stop_reason"]); ok && !beside && d.Format == FormatMessages {
			choice = rawjson.Of("finish_reason", rawjson.Quote(stopReasons[reason]))
		}
		choices[i] = slices.Clone(choice).With("message", chatMessage(&m)).Encode()
	}
	return rawjson.Of("choices", rawjson.EncodeArray(choices)).WithAll(rest).Encode()
}

// chatMessage writes a message: calls, the reasoning before the content and the answer's audio in their members, one plain
// text as a string, nothing but calls as null.
func chatMessage(m *Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	var parts, calls []json.RawMessage
	var text *Block
	for i := range m.Content {
		b := &m.Content[i]
		switch {
		case b.Type == BlockToolCall:
			calls = append(calls, buildCall(b))
		case isAnswerAudio(m, b):
			rest, _ := rawjson.ReadObject(b.Extras["audio"])
			o = o.With("audio", append(rawjson.Object(nil).WithText("id", b.ID).WithText("data", b.Base64), rest...).Encode())
		case i == 0 && m.Role == RoleAssistant && isReasoning(b):
			o = o.WithText("reasoning_content", b.Text)
		default:
			text, parts = b, append(parts, buildPart(b))
		}
	}
	switch {
	case m.Content == nil:
	case len(parts) == 0 && len(m.Content) > 0:
		o = o.With("content", json.RawMessage("null"))
	case len(parts) == 1 && isPlainText(text):
		o = o.With("content", rawjson.Quote(*text.Text)).WithRaw("annotations", text.Annotations)
	default:
		o = o.With("content", rawjson.EncodeArray(parts))
	}
	if calls != nil {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	return o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata).WithAll(m.Extras).Encode()
}

// isAnswerAudio says whether a block is the audio in a model's answer, which later requests reference by ID.
func isAnswerAudio(m *Message, b *Block) bool {
	return m.Role == RoleAssistant && b.Type == BlockAudio && b.ID != nil
}

// isCustom says whether a call is one of a custom tool, whose input is a string, unlike that of a function.
func isCustom(b *Block) bool { return b.kind("") == keyCustom && b.Extras[keyCustom] != nil }

// buildCall writes an entry of tool_calls.
func buildCall(b *Block) json.RawMessage {
	key := keyFunction
	if isCustom(b) {
		key = keyCustom
	}
	o := make(rawjson.Object, 0, 4).WithText("id", b.ID)
	if b.Extras["type"] == nil {
		o = o.With("type", rawjson.Quote(key))
	}
	rest, _ := rawjson.ReadObject(b.Extras[key])
	function := append(rawjson.Object(nil).WithText("name", b.Name).WithRaw("arguments", argumentsText(b)), rest...)
	return o.With(key, function.Encode()).WithAll(b.Extras.Without(key)).Encode()
}
