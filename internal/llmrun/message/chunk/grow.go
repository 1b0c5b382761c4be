package chunk

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// named are the members that name something, as those do that end in _id or Id. In pieces of the same thing they are
// repeated, not continued.
var named = []string{"id", "type", "role", "name", "object", "model", "status", "format"}

func isNamed(key string) bool {
	return slices.Contains(named, key) || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Id")
}

// Grow adds a piece to the value of a member. Strings are joined, lists are joined, and objects are joined member by member. A
// value that meets another kind becomes a list of parts in which a string is {"type":"text","text":…}. Nothing is lost but what
// says nothing: null and empty values. A number or boolean is a state, so the last one counts.
func (p *Partial) Grow(key string, piece json.RawMessage) {
	if m := p.Key(key); m != nil {
		m.grow(key, piece)
	}
}

func (p *Partial) grow(key string, piece json.RawMessage) {
	piece = bytes.TrimSpace(piece)
	before, kind := p.kind(), kindOf(piece)
	switch {
	case kind == none:
	case before == none, before == void && (kind != void || p.inner == nil && rawjson.IsNull(p.value)):
		*p = Partial{value: piece}
	case kind == void, kind == str && len(piece) == 2:
	case kind == before && (kind == scalar || kind == str && isNamed(key)):
		*p = Partial{value: piece}
	case before == str && kind == str:
		p.openText()
		p.value = append(p.value, piece[1:len(piece)-1]...)
	case before == object && kind == object:
		o, _ := rawjson.ReadObject(piece)
		p.GrowAll(o)
	default:
		p.openList()
		p.extend(asParts(piece, kind))
	}
}

// GrowText adds to a text, or sets a value if there is none yet; it says whether it could.
func (p *Partial) GrowText(piece json.RawMessage) bool {
	ok := p.kind() == none || p.kind() == str && kindOf(piece) == str
	if ok {
		p.grow("", piece)
	}
	return ok
}

// GrowAll grows each member of an object but some.
func (p *Partial) GrowAll(o rawjson.Object, but ...string) {
	for _, m := range o {
		if !slices.Contains(but, m.Key) {
			p.Grow(m.Key, m.Value)
		}
	}
}

// openText makes a string grow.
func (p *Partial) openText() {
	if !p.isText {
		value := bytes.TrimSpace(p.value)
		*p = Partial{value: slices.Clone(value[1 : len(value)-1]), isText: true, isData: p.isData}
	}
}

// GrowArguments adds a piece of the text of a call's arguments, which are an object in the answer.
func (p *Partial) GrowArguments(piece json.RawMessage) {
	isNew := p.kind() <= void || p.inner == nil && !p.isText && (rawjson.IsVoid(p.value) || string(p.value) == `""`)
	if isNew && kindOf(piece) == str {
		*p = Partial{isText: true, isArguments: true}
	}
	p.grow("", piece)
}

// GrowData joins data in base64, each piece of which may end with padding.
func (p *Partial) GrowData(piece json.RawMessage) {
	switch {
	case piece == nil:
		return
	case kindOf(piece) != str:
		p.openList() // Bytes that a client logged as an object.
		p.append([]json.RawMessage{piece})
		return
	case p.kind() != str:
		p.grow("", piece)
		p.isData = true
		return
	}
	p.openText()
	if rest, ok := bytes.CutSuffix(p.value, []byte("=")); ok && len(p.value)%4 == 0 {
		// The last four characters have one or two bytes, to which those of the piece are added.
		start := len(p.value) - 4
		added, _ := rawjson.ReadString(piece)
		tail, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(rest[start:], "=")))
		data, failed := base64.StdEncoding.DecodeString(added)
		if err == nil && failed == nil {
			p.value = base64.StdEncoding.AppendEncode(p.value[:start], append(tail, data...))
			return
		}
	}
	p.grow("", piece)
}

// Extend adds a value to the list of a member; a value of another kind becomes the first one.
func (p *Partial) Extend(key string, value json.RawMessage) {
	p.Key(key).openList()
	p.Key(key).append([]json.RawMessage{value})
}

// asParts returns the parts of a value: those of a list, a part for a string, nothing for an empty one, or the value.
func asParts(value json.RawMessage, kind kind) []json.RawMessage {
	switch kind {
	case list:
		values, _ := rawjson.ReadArray(value)
		return values
	case str:
		if len(bytes.TrimSpace(value)) == 2 {
			return nil
		}
		return []json.RawMessage{rawjson.Typed("text").With("text", value).Encode()}
	default:
		return []json.RawMessage{value}
	}
}

// continued has the members that grow in parts of a type; a part may have none. Parts of other types arrive whole.
var continued = map[string]string{
	"": "text", "text": "text", "output_text": "text", "input_text": "text", "reasoning.text": "text",
	"reasoning.summary": "summary", "thinking": "thinking", "audio": "data",
}

// signatures are the members that end a text or a thought.
var signatures = []string{"signature", "thoughtSignature", "thought_signature"}

// extend appends parts to a list. The first one may continue the last part before it.
func (p *Partial) extend(values []json.RawMessage) {
	if last := p.inner.elements[p.inner.end-1]; last != nil && len(values) > 0 && last.continueBy(values[0]) {
		values = values[1:]
	}
	p.append(values)
}

// continueBy adds a part to this one if it has the same type and says nothing else about it.
func (p *Partial) continueBy(raw json.RawMessage) bool {
	next, _ := rawjson.ReadObject(raw)
	name, _ := next.Text("type")
	grows, known := continued[name]
	if !known || !next.Has(grows) || p.kind() != object || !p.Has(grows) {
		return false
	}
	before, _ := rawjson.ReadString(p.Get("type"))
	isSigned := slices.ContainsFunc(signatures, func(key string) bool { return p.Has(key) && p.Key(key).kind() == str })
	isThought := string(next.Get("thought")) == "true"
	if before != name || isSigned || isThought != (string(p.Get("thought")) == "true") {
		return false
	}
	for _, m := range next {
		if m.Key != grows && differ(p.Get(m.Key), m.Value) {
			return false
		}
	}
	for _, m := range next {
		switch m.Key {
		case "data":
			p.Key(m.Key).GrowData(m.Value)
		case grows:
			p.Grow(m.Key, m.Value)
		default:
			p.Set(m.Key, m.Value)
		}
	}
	return true
}

// differ reports whether a part has another value than the one that continues it. What comes with a later piece, such as a
// signature or that the part is complete, belongs to the same part.
func differ(last, next json.RawMessage) bool {
	return last != nil && kindOf(last) != void && !slices.Contains([]string{"null", "true"}, string(bytes.TrimSpace(next))) &&
		!bytes.Equal(bytes.TrimSpace(last), bytes.TrimSpace(next))
}

// arguments returns the arguments of a call from their text. Text that is broken off stays a string.
func arguments(text json.RawMessage) json.RawMessage {
	switch decoded, _ := rawjson.ReadString(text); {
	case decoded == "":
		return json.RawMessage("{}")
	case valid([]byte(decoded)):
		return json.RawMessage(decoded)
	default:
		return text
	}
}
