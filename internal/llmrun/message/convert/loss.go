package convert

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Losses collects what a builder can't write.
type Losses struct {
	// document is the document being written, with the original locations of its parts.
	document *Prepared
	listed   []loss
}

// loss is a value that can't be written, and its location in the document being written; nil if it is removed already.
type loss struct {
	document.Loss
	at []any
}

// Add notes a loss. The parts of the pointer are keys and indices in the document being written.
func (l *Losses) Add(reason string, parts ...any) {
	l.listed = append(l.listed, loss{document.Loss{Pointer: rawjson.Pointer(l.document.place(parts)...), Reason: reason}, slices.Clone(parts)})
}

// AddExtras notes every extra except those under keys that the builder has written. A null, an empty list or an empty
// object is not a loss: a format without the field says the same.
func (l *Losses) AddExtras(extras document.Extras, written []string, parts ...any) {
	keys := make([]string, 0, len(extras))
	for key, value := range extras {
		if !slices.Contains(written, key) && !rawjson.IsVoid(value) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		l.Add("", append(slices.Clone(parts), "extras", key)...)
	}
}

// err returns the error, which lists the first losses.
func (l *Losses) err(to document.Format) error {
	lost := &document.LossError{From: l.document.Format, To: to, More: max(0, len(l.listed)-document.MaxListed)}
	for _, loss := range l.listed[:len(l.listed)-lost.More] {
		lost.Losses = append(lost.Losses, loss.Loss)
	}
	return lost
}

// AddAlternatives notes that a format can contain only one answer, without alternatives.
func (l *Losses) AddAlternatives() {
	for i := 1; i < len(l.document.Messages) && l.document.Alternatives; i++ {
		l.Add("an answer is a single message, but this is an alternative", "messages", i)
	}
}

// AddField notes the loss of a field if it has a value.
func (l *Losses) AddField(present bool, reason string, at []any) {
	if present {
		l.Add(reason, at...)
	}
}

// AddImage notes what a part with an image or a video, which has a URL or a data URL, can't express.
func (l *Losses) AddImage(b *document.Block, at []any) {
	l.AddField(b.URL != nil && b.Base64 != nil, "the part can have either a URL or data", append(at, "url"))
	l.AddField(b.MimeType != nil && b.Base64 == nil, "a URL can't have a media type", append(at, "mime_type"))
	l.AddField(b.Base64 != nil && !hasPlainMime(b), "data requires a mime_type without parameters", append(at, "base64"))
}

// AddFile notes what a part with a file, whose data is a data URL if it has a type, can't express.
func (l *Losses) AddFile(b *document.Block, at []any) {
	l.AddField(b.Base64 != nil && strings.HasPrefix(*b.Base64, "data:"), "the data must not be a data URL", append(at, "base64"))
	l.AddField(b.MimeType != nil && (b.Base64 == nil || !hasPlainMime(b)), "mime_type requires data, and no parameters", append(at, "mime_type"))
}

// AddAudio notes what a part with audio can't express, which chat completions and the responses format share.
func (l *Losses) AddAudio(b *document.Block, at []any) {
	at = slices.Clip(at)
	l.AddField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
	l.AddField(b.URL != nil, "such a part can have data, but no URL", append(at, "url"))
	l.AddField(b.MimeType != nil && !strings.HasPrefix(*b.MimeType, document.AudioMime), "mime_type must be an audio type", append(at, "mime_type"))
	l.AddExtras(b.Extras, MediaParts[document.BlockAudio].Nested(b), at...)
}

// Nested returns the key of the extras that become members of a part's or call's object, if they are an object and don't
// duplicate the block's own fields. The members are pairs of a name and a field.
func Nested(b *document.Block, key string, members []string) []string {
	inner, ok := rawjson.ReadObject(b.Extras[key])
	var read document.Block
	if !ok || len(read.TakeMembers(inner, members...)) > 0 {
		return nil
	}
	own := *b
	for i := 0; i < len(members); i += 2 {
		field := members[i+1]
		isFree := own.Take(field, json.RawMessage(`""`)) || own.Take(field, json.RawMessage(`{}`))
		if inner.Has(members[i]) && !isFree {
			return nil // The block's own value is written under that name.
		}
	}
	return []string{key}
}

// hasPlainMime says whether a block has a media type that can be read back from a data URL.
func hasPlainMime(b *document.Block) bool {
	return b.MimeType != nil && *b.MimeType != "" && !strings.ContainsAny(*b.MimeType, ";,")
}
