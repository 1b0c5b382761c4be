package document

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Take reads a member into a field. It reports false, and the member remains an extra, if the member is absent or has the
// wrong type, or if the field is already set.
//
// Besides the names of fields in the normal form, there are names for members that are read into one of several fields:
// "address" is a URL, which may be a data URL, "data" is data or a data URL, "media" any of them; "audio_format" is the
// subtype of a media type, "input" are arguments that may be the text of an object, "free_input" those that may be any text, and
// "value" is a text or any other value, which becomes its JSON.
func (b *Block) Take(field string, raw json.RawMessage) bool {
	switch field {
	case "annotations":
		return takeRaw(&b.Annotations, raw, rawjson.IsArray(raw))
	case "args":
		return takeRaw(&b.Args, raw, rawjson.IsObject(raw))
	case "output":
		return takeRaw(&b.Output, raw, raw != nil)
	case "value":
		if rawjson.IsNullOrAbsent(raw) || rawjson.IsString(raw) {
			return b.Take("text", raw)
		}
		if b.Text != nil {
			return false
		}
		text := rawjson.Compact(raw)
		b.Text = &text
		return true
	}
	isText := rawjson.IsString(raw)
	switch {
	case field == "input" && !isText:
		return takeRaw(&b.Args, raw, rawjson.IsObject(raw))
	case !isText, field == "input" && b.Args != nil:
		return false
	case field == "input":
		text, ok := rawjson.ReadInner(raw)
		return ok && rawjson.IsObject(text) && json.Valid(text) && takeRaw(&b.Args, text, true)
	case field == "free_input":
		return b.Args == nil && takeRaw(&b.Args, rawjson.Of(KeyInput, raw).Encode(), true)
	default:
		return b.takeText(field, raw)
	}
}

// takeText reads a string into a field, unless it is set. Otherwise, nothing is decoded.
func (b *Block) takeText(field string, raw json.RawMessage) bool {
	isMedia := field == "address" || field == "data" || field == "media"
	target := b.Field(field)
	if field == "audio_format" {
		target = &b.MimeType
	}
	if isMedia && (b.URL != nil || b.Base64 != nil) || !isMedia && *target != nil {
		return false
	}
	text, ok := rawjson.ReadString(raw)
	if !ok {
		return false
	}
	if isMedia {
		b.takeMedia(field, text)
		return true
	}
	if field == "audio_format" {
		text = AudioMime + text
	}
	*target = &text
	return true
}

// KeyInput is the argument that contains the text which a call has in place of arguments.
const KeyInput = "input"

// FreeInput returns the text which a call has in place of arguments.
func (b *Block) FreeInput() (json.RawMessage, bool) {
	args, _ := rawjson.ReadObject(b.Args)
	return args.Get(KeyInput), len(args) == 1 && rawjson.IsString(args.Get(KeyInput))
}

func takeRaw(field *json.RawMessage, raw json.RawMessage, ok bool) bool {
	if !ok || *field != nil {
		return false
	}
	*field = raw
	return true
}

// Field returns the field for a member that is a string.
func (b *Block) Field(field string) **string {
	switch field {
	case "url":
		return &b.URL
	case "base64":
		return &b.Base64
	case "id":
		return &b.ID
	case "mime_type":
		return &b.MimeType
	case "name":
		return &b.Name
	case "tool_call_id":
		return &b.ToolCallID
	case "status":
		return &b.Status
	default:
		return &b.Text
	}
}

// AudioMime begins the media types of audio.
const AudioMime = "audio/"

func (b *Block) takeMedia(field, text string) {
	if field == "address" || strings.HasPrefix(text, "data:") || field == "media" && strings.Contains(text, "://") {
		b.takeURL(text)
	} else {
		b.Base64 = &text
	}
	if field == "data" && b.Base64 == nil {
		b.Base64, b.URL = b.URL, nil
	}
}

// takeURL splits a data URL of the plain form data:<type>;base64,<data>; any other URL is unchanged.
func (b *Block) takeURL(url string) {
	if rest, ok := strings.CutPrefix(url, "data:"); ok {
		mime, data, ok := strings.Cut(rest, ";base64,")
		if ok && mime != "" && !strings.ContainsAny(mime, ";,") && (b.MimeType == nil || *b.MimeType == mime) {
			b.MimeType, b.Base64 = &mime, &data
			return
		}
	}
	b.URL = &url
}

// TakeMembers reads members into fields, given as pairs of names in snake case, and returns the members that it has read, which
// may have the same names in camel case. If two map to one field, the first counts.
func (b *Block) TakeMembers(o rawjson.Object, pairs ...string) []string {
	return b.takeMembers(make([]string, 0, 4), o, pairs) // Inlined: the list is on the caller's stack.
}

func (b *Block) takeMembers(taken []string, o rawjson.Object, pairs []string) []string {
	for i := 0; i < len(pairs); i += 2 {
		if key, value := o.Find(pairs[i]); b.Take(pairs[i+1], value) {
			taken = append(taken, key)
		}
	}
	return taken
}

// TakeWithin reads the members of the object under a key, and returns the key. The others stay together in the extras under that
// key.
func (b *Block) TakeWithin(o rawjson.Object, key string, pairs []string) string {
	key, value := o.Find(key)
	inner, _ := rawjson.ReadObject(value)
	b.Extras.PutObject(key, inner.Rest(b.TakeMembers(inner, pairs...)...))
	return key
}

// KeyType is the extra for the type that a format has for a block, if the normal form has one type for several.
const KeyType = "type"

// Kind returns the type that was kept, or else the usual one.
func (b *Block) Kind(usual string) string {
	if kind, ok := rawjson.ReadString(b.Extras[KeyType]); ok {
		return kind
	}
	return usual
}

// besideKey is the extra for members around a part that have the same names as members of the part.
const besideKey = "beside"

// AddBeside adds the members around a part to its extras. If a name is taken, the members stay together under a separate
// key.
func AddBeside(extras *Extras, rest Extras) {
	if *extras == nil {
		*extras = rest
		return
	}
	for key := range rest {
		if (*extras)[key] != nil {
			beside := besideKey
			for (*extras)[beside] != nil {
				beside += "_"
			}
			extras.PutObject(beside, rest)
			return
		}
	}
	for key, value := range rest {
		extras.Put(key, value)
	}
}

// IsPlainText reports whether a block is a text that a string can represent.
func IsPlainText(b *Block) bool { return b.Type == BlockText && b.Text != nil && len(b.Extras) == 0 }

// IsReasoning reports whether a block is only a text of reasoning.
func IsReasoning(b *Block) bool {
	return b.Type == BlockReasoning && b.Text != nil && len(b.Extras) == 0
}

// IsCall reports whether a block is a call or the result of one.
func IsCall(b *Block) bool {
	return slices.Contains([]string{BlockToolCall, BlockServerToolCall, BlockServerToolResult}, b.Type)
}
