package chatcompletions

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// lose notes what chat completions can't express.
func lose(p *convert.Prepared, lost *convert.Losses, _ *document.Extras) {
	if p.Side == document.Outputs && len(p.Messages) == 1 {
		lost.AddField(!rawjson.IsVoidOrAbsent(p.Messages[0].UsageMetadata) && !rawjson.IsVoidOrAbsent(p.Extras["usage_metadata"]),
			"an answer can have only one usage", []any{"extras", "usage_metadata"})
	}
	for i := range p.Messages {
		loseMessage(lost, &p.Messages[i], i, shapeOf(p))
	}
}

// loseMessage notes what chat completions can't express of a message from another format.
func loseMessage(l *convert.Losses, m *document.Message, i int, shape string) {
	at := []any{"messages", i}
	if !slices.Contains([]string{"", document.RoleSystem, document.RoleUser, document.RoleAssistant, document.RoleTool}, m.Role) {
		l.Add("the format has no role "+m.Role, "messages", i, "role")
	}
	written := []string{"name"}
	if shape == document.ShapeChoices {
		if choice, ok := rawjson.ReadObject(m.Extras[envelope.ChoiceKey]); ok && !choice.Has("message") {
			written = append(written, envelope.ChoiceKey)
		}
		l.AddField(m.UsageMetadata != nil && !rawjson.IsVoid(m.UsageMetadata) && !rawjson.IsObject(m.UsageMetadata),
			"the usage of an answer must be an object", append(at[:2:2], "usage_metadata"))
	}
	l.AddExtras(m.Extras, written, at...)
	before := "" // What a message has after its content.
	for j := range m.Content {
		b := &m.Content[j]
		switch at := append(at[:2:2], "content", j); {
		case b.Type == document.BlockToolCall:
			before = "a tool call"
			loseCall(l, m, b, at)
		case j == 0 && m.Role == document.RoleAssistant && document.IsReasoning(b):
		case isAnswerAudio(m, b):
			l.AddField(before != "", "the audio of an answer can't follow "+before, at)
			before = "the audio of an answer"
			l.AddField(b.URL != nil, "audio is referenced by ID", append(at, "url"))
			l.AddField(b.MimeType != nil, "audio in an answer has no type", append(at, "mime_type"))
			l.AddExtras(b.Extras, convert.Nested(b, "audio", answerAudioMembers), at...)
		default:
			l.AddField(before != "", "content can't follow "+before, at)
			losePart(l, m, b, at)
		}
	}
}

func loseCall(l *convert.Losses, m *document.Message, b *document.Block, at []any) {
	at = slices.Clip(at)
	if m.Role != document.RoleAssistant {
		l.Add("only messages with role assistant can call tools", at...)
	}
	if isCustom(b) {
		l.AddExtras(b.Extras, append(convert.Nested(b, part.KeyCustom, part.CustomMembers), "type", "index"), at...)
		_, free := b.FreeInput()
		l.AddField(b.Args != nil && !free, "the input of a custom tool is a string", append(at, "args"))
		return
	}
	l.AddExtras(b.Extras, append(convert.Nested(b, part.KeyFunction, part.FunctionMembers), "index"), at...)
}

func losePart(l *convert.Losses, m *document.Message, b *document.Block, at []any) {
	at = slices.Clip(at)
	written := convert.MediaParts[b.Type].Nested(b)
	l.AddField(b.Text != nil && b.Type != document.BlockText, "such a part can't have text", append(at, "text"))
	switch b.Type {
	case document.BlockText:
		if convert.IsRefusal(b) {
			written = []string{"refusal"}
		}
		l.AddField(b.Text == nil, "the part has no text", append(at, "text"))
		l.AddField(b.Annotations != nil && (len(m.Content) != 1 || !document.IsPlainText(b)),
			"only a single text can have annotations", append(at, "annotations"))
	case document.BlockImage, document.BlockVideo:
		l.AddField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
		l.AddImage(b, at)
	case document.BlockAudio:
		l.AddAudio(b, at)
		return
	case document.BlockFile:
		l.AddField(b.URL != nil, "such a part can have data or an ID, but no URL", append(at, "url"))
		l.AddFile(b, at)
	default:
		l.Add("the format has no such part", at...)
		return
	}
	l.AddExtras(b.Extras, written, at...)
}
