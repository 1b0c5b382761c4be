package chunk

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// How says what a member of an event does in its place.
type How int

// The first ones demand a string, the next ones an object, the last ones accept any value.
const (
	// Text continues a text.
	Text How = iota
	// Whole replaces what has arrived in pieces.
	Whole
	// Begin is the beginning of an object, which mustn't have begun; Complete is the whole object, Join grows each member, Renew
	// replaces all by an object or by the objects of a list.
	Begin
	Complete
	Join
	Renew
	// Append adds to a list, or to its last element.
	Append
	// Grow grows a member, Set sets it. Data is in base64, JSON the text of arguments.
	Grow
	Set
	Data
	JSON
)

// Rule says what a member of an event does. Places are keys with dots between them; the empty one is the whole answer.
type Rule struct {
	From string
	// To is the place in the answer. After the key of a list stand, in brackets, the member of the event that has the index and
	// the type with which an element begins: output[output_index:message].status. Between two names for the same member is a |, and
	// 0 as the last one is the index if there is none.
	To  string
	How How
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
	how  How
}

// step is a key, and what determines the element if its value is a list: the names of the index, the index without any of them, -1
// if there must be one, and the type.
type step struct {
	key   string
	index []string
	other int
	kind  string
}

// NewTable returns a table. Without a function, elements begin with their type.
func NewTable(rules map[string][]Rule, begin func(kind string, event rawjson.Object) rawjson.Object) Table {
	if begin == nil {
		begin = func(kind string, _ rawjson.Object) rawjson.Object { return Typed(kind) }
	}
	t := Table{make(map[string][]rule, len(rules)), begin}
	for kind, list := range rules {
		t.rules[kind] = make([]rule, 0, len(list))
		for _, r := range list {
			compiled := rule{how: r.How, from: places(r.From)}
			for _, part := range places(r.To) {
				key, rest, isList := strings.Cut(strings.TrimSuffix(part, "]"), "[")
				s := step{key: key, other: -1}
				if isList {
					names, kind, _ := strings.Cut(rest, ":")
					s.index, s.kind = strings.Split(names, "|"), kind
					if s.index[len(s.index)-1] == "0" {
						s.other = 0
					}
				}
				compiled.to = append(compiled.to, s)
			}
			t.rules[kind] = append(t.rules[kind], compiled)
		}
	}
	return t
}

// places splits a place into keys.
func places(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// Typed returns an object with a type.
func Typed(kind string) rawjson.Object {
	if kind == "" {
		return nil
	}
	return rawjson.Of("type", rawjson.Quote(kind))
}

// Has says whether there are rules for an event.
func (t Table) Has(kind string) bool { return t.rules[kind] != nil }

// Apply applies the rules of an event to an answer, and says whether it could.
func (t Table) Apply(answer *Partial, kind string, event rawjson.Object) bool {
	for i, r := range t.rules[kind] {
		if !t.apply(r, answer, event) && i == 0 {
			return false
		}
	}
	return t.Has(kind)
}

func (t Table) apply(r rule, answer *Partial, event rawjson.Object) bool {
	if r.from == nil {
		return true
	}
	value, ok := find(event, r.from)
	if !ok || !r.how.accepts(value) {
		return false
	}
	indices := make([]int, len(r.to))
	for i, s := range r.to {
		if indices[i], ok = s.at(event); !ok {
			return false
		}
	}
	key := ""
	for i, s := range r.to {
		if key = s.key; answer != nil {
			answer = answer.Key(key)
		}
		if answer != nil && s.index != nil {
			key = ""
			if e := answer.Element(indices[i]); e != nil {
				answer = e
			} else {
				answer = answer.At(indices[i], t.begin(s.kind, event)...)
			}
		}
	}
	return answer != nil && r.how.put(answer, key, value)
}

// find returns the value at a place in an event.
func find(event rawjson.Object, keys []string) (json.RawMessage, bool) {
	for _, key := range keys[:len(keys)-1] {
		event, _ = rawjson.ReadObject(event.Get(key))
	}
	value := event.Get(keys[len(keys)-1])
	return value, value != nil
}

// at returns the index of an element.
func (s step) at(event rawjson.Object) (int, bool) {
	for _, name := range s.index {
		if event.Has(name) {
			return event.Index(name)
		}
	}
	return s.other, s.index == nil || s.other == 0
}

func (h How) accepts(value json.RawMessage) bool {
	switch {
	case h <= Whole:
		return rawjson.IsString(value)
	case h <= Append:
		return rawjson.IsObject(value) || h == Renew && rawjson.IsArray(value)
	default:
		return !rawjson.IsVoid(value)
	}
}

func (h How) put(p *Partial, key string, value json.RawMessage) bool {
	switch h {
	case Text, Grow:
		p.grow(key, value)
	case Data:
		p.GrowData(value)
	case JSON:
		p.GrowArguments(value)
	case Append:
		p.grow(key, rawjson.EncodeArray([]json.RawMessage{value}))
	case Whole, Set:
		*p = Partial{value: value}
	case Begin:
		if !p.IsEmpty() {
			return false
		}
		*p = Partial{value: value}
	case Complete:
		p.Complete(value)
	case Renew:
		*p = Partial{}
		for _, raw := range asParts(value, kindOf(value)) {
			p.grow(key, raw)
		}
	case Join:
		if o, _ := rawjson.ReadObject(value); p.Has("type") {
			p.GrowAll(o, "type")
		} else {
			p.grow(key, value)
		}
	}
	return true
}
