package chunk

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Partial is a value that arrives in pieces. The zero value is absent.
type Partial struct {
	// value is the value as long as nothing has been added. Of a text, it is what the string has between the quotes, including
	// escapes, so that a surrogate pair may be split between chunks.
	value []byte
	inner *inner // what is in an object or a list to which something has been added
	// isText is true if the value is a text; isArguments, if it is that of a call's arguments; isData, if it is data in
	// base64.
	isText, isArguments, isData bool
}

type inner struct {
	// members are those of an object, in the order of keys.
	members map[string]*Partial
	keys    []string
	// elements are those of a list by their indices, which can be any numbers; end is the index of the next one that is appended.
	elements map[int]*Partial
	end      int
}

// New returns an object with some members.
func New(o rawjson.Object) *Partial {
	p := &Partial{}
	p.Add(o)
	return p
}

// kind is what decides how a value grows.
type kind int

const (
	none kind = iota
	// void is null or an empty list, which any other value replaces.
	void
	str
	list
	object
	scalar
)

func kindOf(raw json.RawMessage) kind {
	switch rawjson.FirstByte(raw) {
	case 0:
		return none
	case 'n':
		return void
	case '"':
		return str
	case '[':
		if rawjson.IsVoid(raw) {
			return void
		}
		return list
	case '{':
		return object
	default:
		return scalar
	}
}

func (p *Partial) kind() kind {
	switch {
	case p.isText:
		return str
	case p.inner == nil:
		return kindOf(p.value)
	case p.inner.elements == nil:
		return object
	case len(p.inner.elements) == 0:
		return void
	default:
		return list
	}
}

// Encode encodes what has arrived.
func (p *Partial) Encode() json.RawMessage {
	switch {
	case p.isArguments:
		return arguments(quoted(p.value))
	case p.isText:
		return quoted(p.value)
	case p.inner == nil && p.value == nil:
		return json.RawMessage("{}")
	case p.inner == nil:
		return p.value
	case p.inner.elements != nil:
		values := make([]json.RawMessage, 0, len(p.inner.elements))
		for _, e := range p.All() {
			values = append(values, e.Encode())
		}
		return rawjson.EncodeArray(values)
	}
	o := make(rawjson.Object, 0, len(p.inner.members))
	for _, key := range p.inner.keys {
		if m := p.inner.members[key]; m.kind() != none {
			o = append(o, rawjson.Member{Key: key, Value: m.Encode()})
		}
	}
	return o.Encode()
}

func quoted(text []byte) json.RawMessage {
	return append(append(append(make([]byte, 0, len(text)+2), '"'), text...), '"')
}

// open reads the members of an object, and says whether this is or can become one.
func (p *Partial) open() bool {
	if k := p.kind(); p.inner != nil || k > void && k != object {
		return k == object
	}
	o, _ := rawjson.ReadObject(p.value)
	*p = Partial{inner: &inner{members: make(map[string]*Partial, len(o))}}
	for _, m := range o {
		p.Key(m.Key).value = m.Value
	}
	return true
}

// find returns the value of a member, nil if there is none.
func (p *Partial) find(key string) *Partial {
	if k := p.kind(); k == none || !p.open() {
		return nil
	}
	return p.inner.members[key]
}

// Key returns the value of a member, made if there is none; nil if this is not an object.
func (p *Partial) Key(key string) *Partial {
	if !p.open() {
		return nil
	}
	m := p.inner.members[key]
	if m == nil {
		m = &Partial{}
		p.inner.members[key], p.inner.keys = m, append(p.inner.keys, key)
	}
	return m
}

// Object returns the object of a member, made if there is none; nil if it is something else.
func (p *Partial) Object(key string) *Partial {
	if m := p.Key(key); m != nil && m.open() {
		return m
	}
	return nil
}

// List returns the list of a member, made if there is none; nil if it is something else.
func (p *Partial) List(key string) *Partial {
	if m := p.Key(key); m != nil && (m.kind() <= void || m.kind() == list) {
		m.openList()
		return m
	}
	return nil
}

// openList makes a list of a value of any kind, whose first part it is.
func (p *Partial) openList() {
	if p.inner != nil && p.inner.elements != nil {
		return
	}
	var values []json.RawMessage
	if k := p.kind(); k > void {
		values = asParts(p.Encode(), k)
	}
	*p = Partial{inner: &inner{elements: make(map[int]*Partial, len(values))}}
	p.append(values)
}

func (p *Partial) append(values []json.RawMessage) {
	for _, value := range values {
		p.At(p.inner.end).value = value
	}
}

// At returns an element of a list, made with some members if there is none; nil if this is not a list.
func (p *Partial) At(i int, begin ...rawjson.Member) *Partial {
	if k := p.kind(); k > void && k != list {
		return nil
	}
	p.openList()
	e := p.inner.elements[i]
	if e == nil {
		e = New(begin)
		p.inner.elements[i] = e
		p.inner.end = max(p.inner.end, i+1)
	}
	return e
}

// list returns the elements of a list, nil if this is not one.
func (p *Partial) list() map[int]*Partial {
	if p.kind() != list {
		return nil
	}
	p.openList()
	return p.inner.elements
}

// Element returns an element of a list, nil if there is none.
func (p *Partial) Element(i int) *Partial { return p.list()[i] }

// End returns the index of the element after the last one that a list has had.
func (p *Partial) End() int {
	p.openList()
	return p.inner.end
}

// Remove removes an element of a list.
func (p *Partial) Remove(i int) { delete(p.list(), i) }

// All returns the elements of a list in the order of their indices.
func (p *Partial) All() iter.Seq2[int, *Partial] {
	return func(yield func(int, *Partial) bool) {
		for _, i := range slices.Sorted(maps.Keys(p.list())) {
			if !yield(i, p.inner.elements[i]) {
				return
			}
		}
	}
}

// Has reports whether there is a member that isn't null.
func (p *Partial) Has(key string) bool {
	m := p.find(key)
	return m != nil && m.kind() != none && (m.isText || !rawjson.IsNull(m.value))
}

// IsEmpty reports whether nothing has arrived.
func (p *Partial) IsEmpty() bool {
	return p.kind() == none || p.inner != nil && len(p.inner.members)+len(p.inner.elements) == 0
}

// Get returns the value of a member, nil if there is none.
func (p *Partial) Get(key string) json.RawMessage {
	if m := p.find(key); m != nil && m.kind() != none {
		return m.Encode()
	}
	return nil
}

// Set replaces the value of a member, but never with null.
func (p *Partial) Set(key string, value json.RawMessage) {
	if m := p.Key(key); m != nil && (m.kind() == none || !rawjson.IsNull(value)) {
		*m = Partial{value: value}
	}
}

// Add sets all members of an object but some. An object that is there keeps the members that the new one omits, such as details of usage.
func (p *Partial) Add(o rawjson.Object, but ...string) {
	for _, m := range o {
		inner, isObject := rawjson.ReadObject(m.Value)
		before := p.find(m.Key)
		switch {
		case slices.Contains(but, m.Key):
		case isObject && before != nil && before.kind() == object:
			before.Add(inner)
		default:
			p.Set(m.Key, m.Value)
		}
	}
}

// Precede sets the members of an object that should have come first: those that have a value already keep it.
func (p *Partial) Precede(o rawjson.Object) {
	for _, m := range o {
		before := p.Key(m.Key)
		inner, _ := rawjson.ReadObject(m.Value)
		values, _ := rawjson.ReadArray(m.Value)
		switch {
		case !p.Has(m.Key):
			p.Set(m.Key, m.Value)
		case inner != nil && before.open():
			before.Precede(inner)
		default:
			for i, value := range values {
				if before.Element(i) == nil {
					before.At(i).value = value
				}
			}
		}
	}
}

// Complete replaces what has arrived by the whole. What only pieces have stays: data, and lists that the whole leaves empty.
func (p *Partial) Complete(whole json.RawMessage) {
	before := *p
	values, _ := rawjson.ReadArray(whole)
	switch {
	case rawjson.IsVoidOrAbsent(whole) && (before.isData || before.inner != nil && before.kind() == list):
		return
	case before.inner == nil || before.kind() != kindOf(whole):
		*p = Partial{value: whole}
	case before.inner.elements == nil:
		*p = Partial{value: whole}
		for _, key := range before.inner.keys {
			m := before.inner.members[key]
			m.Complete(p.Get(key))
			*p.Key(key) = *m
		}
	default:
		*p = Partial{inner: &inner{elements: make(map[int]*Partial, len(values))}}
		for i, value := range values {
			if e := before.inner.elements[i]; e != nil {
				p.inner.elements[i] = e
			}
			p.At(i).Complete(value)
		}
	}
}
