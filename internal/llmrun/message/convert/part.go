package convert

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// StopReasons maps the messages format's reasons for the end of an answer to those of chat completions.
var StopReasons = map[string]string{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter"}

// OfType returns an object that so far has only its type.
func OfType(kind string) rawjson.Object {
	return append(make(rawjson.Object, 0, 6), rawjson.Member{Key: "type", Value: rawjson.Quote(kind)})
}

// ArgumentsText returns the arguments as a JSON string.
func ArgumentsText(b *document.Block) json.RawMessage {
	if b.Args == nil {
		return nil
	}
	return rawjson.Quote(string(b.Args))
}

// IsRefusal says whether a text is a refusal.
func IsRefusal(b *document.Block) bool { return string(b.Extras[part.KeepRefusal]) == "true" }

// MediaParts are the types of parts with media in chat completions, by the type of their block. The type is also the member with the
// rest.
var MediaParts = map[string]string{
	document.BlockImage: "image_url", document.BlockVideo: "video_url", document.BlockAudio: "input_audio", document.BlockFile: "file",
}

// WritePart writes a part of the content in chat completions.
func WritePart(b *document.Block) json.RawMessage {
	switch {
	case IsRefusal(b):
		return OfType("refusal").WithText("refusal", b.Text).WithAll(b.Extras.Without("refusal")).Encode()
	case b.Type == document.BlockText:
		return OfType("text").WithText("text", b.Text).WithAll(b.Extras).Encode()
	}
	var nested rawjson.Object
	switch b.Type {
	case document.BlockAudio:
		nested = nested.WithText("data", b.Base64)
		if b.MimeType != nil {
			nested = nested.With("format", rawjson.Quote(strings.TrimPrefix(*b.MimeType, document.AudioMime)))
		}
	case document.BlockFile:
		nested = nested.WithText("file_data", DataURL(b)).WithText("file_id", b.ID)
	default:
		nested = nested.WithText("url", Address(b))
	}
	kind := MediaParts[b.Type]
	return OfType(kind).With(kind, WithRest(nested, b.Extras[kind])).WithAll(b.Extras.Without(kind)).Encode()
}

// WithRest encodes an object with the members of another one that it doesn't have.
func WithRest(o rawjson.Object, raw json.RawMessage) json.RawMessage {
	rest, _ := rawjson.ReadObject(raw)
	for _, m := range rest {
		if !o.Has(m.Key) {
			o = append(o, m)
		}
	}
	return o.Encode()
}

// Address returns the URL of media: a data URL if they have data with a type.
func Address(b *document.Block) *string {
	if b.MimeType == nil && b.URL != nil {
		return b.URL
	}
	return cmp.Or(DataURL(b), b.URL)
}

// DataURL returns data as a URL if they have a type, and otherwise as they are.
func DataURL(b *document.Block) *string {
	if b.Base64 == nil || b.MimeType == nil {
		return b.Base64
	}
	url := "data:" + *b.MimeType + ";base64," + *b.Base64
	return &url
}
