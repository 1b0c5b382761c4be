package convert

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// Target is a format to which documents are converted: what it has a place for, and how it is written and read.
type Target struct {
	Format document.Format
	// Written returns the members beside the messages of a document that the format can contain.
	Written      func(d *document.Document) []string
	Request      Request
	Alternatives bool // an answer can have alternatives
	// Roles are the roles of messages, and First is the one of them that only the first message can have.
	Roles []string
	First string
	// Extras returns the extras that the format has for a message.
	Extras func(p *Prepared, m *document.Message) []string
	// Form returns how the format writes a block of a message; nil if it has no place for it.
	Form func(m *document.Message, b *document.Block) *Form
	// Prepare moves what the format has elsewhere, such as why an answer ended, and Reasoning then moves reasoning.
	Prepare, Reasoning func(p *Prepared)
	// Write writes the messages, and the members beside them. What it can't express is what Read doesn't read back.
	Write func(p *Prepared, rest document.Extras) []byte
	Read  func(src document.Source) (*document.Document, bool)
	// Has says whether what was written can be recognized; nil if it always can.
	Has func(src document.Source) bool
}

//go:embed members.txt
var membersText string

// members are the lists of members, by their name in the table, which explains itself.
var members = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(membersText, "\n    ", " ")) {
		if name, keys, ok := strings.Cut(line, ": "); ok && name[0] != '#' {
			all[name] = strings.Fields(keys)
		}
	}
	return all
}()

// Convert writes a document of another format. What is not content and has no place is dropped; the error is a
// *document.LossError if anything else has no place, unless the conversion may be lossy.
func (t *Target) Convert(d *document.Document, lossy bool) (built []byte, dropped []string, err error) {
	p := Prepare(d, t)
	p.keepRoles()
	built, read := p.write()
	for changed := true; changed; {
		if !p.fits(read) {
			p.keepFitting()
			built, read = p.write()
		}
		if changed = p.keepEqual(read); changed {
			built, read = p.write()
		}
	}
	if t.Has != nil && len(p.Messages) == 0 && len(p.omitted) == 0 && !lossy && !t.Has(document.NewSource(built, d.Side)) {
		p.lose("without messages, the format can't be recognized", "messages")
	}
	slices.SortStableFunc(p.omitted, omission.compare)
	if err := p.err(); err != nil && !lossy {
		return nil, nil, err
	}
	for _, o := range p.omitted {
		dropped = append(dropped, o.Pointer)
	}
	return built, dropped, nil
}

// WrittenKeys returns for Target.Written the members beside the messages that a format can contain: all of its own if they come from the
// normal form, and otherwise those that mean the same in all formats.
func WrittenKeys(to document.Format) func(*document.Document) []string {
	return func(d *document.Document) []string {
		if d.Format == document.FormatNative {
			return slices.Concat(members[string(to)], members["shared"])
		}
		return members["shared"]
	}
}

// write writes what is left of the document, and reads it back.
func (p *Prepared) write() ([]byte, *document.Document) {
	built := p.to.Write(p, maps.Clone(p.Extras))
	read, ok := p.to.Read(document.NewSource(built, p.Side))
	if !ok {
		read = &document.Document{}
	}
	return built, read
}
