package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// buildChat writes the chat-completions format. A document that was read from it is restored; any other document becomes a
// request's messages, a response with one choice or, if an answer has several messages, a list of them.
func buildChat(d *Document) ([]byte, []string, error) {
	if d.Format == FormatChatCompletions {
		return envelopeOf(d).chat(d), nil, nil
	}
	p := prepare(d, FormatChatCompletions)
	lost := losses{document: p}
	e := envelopeOf(&p.Document)
	e.shape = shapeMessages
	if d.Side == Outputs && (e.only || areAlternatives(d)) {
		e.shape = shapeChoices
	}
	e.rest = chatExtras(&p.Document, &lost)
	for i := range p.Messages {
		lost.addChatMessage(&p.Messages[i], i, e.shape)
	}
	if err := lost.err(FormatChatCompletions); err != nil {
		return nil, nil, err
	}
	for i := range p.Messages {
		p.Messages[i].chooseLayout()
	}
	return e.chat(&p.Document), p.dropped, nil
}

// chat writes the messages of a document into the envelope.
func (e *envelope) chat(d *Document) []byte {
	for i := range d.Messages {
		m := d.Messages[i]
		e.take(&m)
		e.messages = append(e.messages, buildChatMessage(&m))
	}
	e.finishReason(d)
	return e.seal()
}

// dropVoid drops extras without information for another format.
func (m *Message) dropVoid() {
	m.Extras = m.Extras.WithoutVoid()
	for i := range m.Content {
		m.Content[i].Extras = m.Content[i].Extras.WithoutVoid()
	}
	if rawjson.IsVoid(m.UsageMetadata) {
		m.UsageMetadata = nil
	}
}

// chooseLayout says how to write a message that comes from another format: calls and the answer's audio in their
// members, one plain text as a string, nothing but calls as null.
func (m *Message) chooseLayout() {
	content := 0
	var text *Block
	for i := range m.Content {
		b := &m.Content[i]
		switch {
		case b.Type == BlockToolCall:
			b.Layout.put(layoutPlace, noteToolCalls)
			if isCustom(b) {
				b.Layout.put(layoutCall, rawjson.Quote(string(callCustom)))
			}
		case answerAudio(m, b):
			b.Layout.put(layoutPlace, noteAudio)
		case i == 0 && m.Role == RoleAssistant && isReasoning(b):
			b.Layout.put(layoutPlace, noteReasoningContent)
		default:
			content++
			text = b
		}
		if string(b.Extras["refusal"]) == "true" {
			b.Layout.put(layoutPart, notePartRefusal)
		}
	}
	switch {
	case m.Content == nil:
		m.Layout.put(layoutContent, noteAbsent)
	case content == 0 && len(m.Content) > 0:
		m.Layout.put(layoutContent, noteNull)
	case content != 1 || !isPlainText(text):
		m.Layout.put(layoutContent, noteArray)
	}
}

// isCustom says whether a call is one of a custom tool, whose input is a string, unlike that of a function.
func isCustom(b *Block) bool {
	kind, _ := rawjson.ReadString(b.Extras["type"])
	return kind == kindCustom && b.Extras[keyCustom] != nil
}

// answerAudio says whether a block is the audio in a model's answer, which later requests reference by ID.
func answerAudio(m *Message, b *Block) bool {
	return m.Role == RoleAssistant && b.Type == BlockAudio && b.ID != nil
}

func buildChatMessage(m *Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6)
	if role := m.Layout[layoutRole]; role != nil {
		o = o.With("role", role)
	} else if m.Role != "" {
		o = o.With("role", rawjson.Quote(m.Role))
	}
	o, parts, calls, text := placeChatBlocks(o, m)
	switch form, _ := rawjson.ReadString(m.Layout[layoutContent]); {
	case form == "absent":
	case form == "null", form == "" && len(parts) == 0 && len(calls) > 0:
		o = o.With("content", json.RawMessage("null"))
	case form == "" && len(parts) == 1 && text.Text != nil:
		o = o.With("content", rawjson.Quote(*text.Text)).WithRaw("annotations", text.Annotations)
	default:
		o = o.With("content", rawjson.EncodeArray(parts))
	}
	if all := m.Layout[layoutCalls]; all != nil {
		o = o.With("tool_calls", all)
	} else if calls != nil {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	return o.WithRaw("images", m.Layout[layoutImages]).WithText("tool_call_id", m.ToolCallID).
		WithRaw("usage_metadata", m.UsageMetadata).WithAll(m.Extras).Encode()
}

// placeChatBlocks writes the blocks that are members of the message to it, and returns the others: parts of the content, of which text is the
// last one, and calls.
func placeChatBlocks(o rawjson.Object, m *Message) (_ rawjson.Object, parts, calls []json.RawMessage, text *Block) {
	for i := range m.Content {
		b := &m.Content[i]
		place, _ := rawjson.ReadString(b.Layout[layoutPlace])
		if b.Type == BlockToolCall && b.Layout == nil {
			place = "tool_calls" // A block that was built by hand.
		}
		switch place {
		case "tool_calls":
			calls = append(calls, buildCall(b, callFunction))
		case "function_call":
			o = o.With("function_call", buildFunction(b, "function"))
		case "audio":
			rest, _ := rawjson.ReadObject(b.Extras["audio"])
			audio := rawjson.Object(nil).WithText("id", b.ID).WithText("data", b.Base64)
			o = o.With("audio", append(audio, rest...).Encode())
		case "images":
		case "reasoning_content", "reasoning", "thinking", "tool_plan":
			o = o.WithText(place, b.Text)
			if twice, ok := rawjson.ReadString(b.Layout[layoutTwice]); ok {
				o = o.WithText(twice, b.Text)
			}
		case "refusal":
			o = o.WithText("refusal", b.Text)
		default:
			text, parts = b, append(parts, buildPart(b))
		}
	}
	return o, parts, calls, text
}

// buildPart writes a part of the content.
func buildPart(b *Block) json.RawMessage {
	if raw := b.Layout[layoutRaw]; raw != nil {
		return raw
	}
	switch note, _ := rawjson.ReadString(b.Layout[layoutPart]); note {
	case "native", "verbatim":
		return buildNativeBlock(b)
	case "refusal":
		return rawjson.Of("type", rawjson.Quote("refusal")).WithText("refusal", b.Text).WithAll(b.Extras.Without("refusal")).Encode()
	case "string":
		kind := partOf(b.Type)
		return rawjson.Of("type", rawjson.Quote(kind)).WithText(kind, b.address()).WithAll(b.Extras).Encode()
	}
	if b.Type == BlockText {
		return rawjson.Of("type", rawjson.Quote("text")).WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	}
	var nested rawjson.Object
	kind := partOf(b.Type)
	switch kind {
	case "server_tool_call", "server_tool_result", "reasoning":
		return buildNativeBlock(b)
	case "input_audio":
		nested = nested.WithText("data", b.Base64)
		if b.MimeType != nil {
			nested = nested.With("format", rawjson.Quote(strings.TrimPrefix(*b.MimeType, audioMime)))
		}
	case "file":
		nested = nested.WithText("file_data", b.address()).WithText("file_id", b.ID)
	default:
		nested = nested.WithText("url", b.address())
	}
	rest, _ := rawjson.ReadObject(b.Extras[kind])
	return rawjson.Of("type", rawjson.Quote(kind)).With(kind, append(nested, rest...).Encode()).WithAll(b.Extras.Without(kind)).Encode()
}

// partOf returns the type of the part for a block of media.
func partOf(block string) string {
	for part, b := range mediaParts {
		if b == block {
			return part
		}
	}
	return block
}

// address returns the URL of media: a data URL if there is no other. Data without a type is returned as it is.
func (b *Block) address() *string {
	switch {
	case b.Base64 == nil:
		return b.URL
	case b.MimeType == nil:
		return b.Base64
	default:
		url := "data:" + *b.MimeType + ";base64," + *b.Base64
		return &url
	}
}

// isFinishReason says whether the messages format has an equivalent for the reason why an answer of chat completions ended.
func isFinishReason(reason string) bool {
	for _, finish := range stopReasons {
		if finish == reason {
			return true
		}
	}
	return false
}

// stopReasons maps the messages format's reasons for the end of an answer to those of chat completions.
var stopReasons = map[string]string{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}

// finishReason sets the choice's reason for the end of an answer from the messages format.
func (e *envelope) finishReason(d *Document) {
	reason, ok := rawjson.ReadString(d.Extras["stop_reason"])
	if d.Format != FormatMessages || !ok || e.shape != shapeChoices || e.choices[0] != nil {
		return
	}
	e.choices[0] = rawjson.Of("finish_reason", rawjson.Quote(stopReasons[reason])).Encode()
}

// chatExtras returns the extras of a document of another format that a chat-completions document can contain.
func chatExtras(d *Document, lost *losses) Extras {
	written := writtenKeys(d, FormatChatCompletions)
	lost.addExtras(d.Extras, written)
	if d.Side == Outputs && len(d.Messages) == 1 {
		lost.addField(!isVoidOrAbsent(d.Messages[0].UsageMetadata) && !isVoidOrAbsent(d.Extras["usage_metadata"]),
			"an answer can have only one usage", []any{"extras", "usage_metadata"})
	}
	var rest Extras
	for key, value := range d.Extras {
		if key != "stop_reason" && slices.Contains(written, key) {
			rest.Put(key, value)
		}
	}
	return rest
}

// sharedKeys have the same meaning in the formats of all providers.
var sharedKeys = []string{"id", "model", "temperature", "top_p", "stream", "max_tokens", "usage_metadata"}

// chatKeys are the members of requests and responses of chat completions beside the messages.
var chatKeys = append([]string{
	"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
	"metadata", "modalities", "model_name", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
	"reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store",
	"stream_options", "tool_choice", "tools", "top_logprobs", "user", "verbosity", "web_search_options",
	"created", "object", "system_fingerprint", "usage",
}, sharedKeys...)
