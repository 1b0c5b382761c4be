package convert

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// isFinishReason says whether the messages format has an equivalent for the reason why an answer of chat completions ended.
func isFinishReason(reason string) bool {
	for _, finish := range StopReasons {
		if finish == reason {
			return true
		}
	}
	return false
}

// StopReasons maps the messages format's reasons for the end of an answer to those of chat completions.
var StopReasons = map[string]string{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}

// OfType returns an object that so far has only its type.
func OfType(kind string) rawjson.Object {
	return append(make(rawjson.Object, 0, 6), rawjson.Member{Key: "type", Value: rawjson.Quote(kind)})
}

// IsIndex says whether a value is an index that only repeats the position.
func IsIndex(raw json.RawMessage, i int) bool { return string(raw) == strconv.Itoa(i) }

// ArgumentsText returns the arguments as a JSON string.
func ArgumentsText(b *document.Block) json.RawMessage {
	if b.Args == nil {
		return nil
	}
	return rawjson.Quote(string(b.Args))
}

// IsRefusal says whether a text is a refusal.
func IsRefusal(b *document.Block) bool { return string(b.Extras[part.KeepRefusal]) == "true" }

// mediaPart is the type of a part with media in chat completions, which is also the member with the rest, and its members.
type mediaPart struct {
	kind    string
	members []string
}

// MediaParts are the parts with media by the type of their block.
var MediaParts = map[string]mediaPart{
	document.BlockImage: {"image_url", part.URLMembers}, document.BlockVideo: {"video_url", part.URLMembers},
	document.BlockAudio: {"input_audio", part.InputAudioMembers}, document.BlockFile: {"file", part.FileMembers},
}

// Nested returns the extras that become members of the part's object.
func (p mediaPart) Nested(b *document.Block) []string { return Nested(b, p.kind, p.members) }

// WritePart writes a part of the content in chat completions.
func WritePart(b *document.Block) json.RawMessage {
	switch {
	case IsRefusal(b):
		return rawjson.Of("type", rawjson.Quote("refusal")).WithText("refusal", b.Text).WithAll(b.Extras.Without("refusal")).Encode()
	case b.Type == document.BlockText:
		return rawjson.Of("type", rawjson.Quote("text")).WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	}
	var nested rawjson.Object
	switch b.Type {
	case document.BlockAudio:
		nested = nested.WithText("data", b.Base64)
		if b.MimeType != nil {
			nested = nested.With("format", rawjson.Quote(strings.TrimPrefix(*b.MimeType, document.AudioMime)))
		}
	case document.BlockFile:
		nested = nested.WithText("file_data", Address(b)).WithText("file_id", b.ID)
	default:
		nested = nested.WithText("url", Address(b))
	}
	kind := MediaParts[b.Type].kind
	rest, _ := rawjson.ReadObject(b.Extras[kind])
	return rawjson.Of("type", rawjson.Quote(kind)).With(kind, append(nested, rest...).Encode()).WithAll(b.Extras.Without(kind)).Encode()
}

// Address returns the URL of media: a data URL if there is no other. Data without a type is returned as it is.
func Address(b *document.Block) *string {
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
