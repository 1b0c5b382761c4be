package message

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// losses collects what a builder can't write.
type losses struct {
	// document is the document being written, with the original locations of its parts.
	document *prepared
	listed   []Loss
	more     int
}

// add notes a loss. The parts of the pointer are keys and indices in the document being written.
func (l *losses) add(reason string, parts ...any) {
	if len(l.listed) == maxListed {
		l.more++
		return
	}
	l.listed = append(l.listed, Loss{Pointer: rawjson.Pointer(l.document.place(parts)...), Reason: reason})
}

// addExtras notes every extra except those under keys that the builder has written. A null, an empty list or an empty
// object is not a loss: a format without the field says the same.
func (l *losses) addExtras(extras Extras, written []string, parts ...any) {
	keys := make([]string, 0, len(extras))
	for key, value := range extras {
		if !slices.Contains(written, key) && !rawjson.IsVoid(value) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		l.add("", append(slices.Clone(parts), "extras", key)...)
	}
}

// err returns the error: nil if nothing would be lost.
func (l *losses) err(to Format) error {
	if len(l.listed) == 0 {
		return nil
	}
	return &LossError{From: l.document.Format, To: to, Losses: l.listed, More: l.more}
}

// addAlternatives notes that a format can contain only one answer, without alternatives.
func (l *losses) addAlternatives() {
	for i := 1; i < len(l.document.Messages) && l.document.alternatives; i++ {
		l.add("an answer is a single message, but this is an alternative", "messages", i)
	}
}

// addField notes the loss of a field if it has a value.
func (l *losses) addField(present bool, reason string, at []any) {
	if present {
		l.add(reason, at...)
	}
}

// addAudio notes what a part with audio can't express, which chat completions and the responses format share.
func (l *losses) addAudio(b *Block, at []any) {
	at = slices.Clip(at)
	l.addField(b.ID != nil, "such a part can't have an ID", append(at, "id"))
	l.addField(b.URL != nil, "such a part can have data, but no URL", append(at, "url"))
	l.addField(b.MimeType != nil && !strings.HasPrefix(*b.MimeType, audioMime), "mime_type must be an audio type", append(at, "mime_type"))
	l.addExtras(b.Extras, mediaParts[BlockAudio].nested(b), at...)
}

// nested returns the key of the extras that become members of a part's or call's object, if they are an object and don't
// duplicate the block's own fields.
func nested(b *Block, key string, members []string) []string {
	inner, ok := rawjson.ReadObject(b.Extras[key])
	var read Block
	if !ok || len(read.takeMembers(inner, members...)) > 0 {
		return nil
	}
	return []string{key}
}

// plainMime says whether a type can be read back from a data URL.
func plainMime(mime string) bool { return mime != "" && !strings.ContainsAny(mime, ";,") }
