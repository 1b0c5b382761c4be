package message

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

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

func ofType(kind string) rawjson.Object {
	return append(make(rawjson.Object, 0, 6), rawjson.Member{Key: "type", Value: rawjson.Quote(kind)})
}

// isIndex says whether a value is an index that only repeats the position.
func isIndex(raw json.RawMessage, i int) bool { return string(raw) == strconv.Itoa(i) }

// argumentsText returns the arguments as a JSON string.
func argumentsText(b *Block) json.RawMessage {
	if b.Args == nil {
		return nil
	}
	return rawjson.Quote(string(b.Args))
}

// isRefusal says whether a text is a refusal.
func isRefusal(b *Block) bool { return string(b.Extras[keepRefusal]) == "true" }

// mediaPart is the type of a part with media in chat completions, which is also the member with the rest, and its members.
type mediaPart struct {
	kind    string
	members []string
}

var mediaParts = map[string]mediaPart{
	BlockImage: {"image_url", urlMembers}, BlockVideo: {"video_url", urlMembers},
	BlockAudio: {"input_audio", inputAudioMembers}, BlockFile: {"file", fileMembers},
}

// nested returns the extras that become members of the part's object.
func (p mediaPart) nested(b *Block) []string { return nested(b, p.kind, p.members) }

// buildPart writes a part of the content in chat completions.
func buildPart(b *Block) json.RawMessage {
	switch {
	case isRefusal(b):
		return rawjson.Of("type", rawjson.Quote("refusal")).WithText("refusal", b.Text).WithAll(b.Extras.Without("refusal")).Encode()
	case b.Type == BlockText:
		return rawjson.Of("type", rawjson.Quote("text")).WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	}
	var nested rawjson.Object
	switch b.Type {
	case BlockAudio:
		nested = nested.WithText("data", b.Base64)
		if b.MimeType != nil {
			nested = nested.With("format", rawjson.Quote(strings.TrimPrefix(*b.MimeType, audioMime)))
		}
	case BlockFile:
		nested = nested.WithText("file_data", address(b)).WithText("file_id", b.ID)
	default:
		nested = nested.WithText("url", address(b))
	}
	kind := mediaParts[b.Type].kind
	rest, _ := rawjson.ReadObject(b.Extras[kind])
	return rawjson.Of("type", rawjson.Quote(kind)).With(kind, append(nested, rest...).Encode()).WithAll(b.Extras.Without(kind)).Encode()
}

// address returns the URL of media: a data URL if there is no other. Data without a type is returned as it is.
func address(b *Block) *string {
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
