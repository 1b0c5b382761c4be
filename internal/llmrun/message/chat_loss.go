package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// loseChat notes what chat completions can't express.
func loseChat(p *prepared, lost *losses, _ *Extras) {
	if p.Side == Outputs && len(p.Messages) == 1 {
		lost.addField(!rawjson.IsVoidOrAbsent(p.Messages[0].UsageMetadata) && !rawjson.IsVoidOrAbsent(p.Extras["usage_metadata"]),
			"an answer can have only one usage", []any{"extras", "usage_metadata"})
	}
	for i := range p.Messages {
		addChatMessage(lost, &p.Messages[i], i, chatShape(p))
	}
}

// addChatMessage notes what chat completions can't express of a message from another format.
func addChatMessage(l *losses, m *Message, i int, shape string) {
	at := []any{"messages", i}
	if !slices.Contains([]string{"", RoleSystem, RoleUser, RoleAssistant, RoleTool}, m.Role) {
		l.add("the format has no role "+m.Role, "messages", i, "role")
	}
	written := []string{"name"}
	if shape == shapeChoices {
		if choice, ok := rawjson.ReadObject(m.Extras[choiceKey]); ok && !choice.Has("message") {
			written = append(written, choiceKey)
		}
		l.addField(m.UsageMetadata != nil && !rawjson.IsVoid(m.UsageMetadata) && !rawjson.IsObject(m.UsageMetadata),
			"the usage of an answer must be an object", append(at[:2:2], "usage_metadata"))
	}
	l.addExtras(m.Extras, written, at...)
	called := false
	for j := range m.Content {
		b := &m.Content[j]
		switch at := append(at[:2:2], "content", j); {
		case b.Type == BlockToolCall:
			called = true
			addChatCall(l, m, b, at)
		case j == 0 && m.Role == RoleAssistant && isReasoning(b):
		case isAnswerAudio(m, b):
			l.addField(b.URL != nil, "audio is referenced by ID", append(at, "url"))
			l.addField(b.MimeType != nil, "audio in an answer has no type", append(at, "mime_type"))
			l.addExtras(b.Extras, nested(b, "audio", answerAudioMembers), at...)
		default:
			if called {
				l.add("content can't follow a tool call", at...)
			}
			addChatPart(l, m, b, at)
		}
	}
}

func addChatCall(l *losses, m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	if m.Role != RoleAssistant {
		l.add("only messages with role assistant can call tools", at...)
	}
	if isCustom(b) {
		l.addExtras(b.Extras, append(nested(b, keyCustom, functionMembers), "type", "index"), at...)
		l.addField(b.Args != nil, "the input of a custom tool is a string", append(at, "args"))
		return
	}
	l.addExtras(b.Extras, append(nested(b, keyFunction, functionMembers), "index"), at...)
}

func addChatPart(l *losses, m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	written := mediaParts[b.Type].nested(b)
	switch b.Type {
	case BlockText:
		if isRefusal(b) {
			written = []string{"refusal"}
		}
		l.addField(b.Text == nil, "the part has no text", append(at, "text"))
		l.addField(b.Annotations != nil && (len(m.Content) != 1 || !isPlainText(b)),
			"only a single text can have annotations", append(at, "annotations"))
	case BlockImage, BlockVideo:
		l.addField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
		l.addField(b.URL != nil && b.Base64 != nil, "the part can have either a URL or data", append(at, "url"))
		l.addField(b.MimeType != nil && b.Base64 == nil, "a URL can't have a media type", append(at, "mime_type"))
		l.addField(b.Base64 != nil && (b.MimeType == nil || !plainMime(*b.MimeType)), "data requires a mime_type without parameters", append(at, "base64"))
	case BlockAudio:
		l.addAudio(b, at)
		return
	case BlockFile:
		l.addField(b.URL != nil, "such a part can have data or an ID, but no URL", append(at, "url"))
		l.addField(b.Base64 != nil && strings.HasPrefix(*b.Base64, "data:"), "the data must not be a data URL", append(at, "base64"))
		l.addField(b.MimeType != nil && (b.Base64 == nil || !plainMime(*b.MimeType)), "mime_type requires data, and no parameters", append(at, "mime_type"))
	default:
		l.add("the format has no such part", at...)
		return
	}
	l.addExtras(b.Extras, written, at...)
}
