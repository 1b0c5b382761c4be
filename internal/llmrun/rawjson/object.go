package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Member is one key of an object and its value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object is a JSON object in the order of its text. The last value of a duplicate key counts, as everywhere in Go.
//
// encoding/json decodes an object into copies of its members. Reading in place costs one slice per object instead, which
// keeps the memory for a conversation with long texts close to the size of these texts.
type Object []Member

// ReadObject splits an object into its members, which are slices of raw; raw must be valid JSON.
//
// It is so short that the compiler inlines it: the members of an object that a caller only looks at are on its stack.
func ReadObject(raw []byte) (Object, bool) { return readObject(make(Object, 0, 8), raw) }

func readObject(o Object, raw []byte) (Object, bool) {
	if !IsObject(raw) {
		return nil, false
	}
	return appendMembers(o, raw), true
}

// Reuse is ReadObject, but overwrites the members of the object, which needs no memory for each of many objects.
func (o *Object) Reuse(raw []byte) bool {
	*o = (*o)[:0]
	if !IsObject(raw) {
		return false
	}
	if cap(*o) == 0 {
		*o = make(Object, 0, 8)
	}
	*o = appendMembers(*o, raw)
	return true
}

// objects are for Borrow.
var objects = sync.Pool{New: func() any { return new(Object(make([]Member, 0, 16))) }}

// Borrow returns an object to Reuse for values of which nobody keeps the members together.
func Borrow() *Object {
	o, _ := objects.Get().(*Object)
	return o
}

// Return gives a borrowed object back.
func (o *Object) Return() {
	const most = 64 // Emptying a huge one would take longer than reading many small ones.
	if cap(*o) > most {
		return
	}
	clear((*o)[:cap(*o)])
	*o = (*o)[:0]
	objects.Put(o)
}

func appendMembers(o Object, raw []byte) Object {
	const many = 64 // The sizes of fewer members, as those of a message, say nothing about those that follow.
	start := skipSpace(raw, 0)
	for i := skipSpace(raw, start+1); raw[i] != '}'; {
		if len(o) == cap(o) && len(o) >= many {
			o = slices.Grow(o, more(len(o), i-start, len(raw)-i))
		}
		end := skipString(raw, i)
		key, _ := ReadString(raw[i:end])
		i = skipSpace(raw, skipSpace(raw, end)+1)
		end = skipValue(raw, i)
		o = append(o, Member{key, raw[i:end:end]})
		if i = skipSpace(raw, end); raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return o
}

// ReadArray splits an array into its elements, which are slices of raw; raw must be valid JSON.
//
// As ReadObject, it needs no memory for a short array that a caller only looks at.
func ReadArray(raw []byte) ([]json.RawMessage, bool) {
	return readArray(make([]json.RawMessage, 0, 4), raw)
}

func readArray(a []json.RawMessage, raw []byte) ([]json.RawMessage, bool) {
	if !IsArray(raw) {
		return nil, false
	}
	size := 1
	for element := range Elements(raw) {
		if len(a) == cap(a) {
			a = slices.Grow(a, more(len(a), size, len(raw)-size))
		}
		a, size = append(a, element), size+len(element)+1
	}
	return a, true
}

// more estimates how many elements or members follow the first n, which take size of the bytes, in the rest. So a long list grows a
// few times only, hardly beyond its length: append would grow it by a quarter each time, and so allocate it five times.
func more(n, size, rest int) int { return min(n*7, rest/(size/n+1)+1) + n/8 }

// IsNull reports whether a value is null.
func IsNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }

// IsVoid reports whether a value is null, an empty list or an empty object.
func IsVoid(raw []byte) bool {
	switch raw = bytes.TrimSpace(raw); FirstByte(raw) {
	case 'n':
		return true
	case '{', '[':
		return skipSpace(raw, 1) == len(raw)-1
	default:
		return false
	}
}

// IsObject reports whether a value is an object.
func IsObject(raw []byte) bool { return FirstByte(raw) == '{' }

// IsArray reports whether a value is an array.
func IsArray(raw []byte) bool { return FirstByte(raw) == '[' }

// IsString reports whether a value is a string.
func IsString(raw []byte) bool { return FirstByte(raw) == '"' }

// FirstByte returns the first byte of a value, which determines its type; 0 if there is none.
func FirstByte(raw []byte) byte {
	if i := skipSpace(raw, 0); i < len(raw) {
		return raw[i]
	}
	return 0
}

// Of returns an object with one member.
func Of(key string, value json.RawMessage) Object { return Object{{key, value}} }

// Typed returns an object that so far has only its type; nil without a type.
func Typed(kind string) Object {
	if kind == "" {
		return nil
	}
	return append(make(Object, 0, 6), Member{"type", Quote(kind)})
}

// Get returns the value of a key, nil if there is none.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range slices.Backward(o) {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Find returns the value of a key in snake case, and the key: if there is none, or null, that of the same name in camel case, in
// which JavaScript clients write.
func (o Object) Find(key string) (string, json.RawMessage) {
	value := o.Get(key)
	words := strings.Count(key, "_")
	if words == 0 || value != nil && !IsNull(value) {
		return key, value
	}
	for _, m := range slices.Backward(o) {
		if len(m.Key) == len(key)-words && isCamel(m.Key, key) {
			return m.Key, m.Value
		}
	}
	return key, value
}

// isCamel reports whether a name of the same length without underscores is the camel case of one in snake case.
func isCamel(camel, snake string) bool {
	i, upper := 0, false
	for _, c := range []byte(snake) {
		if c == '_' {
			upper = true
			continue
		}
		if upper && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if upper = false; camel[i] != c {
			return false
		}
		i++
	}
	return true
}

// Text returns the value of a key if it is a string.
func (o Object) Text(key string) (string, bool) { return ReadString(o.Get(key)) }

// Index returns the value of a key if it is a whole number.
func (o Object) Index(key string) (int, bool) {
	i, err := strconv.Atoi(string(bytes.TrimSpace(o.Get(key))))
	return i, err == nil
}

// Has reports whether a key exists.
func (o Object) Has(key string) bool { return o.Get(key) != nil }

// Rest returns the members other than the given keys, nil if there are none.
func (o Object) Rest(keys ...string) Members {
	var rest Members
	for i, m := range o {
		if slices.Contains(keys, m.Key) {
			continue
		}
		if rest == nil {
			rest = make(Members, max(1, len(o)-max(i, len(keys))))
		}
		rest[m.Key] = m.Value
	}
	return rest
}

// With appends a member.
func (o Object) With(key string, value json.RawMessage) Object {
	return append(o, Member{key, value})
}

// WithName adds a string, unless it is empty.
func (o Object) WithName(key, name string) Object {
	if name == "" {
		return o
	}
	return o.With(key, Quote(name))
}

// Without returns an object without some members.
func (o Object) Without(keys ...string) Object {
	rest := make(Object, 0, len(o))
	for _, m := range o {
		if !slices.Contains(keys, m.Key) {
			rest = append(rest, m)
		}
	}
	return rest
}

// WithText appends a string unless it is absent.
func (o Object) WithText(key string, text *string) Object {
	if text == nil {
		return o
	}
	return o.With(key, Quote(*text))
}

// WithRaw appends a value unless it is absent.
func (o Object) WithRaw(key string, value json.RawMessage) Object {
	if value == nil {
		return o
	}
	return o.With(key, value)
}

// WithAll appends members, sorted by key.
func (o Object) WithAll(members map[string]json.RawMessage) Object {
	start := len(o)
	for key, value := range members {
		o = append(o, Member{key, value})
	}
	slices.SortFunc(o[start:], func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
	return o
}

// Encode encodes the object; values are copied unchanged.
func (o Object) Encode() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.Key) + len(m.Value) + 4
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, m.Key), ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// EncodeArray encodes a list of values, which are copied unchanged.
func EncodeArray(values []json.RawMessage) json.RawMessage {
	size := 2
	for _, v := range values {
		size += len(v) + 1
	}
	b := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// skipString finds the end of the string that starts at i.
func skipString(raw []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(raw[i:], '"')
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// skipValue finds the end of the value that starts at i.
func skipValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = skipString(raw, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ' ', '\n', '\r', '\t', ',', ':':
			i++
			continue
		default:
			i = skipLiteral(raw, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

// skipLiteral finds the end of the number, boolean or null that starts at i.
func skipLiteral(raw []byte, i int) int {
	if n := bytes.IndexAny(raw[i:], " \n\r\t,]}"); n >= 0 {
		return i + n
	}
	return len(raw)
}

// IsNullOrAbsent reports whether a member is null or doesn't exist.
func IsNullOrAbsent(raw json.RawMessage) bool { return raw == nil || IsNull(raw) }

// IsVoidOrAbsent reports whether a member has no content or doesn't exist.
func IsVoidOrAbsent(raw json.RawMessage) bool { return raw == nil || IsVoid(raw) }

// IsEmpty reports whether a value is void, absent or an empty string.
func IsEmpty(raw json.RawMessage) bool { return IsVoidOrAbsent(raw) || string(raw) == `""` }

// IsSame reports whether two values differ only in white space and the order of keys.
func IsSame(a, b json.RawMessage) bool {
	var x, y any
	return bytes.Equal(a, b) || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// Compact returns the text of a value without white space.
func Compact(raw json.RawMessage) string {
	var b bytes.Buffer
	b.Grow(len(raw))
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
