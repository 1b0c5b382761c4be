package convert

import (
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// Target is a format to which documents are converted: what it has a place for, and how it is written.
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
	// Block returns the extras that a block keeps although they aren't content.
	Block func(b *document.Block) []string
	// Reasoning moves reasoning to where the format has it.
	Reasoning func(p *Prepared)
	// Lose notes what the format can't express of the messages. It may change the members beside them.
	Lose func(p *Prepared, lost *Losses, rest *document.Extras)
	// Write writes the messages, and the members beside them.
	Write func(p *Prepared, rest document.Extras) []byte
}

// sharedKeys have the same meaning in the formats of all providers.
var sharedKeys = []string{"id", "model", "temperature", "top_p", "stream", "usage_metadata"}

// Convert writes a document of another format. What is not content and has no place is dropped; the error is a
// *document.LossError if anything else has no place, unless the conversion may be lossy.
func (t *Target) Convert(d *document.Document, lossy bool) (built []byte, dropped []string, err error) {
	p := Prepare(d, t)
	for lost := (Losses{document: p, listed: p.lost}); ; lost.listed = nil {
		written := slices.Concat(t.Written(&p.Document), slices.Collect(maps.Keys(p.settings)))
		lost.AddExtras(p.Extras, written)
		var rest document.Extras
		for key, value := range p.Extras {
			if slices.Contains(written, key) {
				rest.Put(key, value)
			}
		}
		t.Lose(p, &lost, &rest)
		if len(lost.listed) > 0 && !lossy {
			return nil, nil, lost.err(t.Format)
		}
		if !p.remove(lost.listed) {
			return t.Write(p, rest), p.dropped, nil
		}
	}
}

// WrittenKeys returns the members beside the messages that a format can contain: all of its own if they come from the normal
// form, and otherwise those that mean the same in all formats.
func WrittenKeys(d *document.Document, own []string) []string {
	if d.Format == document.FormatNative {
		return slices.Concat(own, sharedKeys)
	}
	return sharedKeys
}
