package convert

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// Target is a format to which documents are converted: what it has a place for, and how it is written and read.
type Target struct {
	Format document.Format
	// Written returns the members beside the messages of a document that the format can contain.
	Written func(d *document.Document) []string
	// Shape returns the value of a setting of a request, given in the form of the responses format, in that of this format, and its
	// members for which that has no place; the reason if the value can't be expressed; or nothing if the service does the same
	// without it.
	Shape        func(setting string, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string)
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
	// Has reports whether what was written can be recognized; nil if it always can.
	Has func(src document.Source) bool
}

//go:embed members.txt
var membersText string

// members are the lists of members, by their name in the table, which explains itself.
var members = func() map[string][]string {
	all := map[string][]string{}
	for words := range texttable.Rows(membersText) {
		all[strings.TrimSuffix(words[0], ":")] = words[1:]
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

// Form is how a format writes blocks of one kind, as a part or as an item.
type Form struct {
	// Kind is the type of the part. If it is kept, only blocks that have it as the extra "type" have the form; if a block has another
	// type with the suffix, it keeps that.
	Kind   string
	Kept   bool
	Suffix string
	// Is tells apart the blocks of this form; nil accepts all.
	Is func(m *document.Message, b *document.Block) bool
	// Members are pairs of a member and a field, or what Block.Take reads the member as.
	Members []string
	// Within is the object that contains the members, and Outer are those beside it.
	Within string
	Outer  []string
	// Inner returns members that aren't fields.
	Inner func(b *document.Block) rawjson.Object
	// Extras are the extras that are members, too.
	Extras []string
}

// Forms are those of each type of block, of which the first that fits counts.
type Forms map[string][]Form

// Of returns the form of a block of a message; nil if the format has no place for it.
func (f Forms) Of(m *document.Message, b *document.Block) *Form {
	kind := b.Kind("")
	for i := range f[b.Type] {
		form := &f[b.Type][i]
		if form.Is != nil && !form.Is(m, b) || form.Kept && form.Kind != kind {
			continue
		}
		if form.Suffix != "" && strings.HasSuffix(kind, form.Suffix) {
			of := *form
			of.Kind = kind
			return &of
		}
		if form.Kind != "" {
			return form
		}
	}
	return nil
}

// Forms that chat completions and the responses format share.
var (
	Refusal    = Form{Kind: "refusal", Is: isRefusal, Members: []string{"refusal", "text"}, Extras: []string{part.KeepRefusal}}
	InputAudio = Form{Kind: "input_audio", Within: "input_audio", Members: part.InputAudioMembers}
)

// IsAnswer reports whether a block is one of an assistant's message.
func IsAnswer(m *document.Message, _ *document.Block) bool { return m.Role == document.RoleAssistant }

func isRefusal(_ *document.Message, b *document.Block) bool {
	return string(b.Extras[part.KeepRefusal]) == "true"
}

// known returns the extras of a block that have a place.
func (f *Form) known(b *document.Block) []string {
	known := slices.Clip(f.Extras)
	if f.Within != "" {
		known = append(known, f.Within)
	}
	if b.Kind("") == f.Kind {
		known = append(known, document.KeyType)
	}
	return known
}

// Write writes a block.
func (f *Form) Write(b *document.Block) rawjson.Object {
	inner := withMembers(nil, b, f.Members)
	if f.Inner != nil {
		inner = append(inner, f.Inner(b)...)
	}
	if f.Within == "" {
		return WithRest(append(rawjson.Typed(f.Kind), inner...), b.Extras)
	}
	o := append(withMembers(nil, b, f.Outer), rawjson.Typed(f.Kind)...)
	rest, _ := rawjson.ReadObject(b.Extras[f.Within])
	return WithRest(o.With(f.Within, WithRest(inner, rest.Rest()).Encode()), b.Extras)
}

// WithRest adds the members that an object doesn't have yet.
func WithRest(o rawjson.Object, rest document.Extras) rawjson.Object {
	if len(rest) == 0 {
		return o
	}
	start := len(o)
	for _, m := range rawjson.Object(nil).WithAll(rest) {
		if !o[:start].Has(m.Key) {
			o = append(o, m)
		}
	}
	return o
}

func withMembers(o rawjson.Object, b *document.Block, pairs []string) rawjson.Object {
	for i := 0; i < len(pairs); i += 2 {
		o = o.WithRaw(pairs[i], written(b, pairs[i+1]))
	}
	return o
}

// written returns the value for what Block.Take reads into a field; nil if there is none.
func written(b *document.Block, field string) json.RawMessage {
	var text *string
	switch field {
	case "annotations":
		return b.Annotations
	case "args":
		return b.Args
	case "output":
		return b.Output
	case "input":
		if b.Args == nil {
			return nil
		}
		return rawjson.Quote(string(b.Args))
	case "free_input":
		input, _ := b.FreeInput()
		return input
	case "data":
		text = dataURL(b)
	case "address":
		if text = dataURL(b); text == nil || b.MimeType == nil && b.URL != nil {
			text = b.URL
		}
	case "audio_format":
		if text = b.MimeType; text != nil {
			format := strings.TrimPrefix(*text, document.AudioMime)
			text = &format
		}
	default:
		text = *b.Field(field)
	}
	if text == nil {
		return nil
	}
	return rawjson.Quote(*text)
}

// dataURL returns data as a URL if they have a type, and otherwise as they are.
func dataURL(b *document.Block) *string {
	if b.Base64 == nil || b.MimeType == nil {
		return b.Base64
	}
	url := "data:" + *b.MimeType + ";base64," + *b.Base64
	return &url
}
