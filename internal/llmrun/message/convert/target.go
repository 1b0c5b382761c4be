package convert

import (
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// Target is a format to which documents are converted: what it has a place for, and how it is written and read.
type Target struct {
	Format document.Format
	// Written returns the members beside the messages of a document that the format can contain.
	Written func(d *document.Document) []string
	Request Request
	// Choices says whether a document keeps the other members of the choices that contained its messages, Reason that it
	// keeps only the reason for the end of the answer.
	Choices func(d *document.Document) bool
	Reason  bool
	// Items says that messages have IDs and a status, Names that the answers of tools have names.
	Items, Names bool
	// Roles are the roles of messages, and First is the one of them that only the first message can have.
	Roles []string
	First string
	// Block returns the extras of a block that are lost, and not only data about it, where the format has no place for them.
	Block func(b *document.Block) []string
	// Extras returns the extras that the format has for a message or, if it isn't nil, for a block of it. It returns false for a block
	// for which the format has no place.
	Extras func(m *document.Message, b *document.Block) ([]string, bool)
	// Prepare moves what the format has elsewhere, such as reasoning.
	Prepare func(p *Prepared)
	// Write writes the messages, and the members beside them. What it can't express is what Read doesn't read back.
	Write func(p *Prepared, rest document.Extras) []byte
	Read  func(src document.Source) (*document.Document, bool)
	// Has says whether what was written can be recognized; nil if it always can.
	Has func(src document.Source) bool
}

// sharedKeys have the same meaning in the formats of all providers.
var sharedKeys = []string{"id", "model", "temperature", "top_p", "stream", "usage_metadata"}

// Convert writes a document of another format. What is not content and has no place is dropped; the error is a
// *document.LossError if anything else has no place, unless the conversion may be lossy.
func (t *Target) Convert(d *document.Document, lossy bool) (built []byte, dropped []string, err error) {
	w := &writing{Prepared: Prepare(d, t), to: t}
	w.keepKnown()
	built, read := w.write()
	if !w.fits(read) {
		w.keepFitting()
		built, read = w.write()
	}
	for w.keepEqual(read) {
		built, read = w.write()
	}
	if t.Has != nil && len(w.Messages) == 0 && len(w.lost) == 0 && !lossy && !t.Has(document.NewSource(built, d.Side)) {
		w.lose("without messages, the format can't be recognized", "messages")
	}
	slices.SortStableFunc(w.lost, loss.compare)
	if len(w.lost) > 0 && !lossy {
		return nil, nil, w.err()
	}
	for _, l := range w.lost {
		w.dropped = append(w.dropped, l.Pointer)
	}
	return built, append(w.dropped, w.emptied...), nil
}

// WrittenKeys returns the members beside the messages that a format can contain: all of its own if they come from the normal
// form, and otherwise those that mean the same in all formats.
func WrittenKeys(d *document.Document, own []string) []string {
	if d.Format == document.FormatNative {
		return slices.Concat(own, sharedKeys)
	}
	return sharedKeys
}

// write writes what is left of the document, and reads it back.
func (w *writing) write() ([]byte, *document.Document) {
	built := w.to.Write(w.Prepared, maps.Clone(w.Extras))
	read, ok := w.to.Read(document.NewSource(built, w.Side))
	if !ok {
		read = &document.Document{}
	}
	return built, read
}
