package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// addChatMessage notes what chat completions can't say of a message that comes from another format.
func (l *losses) addChatMessage(m *Message, i int, shape string) {
	at := []any{"messages", i}
	if !slices.Contains([]string{"", RoleSystem, RoleUser, RoleAssistant, RoleTool}, m.Role) {
		l.add("there is no role "+m.Role, "messages", i, "role")
	}
	written := []string{"name"}
	if shape == ShapeChoices {
		if choice, ok := rawjson.ReadObject(m.Extras[choiceKey]); ok && !choice.Has("message") {
			written = append(written, choiceKey)
		}
		l.addField(m.UsageMetadata != nil && !rawjson.IsVoid(m.UsageMetadata) && !rawjson.IsObject(m.UsageMetadata),
			"the usage of an answer is an object", append(at[:2:2], "usage_metadata"))
	}
	l.addExtras(m.Extras, written, at...)
	called := false
	for j := range m.Content {
		b := &m.Content[j]
		switch at := append(at[:2:2], "content", j); {
		case b.Type == BlockToolCall:
			called = true
			l.addChatCall(m, b, at)
		case j == 0 && m.Role == RoleAssistant && isReasoning(b):
		case answerAudio(m, b):
			l.addField(b.URL != nil, "audio is named by its id", append(at, "url"))
			l.addField(b.MimeType != nil, "audio that was answered has no type", append(at, "mime_type"))
			l.addExtras(b.Extras, nested(b, "audio"), at...)
		default:
			if called {
				l.add("content can't follow a tool call", at...)
			}
			l.addChatPart(m, b, at)
		}
	}
}

// addField notes the loss of a field when it has a value.
func (l *losses) addField(present bool, reason string, at []any) {
	if present {
		l.add(reason, at...)
	}
}

func (l *losses) addChatCall(m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	if m.Role != RoleAssistant {
		l.add("only a message of role assistant calls tools", at...)
	}
	if isCustom(b) {
		l.addExtras(b.Extras, append(nested(b, keyCustom), "type", "index"), at...)
		l.addField(b.Args != nil, "a custom tool is called with a text", append(at, "args"))
		return
	}
	l.addExtras(b.Extras, append(nested(b, "function"), "index"), at...)
}

func (l *losses) addChatPart(m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	written := nested(b, partOf(b.Type))
	switch b.Type {
	case BlockText:
		written = nil
		if string(b.Extras["refusal"]) == "true" {
			written = []string{"refusal"}
		}
		l.addField(b.Text == nil, "a part needs its text", append(at, "text"))
		l.addField(b.Annotations != nil && (len(m.Content) != 1 || !plainText(m)),
			"only content that is one text has annotations", append(at, "annotations"))
	case BlockImage, BlockVideo:
		l.addField(b.ID != nil, "the part has no id", append(at, "id"))
		l.addField(b.URL != nil && b.Base64 != nil, "the part has one URL, or data instead", append(at, "url"))
		l.addField(b.MimeType != nil && b.Base64 == nil, "a URL has no type beside it", append(at, "mime_type"))
		l.addField(b.Base64 != nil && (b.MimeType == nil || !plainMime(*b.MimeType)), "data needs a plain mime_type", append(at, "base64"))
	case BlockAudio:
		l.addField(b.ID != nil, "the part has no id", append(at, "id"))
		l.addField(b.URL != nil, "the part has data, not a URL", append(at, "url"))
		l.addField(b.MimeType != nil && !strings.HasPrefix(*b.MimeType, audioMime), "the format is an audio type", append(at, "mime_type"))
	case BlockFile:
		l.addField(b.URL != nil, "the part has data or an id, not a URL", append(at, "url"))
		l.addField(b.Base64 != nil && strings.HasPrefix(*b.Base64, "data:"), "the data is a URL", append(at, "base64"))
		l.addField(b.MimeType != nil && (b.Base64 == nil || !plainMime(*b.MimeType)), "the type belongs to data", append(at, "mime_type"))
	default:
		l.add("there is no such part", at...)
		return
	}
	l.addExtras(b.Extras, written, at...)
}

// nested is the key of the extras that go into the object that a part or a call has, as long as they are one and say
// nothing of what the block's own fields say.
func nested(b *Block, key string) []string {
	raw := b.Extras[key]
	if !rawjson.IsObject(raw) {
		return nil
	}
	var read Block
	switch key {
	case "function", keyCustom:
		read.takeFunction(raw)
	case "audio":
		read = parseAnswerAudio(raw)
	default:
		read = parseMediaPart(rawjson.Of(key, raw), key)
	}
	for _, field := range []*string{read.Name, read.ID, read.URL, read.Base64, read.MimeType} {
		if field != nil {
			return nil
		}
	}
	if read.Args != nil {
		return nil
	}
	return []string{key}
}

// plainMime says whether a type can stand in a data URL and be found there again.
func plainMime(mime string) bool { return mime != "" && !strings.ContainsAny(mime, ";,") }
