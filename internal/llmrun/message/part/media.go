package part

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// mediaMembers are the members of media in any form but that of the normal form. The ID of a file counts before that of the part.
var mediaMembers = []string{
	"data", "media", "base64", "base64", "blob", "base64", "content", "base64", "url", "address", "uri", "url", "file_uri", "url",
	"image", "media", "audio", "media", "video", "media", "file", "media", "text", "text", "transcript", "text", "file_id", "id", "id", "id",
	"mime_type", "mime_type", "media_type", "mime_type",
	"image_mimetype", "mime_type", "audio_mimetype", "mime_type", "video_mimetype", "mime_type", "document_mimetype", "mime_type",
}

// nestedMedia are the members with media that are an object.
var nestedMedia = []string{"data", document.BlockImage, document.BlockAudio, document.BlockVideo, document.BlockFile}

// takeNested reads media that are an object: {"type":"url","url"}, or {"<provider>":"<ID>"}, which stays in the extras as well. The
// type of a source follows from the member with the data.
func takeNested(b *document.Block, o rawjson.Object) []string {
	var taken []string
	for _, key := range nestedMedia {
		inner, ok := rawjson.ReadObject(o.Get(key))
		if !ok {
			continue
		}
		taken = append(taken, b.TakeWithin(o, key, mediaMembers))
		if reference, ok := rawjson.ReadObject(inner.Get("reference")); ok {
			inner = reference
		}
		if len(inner) == 1 && rawjson.IsString(inner[0].Value) && b.Base64 == nil && b.URL == nil && b.Text == nil {
			b.Take("id", inner[0].Value)
		}
	}
	if kind, _ := o.Text("source_type"); slices.Contains([]string{"base64", "url", "id", "text"}, kind) {
		taken = append(taken, "source_type")
	}
	return taken
}

// The members with media in the parts of chat completions.
var (
	FileMembers       = []string{"file_data", "data", "file_id", "id"}
	URLMembers        = []string{"url", "address"}
	InputAudioMembers = []string{"data", "base64", "format", "audio_format"}
)

// sourceKind is a type of a source: the member with the data, and its field.
type sourceKind struct{ Kind, Key, Field string }

// Sources are the types of sources. A source of another type is kept whole in the extras.
var Sources = []sourceKind{
	{"base64", "data", "base64"},
	{"url", "url", "url"},
	{"file", "file_id", "id"},
	{"text", "data", "text"},
}

// TakeSource reads {"source":{"type","media_type","data"}}.
func TakeSource(b *document.Block, o rawjson.Object) []string {
	raw := o.Get("source")
	source, _ := rawjson.ReadObject(raw)
	kind, _ := source.Text("type")
	for _, s := range Sources {
		if s.Kind != kind || !b.Take(s.Field, source.Get(s.Key)) {
			continue
		}
		taken := []string{"type", s.Key}
		if (s.Field == "base64" || s.Field == "text") && b.Take("mime_type", source.Get("media_type")) {
			taken = append(taken, "media_type")
		}
		if rest := source.Rest(taken...); rest != nil {
			b.Extras.Put("source", rawjson.Object(nil).WithAll(rest).Encode())
		}
		return []string{"source"}
	}
	if raw != nil {
		b.Extras.Put("source", raw)
	}
	if kind == KindContent && !b.Take("text", source.Get(KindContent)) {
		joined(KindContent, document.BlockText, "\n")(b, source)
	}
	return []string{"source"}
}

// mediaOf returns the block type for a media type.
func mediaOf(mime *string) string {
	if mime == nil {
		return document.BlockFile
	}
	switch family, _, _ := strings.Cut(*mime, "/"); family {
	case document.BlockImage, document.BlockAudio, document.BlockVideo:
		return family
	default:
		return document.BlockFile
	}
}
