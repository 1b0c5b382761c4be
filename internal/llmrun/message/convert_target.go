package message

import "slices"

// target is a format to which documents are converted: what it has a place for, and how it is written.
type target struct {
	format Format
	// written returns the members beside the messages of a document that the format can contain.
	written func(d *Document) []string
	// choices says whether a document keeps the other members of the choices that contained its messages, reason that it
	// keeps only the reason for the end of the answer.
	choices func(d *Document) bool
	reason  bool
	// items says that messages have IDs and a status, names that the answers of tools have names.
	items, names bool
	// block returns the extras that a block keeps although they aren't content.
	block func(b *Block) []string
	// reasoning moves reasoning to where the format has it.
	reasoning func(p *prepared)
	// lose notes what the format can't express of the messages. It may change the members beside them.
	lose func(p *prepared, lost *losses, rest *Extras)
	// write writes the messages, and the members beside them.
	write func(p *prepared, rest Extras) []byte
}

// sharedKeys have the same meaning in the formats of all providers.
var sharedKeys = []string{"id", "model", "temperature", "top_p", "stream", "max_tokens", "usage_metadata"}

// convert writes a document of another format. What is not content and has no place is dropped; the error is a *LossError if
// that is not all.
func (t *target) convert(d *Document) (built []byte, dropped []string, err error) {
	p := prepare(d, t)
	lost := losses{document: p}
	written := t.written(&p.Document)
	lost.addExtras(p.Extras, written)
	var rest Extras
	for key, value := range p.Extras {
		if slices.Contains(written, key) {
			rest.Put(key, value)
		}
	}
	t.lose(p, &lost, &rest)
	if err := lost.err(t.format); err != nil {
		return nil, nil, err
	}
	return t.write(p, rest), p.dropped, nil
}

// writtenKeys returns the members beside the messages that a format can contain: all of its own if they come from the normal
// form, and otherwise those that mean the same in all formats.
func writtenKeys(d *Document, own, shared []string) []string {
	if d.Format == FormatNative {
		return append(slices.Clone(own), shared...)
	}
	return shared
}
