package chunk

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// how is what a member of an event does in its place: the values that it accepts, and what it makes of the place. It says whether it could.
type how struct {
	accepts func([]byte) bool
	put     func(p *Partial, key string, value json.RawMessage) bool
}

// hows are by their names in tables.
var hows = map[string]how{
	// text continues a text, whole replaces what has arrived in pieces.
	"text": {rawjson.IsString, always((*Partial).grow)}, "whole": {rawjson.IsString, always((*Partial).replace)},
	// begin is the beginning of an object, which mustn't have begun; complete is the whole object, join grows each member, renew
	// replaces all by an object or by the objects of a list.
	"begin": {rawjson.IsObject, func(p *Partial, _ string, value json.RawMessage) bool {
		isNew := p.IsEmpty()
		if isNew {
			*p = Partial{value: value}
		}
		return isNew
	}},
	"complete": {rawjson.IsObject, always(func(p *Partial, _ string, value json.RawMessage) { p.Complete(value) })},
	"join": {rawjson.IsObject, always(func(p *Partial, key string, value json.RawMessage) {
		if o, _ := rawjson.ReadObject(value); p.Has("type") {
			p.GrowAll(o, "type")
		} else {
			p.grow(key, value)
		}
	})},
	"renew": {isMany, always(func(p *Partial, key string, value json.RawMessage) {
		*p = Partial{}
		for _, raw := range asParts(value, kindOf(value)) {
			p.grow(key, raw)
		}
	})},
	// append adds an object to a list, or to its last element. grow grows a member by any value, part does so by an object as a part.
	"append": {rawjson.IsObject, always((*Partial).growPart)}, "grow": {isSaid, always((*Partial).grow)},
	"part": {isSaid, always((*Partial).growPart)},
	// set sets a member, add sets each member of an object, and precede what should have come first and has no value yet.
	"set": {isSaid, always((*Partial).replace)},
	"add": {isAny, func(p *Partial, key string, value json.RawMessage) bool {
		return p.merge(key, value, func(o rawjson.Object) { p.Add(o) }, !rawjson.IsNull(value))
	}},
	"precede": {isAny, func(p *Partial, key string, value json.RawMessage) bool { return p.merge(key, value, p.Precede, false) }},
	// data is in base64, arguments are the text of arguments. fail is the error that the stream reports.
	"data":      {isSaid, always(func(p *Partial, _ string, value json.RawMessage) { p.GrowData(value) })},
	"arguments": {isSaid, always(func(p *Partial, _ string, value json.RawMessage) { p.GrowArguments(value) })},
	"fail":      {func(raw []byte) bool { return !rawjson.IsNull(raw) }, nil},
}

func isAny([]byte) bool { return true }

func isMany(raw []byte) bool { return rawjson.IsObject(raw) || rawjson.IsArray(raw) }

func isSaid(raw []byte) bool { return !rawjson.IsVoid(raw) }

func always(put func(*Partial, string, json.RawMessage)) func(*Partial, string, json.RawMessage) bool {
	return func(p *Partial, key string, value json.RawMessage) bool {
		put(p, key, value)
		return true
	}
}

func (p *Partial) replace(_ string, value json.RawMessage) { *p = Partial{value: value} }

func (p *Partial) growPart(key string, value json.RawMessage) {
	if rawjson.IsObject(value) {
		value = rawjson.EncodeArray([]json.RawMessage{value})
	}
	p.grow(key, value)
}

// merge merges an object into this one. Any other value is set if there is none yet, or if it replaces one.
func (p *Partial) merge(key string, value json.RawMessage, merge func(rawjson.Object), replaces bool) bool {
	o, isObject := rawjson.ReadObject(value)
	switch {
	case isObject && p.open():
		merge(o)
	case key == "":
		return false
	case p.kind() == none || replaces:
		*p = Partial{value: value}
	}
	return true
}

// Table has the rules of the events, by type. Of the rules of an event, the first must be applicable; an empty one always is.
type Table struct {
	rules map[string][]rule
	// begin returns the members with which an element of a type begins.
	begin func(kind string, event rawjson.Object) rawjson.Object
}

type rule struct {
	from []string
	to   []step
	how
	// but are members of the object that aren't meant; optional says that it may be absent.
	but      []string
	optional bool
}

// step is a key, and what determines the element if its value is a list: the names of the index, the index without any of them, -1
// if there must be one, and the type.
type step struct {
	key   string
	index []string
	other int
	kind  string
}

// NewTable reads a table. Without a function, elements begin with their type.
//
// A line says what a member of an event does in the answer: "event,event member -> place how but member,member". The member has dots
// between keys; . is the whole event, and a ? says that it may be absent. Members in it that stand after "but" aren't meant. A line
// without a member says that the event is known. In a place, after the key of a list, stand in brackets the member of the event that
// has the index and the type with which an element begins: output[output_index:message].status. Between two names for the same
// member is a |, and 0 as the last one is the index if there is none.
func NewTable(lines string, begin func(kind string, event rawjson.Object) rawjson.Object) Table {
	if begin == nil {
		begin = func(kind string, _ rawjson.Object) rawjson.Object { return rawjson.Typed(kind) }
	}
	t := Table{map[string][]rule{}, begin}
	for words := range texttable.Rows(lines) {
		for event := range strings.SplitSeq(words[0], ",") {
			t.rules[event] = append(t.rules[event], newRule(words[1:]))
		}
	}
	return t
}

// newRule reads a member, an arrow, a place, what to do, and what not to add.
func newRule(words []string) rule {
	if len(words) == 0 {
		return rule{}
	}
	from, optional := strings.CutSuffix(words[0], "?")
	r := rule{from: places(from), optional: optional, how: hows["text"]}
	for _, part := range places(words[2]) {
		key, rest, isList := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		s := step{key: key, other: -1}
		if isList {
			names, kind, _ := strings.Cut(rest, ":")
			s.index, s.kind = strings.Split(names, "|"), kind
			if s.index[len(s.index)-1] == "0" {
				s.other = 0
			}
		}
		r.to = append(r.to, s)
	}
	if len(words) > 3 {
		r.how = hows[words[3]]
	}
	if len(words) > 5 {
		r.but = strings.Split(words[5], ",")
	}
	return r
}

// places splits a place into keys; that of the whole has none.
func places(path string) []string {
	if path == "." {
		return []string{}
	}
	return strings.Split(path, ".")
}

// Has reports whether there are rules for an event.
func (t Table) Has(kind string) bool { return t.rules[kind] != nil }

// Apply applies the rules of an event to the answer, and says whether it could.
func (s *Stream) Apply(t Table, kind string, event rawjson.Object) bool {
	for i, r := range t.rules[kind] {
		if !s.apply(t, r, event) && i == 0 {
			return false
		}
	}
	return t.Has(kind)
}

func (s *Stream) apply(t Table, r rule, event rawjson.Object) bool {
	if r.from == nil {
		return true
	}
	value := r.find(event)
	switch {
	case value == nil || !r.accepts(value):
		return value == nil && r.optional || value != nil && rawjson.IsNull(value)
	case r.put == nil:
		return s.Fail(value)
	}
	indices := make([]int, len(r.to))
	for i, step := range r.to {
		var ok bool
		if indices[i], ok = step.at(event); !ok {
			return false
		}
	}
	place, key := &s.Answer, ""
	for i, step := range r.to {
		if key = step.key; place != nil {
			place = place.Key(key)
		}
		if place != nil && step.index != nil {
			key = ""
			if e := place.Element(indices[i]); e != nil {
				place = e
			} else {
				place = place.At(indices[i], t.begin(step.kind, event)...)
			}
		}
	}
	return place != nil && r.put(place, key, value)
}

func (r rule) find(event rawjson.Object) json.RawMessage {
	var value json.RawMessage
	for _, key := range r.from {
		value = event.Get(key)
		event, _ = rawjson.ReadObject(value)
	}
	if event != nil && (len(r.from) == 0 || r.but != nil) {
		return event.Without(r.but...).Encode()
	}
	return value
}

func (s step) at(event rawjson.Object) (int, bool) {
	for _, name := range s.index {
		if event.Has(name) {
			return event.Index(name)
		}
	}
	return s.other, s.index == nil || s.other == 0
}
