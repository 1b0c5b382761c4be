package convert

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

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
