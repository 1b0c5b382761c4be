package chatcompletions

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Target converts to a request's messages, a response with one choice or, if an answer has several messages, a list of
// them.
var Target = &convert.Target{
	Format:  document.FormatChatCompletions,
	Written: convert.WrittenKeys(document.FormatChatCompletions),
	Shape: func(_ string, value json.RawMessage) (json.RawMessage, []string, string) {
		return convert.Nest(value), nil, ""
	},
	Alternatives: true,
	Roles:        []string{"", document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool},
	Extras:       extrasOf,
	Form:         forms.Of,
	Prepare:      addReason,
	Reasoning: func(p *convert.Prepared) {
		p.MergeReasoning()
		p.JoinReasoning()
	},
	Write: write,
	Read:  Read,
}

func extrasOf(p *convert.Prepared, _ *document.Message) []string {
	if hasChoices(p) {
		return []string{"name", envelope.ChoiceKey}
	}
	return []string{"name"}
}

// forms are those of parts and calls. Only the assistant can call tools, and later requests refer to its audio by ID.
var forms = convert.Forms{
	document.BlockText:      {convert.Refusal, {Kind: "text", Members: []string{"text", "text"}}},
	document.BlockReasoning: {{Kind: "reasoning_content"}}, // It is a member of the message.
	document.BlockImage:     {{Kind: "image_url", Within: "image_url", Members: part.URLMembers}},
	document.BlockVideo:     {{Kind: "video_url", Within: "video_url", Members: part.URLMembers}},
	document.BlockAudio:     {{Kind: "audio", Is: isAnswerAudio, Within: "audio", Members: envelope.AudioMembers}, convert.InputAudio},
	document.BlockFile:      {{Kind: "file", Within: "file", Members: part.FileMembers}},
	document.BlockToolCall: {
		{Kind: part.KeyCustom, Kept: true, Is: convert.IsAnswer, Outer: outer, Within: part.KeyCustom, Members: part.CustomMembers, Extras: index},
		{Kind: part.KeyFunction, Is: convert.IsAnswer, Outer: outer, Within: part.KeyFunction, Members: part.FunctionMembers, Extras: index},
	},
}

var outer, index = []string{"id", "id"}, []string{"index"}

func isAnswerAudio(m *document.Message, b *document.Block) bool {
	return convert.IsAnswer(m, b) && b.ID != nil
}

func hasChoices(p *convert.Prepared) bool {
	return p.Side == document.Outputs && (len(p.Messages) == 1 || p.Alternatives)
}

// addReason makes the finish reason of a choice of the reason why an answer of the messages format ended.
func addReason(p *convert.Prepared) {
	reason, _ := rawjson.ReadString(p.Extras["stop_reason"])
	finish := convert.StopReasons[reason]
	if p.Format == document.FormatMessages && finish != "" && hasChoices(p) && p.Messages[0].Extras[envelope.ChoiceKey] == nil {
		p.Messages[0].Extras.Put(envelope.ChoiceKey, rawjson.Of("finish_reason", rawjson.Quote(finish)).Encode())
		delete(p.Extras, "stop_reason")
	}
}

func write(p *convert.Prepared, rest document.Extras) []byte {
	messages := make([]json.RawMessage, len(p.Messages))
	if !hasChoices(p) {
		for i := range p.Messages {
			messages[i] = writeMessage(&p.Messages[i])
		}
		return rawjson.Of("messages", rawjson.EncodeArray(messages)).WithAll(rest).Encode()
	}
	for i, m := range p.Messages {
		choice, _ := rawjson.ReadObject(m.Extras[envelope.ChoiceKey])
		m.Extras = m.Extras.Without(envelope.ChoiceKey)
		if len(messages) == 1 && m.UsageMetadata != nil { // It stands beside the choices.
			rest.Put("usage_metadata", m.UsageMetadata)
			m.UsageMetadata = nil
		}
		messages[i] = rawjson.Of("message", writeMessage(&m)).WithAll(choice.Rest("message")).Encode()
	}
	return rawjson.Of("choices", rawjson.EncodeArray(messages)).WithAll(rest).Encode()
}

// writeMessage writes a message: calls, the reasoning before the content and the answer's audio in their members, one plain
// text as a string, nothing but calls as null.
func writeMessage(m *document.Message) json.RawMessage {
	o := make(rawjson.Object, 0, 6).WithName("role", m.Role)
	var parts, calls []json.RawMessage
	var text *document.Block
	for i := range m.Content {
		b := &m.Content[i]
		switch f := forms.Of(m, b); {
		case i == 0 && m.Role == document.RoleAssistant && document.IsReasoning(b):
			o = o.WithText("reasoning_content", b.Text)
		case b.Type == document.BlockToolCall:
			calls = append(calls, f.Write(b).Encode())
		case f.Within == "audio":
			o = o.With("audio", f.Write(b).Get("audio"))
		default:
			text, parts = b, append(parts, f.Write(b).Encode())
		}
	}
	switch {
	case m.Content == nil:
	case len(parts) == 0 && len(m.Content) > 0:
		o = o.With("content", json.RawMessage("null"))
	case len(parts) == 1 && document.IsPlainText(text):
		o = o.With("content", rawjson.Quote(*text.Text)).WithRaw("annotations", text.Annotations)
	default:
		o = o.With("content", rawjson.EncodeArray(parts))
	}
	if calls != nil {
		o = o.With("tool_calls", rawjson.EncodeArray(calls))
	}
	return o.WithText("tool_call_id", m.ToolCallID).WithRaw("usage_metadata", m.UsageMetadata).WithAll(m.Extras).Encode()
}
