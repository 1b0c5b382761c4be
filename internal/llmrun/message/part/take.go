package part

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// takers read what the table of forms can't express, and return the members that they have read.
var takers = map[string]func(*document.Block, rawjson.Object) []string{
	"source": TakeSource, "nested": takeNested, "modality": takeModality, "name": takeName, "status": takeStatus,
	"image": takeFormat("image/"), "audio": takeFormat(document.AudioMime), "video": takeFormat("video/"),
	"document": takeFormat("application/"),
}

// joined reads the texts of a list of {"type","text"}. A list with anything else stays in the extras as well.
func joined(key, kind, separator string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) []string {
		list, ok := rawjson.ReadArray(o.Get(key))
		texts := make([]string, 0, len(list))
		for _, part := range rawjson.Objects(list) {
			text, isText := part.Text("text")
			of, typed := part.Text("type")
			if isText && (of == kind || !typed) {
				texts = append(texts, text)
			}
			ok = ok && (len(part) == 1 || typed && len(part) == 2)
		}
		if ok || len(texts) > 0 {
			all := strings.Join(texts, separator)
			b.Text = &all
		}
		if !ok || len(texts) < len(list) {
			return nil
		}
		return []string{key}
	}
}

// takeModality reads the kind of media, which otherwise follows from the media type.
func takeModality(b *document.Block, o rawjson.Object) []string {
	modality, _ := o.Text("modality")
	if slices.Contains([]string{document.BlockImage, document.BlockAudio, document.BlockVideo}, modality) {
		b.Type = modality
	}
	return []string{"modality"}
}

// takeFormat reads {"format","source":{"bytes"}, {"text"} or {"s3Location":{"uri"}}}.
func takeFormat(family string) func(*document.Block, rawjson.Object) []string {
	return func(b *document.Block, o rawjson.Object) []string {
		taken := make([]string, 0, 2)
		if format, ok := o.Text("format"); ok {
			mime := family + format
			b.MimeType, taken = &mime, append(taken, "format")
		}
		source, _ := rawjson.ReadObject(o.Get("source"))
		location, _ := rawjson.ReadObject(source.Get("s3Location"))
		if len(source) == 1 && (b.Take("base64", source.Get("bytes")) || len(location) == 1 && b.Take("url", location.Get("uri")) || b.Take("text", source.Get("text"))) {
			taken = append(taken, "source")
		}
		return taken
	}
}

// takeName names a call that has no name after the type of its item.
func takeName(b *document.Block, o rawjson.Object) []string {
	kind, _ := o.Text("type")
	b.Take("name", rawjson.Quote(strings.TrimSuffix(kind, SuffixCall)))
	return nil
}

// takeStatus sets the status of a server tool's result: error if its content has an error type, or a flag is set.
func takeStatus(b *document.Block, o rawjson.Object) []string {
	content, _ := rawjson.ReadObject(b.Output)
	kind, _ := content.Text("type")
	status := "success"
	if strings.HasSuffix(kind, "_error") || string(o.Get("is_error")) == "true" {
		status = "error"
	}
	b.Status = &status
	return nil
}

// nestedMedia are the members with media that are an object.
var nestedMedia = []string{"data", "fileId", "providerReference", document.BlockImage, document.BlockAudio, document.BlockVideo, document.BlockFile}

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
		b.Extras.PutObject("source", source.Rest(taken...))
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
