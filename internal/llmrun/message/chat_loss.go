package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// addChatMessage notes what chat completions can't express of a message from another format.
func (l *losses) addChatMessage(m *Message, i int, shape string) {
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
			l.addChatCall(m, b, at)
		case j == 0 && m.Role == RoleAssistant && isReasoning(b):
		case answerAudio(m, b):
			l.addField(b.URL != nil, "audio is referenced by ID", append(at, "url"))
			l.addField(b.MimeType != nil, "audio in an answer has no type", append(at, "mime_type"))
			l.addExtras(b.Extras, nested(b, "audio"), at...)
		default:
			if called {
				l.add("content can't follow a tool call", at...)
			}
			l.addChatPart(m, b, at)
		}
	}
}

// addField notes the loss of a field if it has a value.
func (l *losses) addField(present bool, reason string, at []any) {
	if present {
		l.add(reason, at...)
	}
}

func (l *losses) addChatCall(m *Message, b *Block, at []any) {
	at = slices.Clip(at)
	if m.Role != RoleAssistant {
		l.add("only messages with role assistant can call tools", at...)
	}
	if isCustom(b) {
		l.addExtras(b.Extras, append(nested(b, keyCustom), "type", "index"), at...)
		l.addField(b.Args != nil, "the input of a custom tool is a string", append(at, "args"))
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
		l.addField(b.Text == nil, "the part has no text", append(at, "text"))
		l.addField(b.Annotations != nil && (len(m.Content) != 1 || !plainText(m)),
			"only a single text can have annotations", append(at, "annotations"))
	case BlockImage, BlockVideo:
		l.addField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
		l.addField(b.URL != nil && b.Base64 != nil, "the part can have either a URL or data", append(at, "url"))
		l.addField(b.MimeType != nil && b.Base64 == nil, "a URL can't have a media type", append(at, "mime_type"))
		l.addField(b.Base64 != nil && (b.MimeType == nil || !plainMime(*b.MimeType)), "data requires a mime_type without parameters", append(at, "base64"))
	case BlockAudio:
		l.addField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
		l.addField(b.URL != nil, "such a part can have data, but no URL", append(at, "url"))
		l.addField(b.MimeType != nil && !strings.HasPrefix(*b.MimeType, audioMime), "mime_type must be an audio type", append(at, "mime_type"))
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

// nested returns the key of the extras that become members of a part's or call's object, if they are an object and don't
// duplicate the block's own fields.
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

// plainMime says whether a type can be read back from a data URL.
func plainMime(mime string) bool { return mime != "" && !strings.ContainsAny(mime, ";,") }
