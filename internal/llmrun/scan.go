package llmrun

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// member is one key of an object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// object is a JSON object in the order of its text. A key that stands twice counts as its last value, as everywhere in
// Go.
//
// encoding/json decodes an object into copies of its members. Reading in place costs one slice per object instead, which
// is what keeps a conversation with long texts near the memory that the texts need.
type object []member

// commonKeys are the keys that nearly every message has; reading them allocates nothing.
var commonKeys = func() map[string]string {
	keys := map[string]string{}
	for _, key := range []string{
		"role", "content", "type", "text", "name", "args", "id", "extras", "messages", "tool_call_id", "tool_calls",
		"function", "arguments", "image_url", "url", "base64", "mime_type", "source", "input", "tool_use_id", "usage_metadata",
	} {
		keys[key] = key
	}
	return keys
}()

// readObject splits an object into its members, which are parts of raw; raw has to be valid JSON.
func readObject(raw []byte) (object, bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil, false
	}
	o := make(object, 0, 4)
	for i = skipSpace(raw, i+1); raw[i] != '}'; {
		end := skipString(raw, i)
		key, known := commonKeys[string(raw[i+1:end-1])]
		if !known {
			key, _ = readString(raw[i:end])
		}
		i = skipSpace(raw, skipSpace(raw, end)+1)
		end = skipValue(raw, i)
		o = append(o, member{key, raw[i:end:end]})
		if i = skipSpace(raw, end); raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return o, true
}

// readArray splits an array into its elements, which are parts of raw; raw has to be valid JSON.
func readArray(raw []byte) ([]json.RawMessage, bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil, false
	}
	a := make([]json.RawMessage, 0, 4)
	for i = skipSpace(raw, i+1); raw[i] != ']'; {
		end := skipValue(raw, i)
		a = append(a, raw[i:end:end])
		if i = skipSpace(raw, end); raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return a, true
}

// readString decodes a string; an unpaired surrogate becomes U+FFFD, as everywhere in Go.
func readString(raw []byte) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// isNull says whether a value is null.
func isNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }

// isVoid says whether a value is null, an empty list or an empty object.
func isVoid(raw []byte) bool {
	switch raw = bytes.TrimSpace(raw); firstByte(raw) {
	case 'n':
		return true
	case '{', '[':
		return skipSpace(raw, 1) == len(raw)-1
	default:
		return false
	}
}

// isObject says whether a value is an object.
func isObject(raw []byte) bool { return firstByte(raw) == '{' }

// isArray says whether a value is an array.
func isArray(raw []byte) bool { return firstByte(raw) == '[' }

// isString says whether a value is a string.
func isString(raw []byte) bool { return firstByte(raw) == '"' }

func firstByte(raw []byte) byte {
	if i := skipSpace(raw, 0); i < len(raw) {
		return raw[i]
	}
	return 0
}

// get is the value of a key, nil when there is none.
func (o object) get(key string) json.RawMessage {
	for _, m := range slices.Backward(o) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// text is the value of a key when that is a string.
func (o object) text(key string) (string, bool) { return readString(o.get(key)) }

// index is the value of a key when that is a whole number.
func (o object) index(key string) (int, bool) {
	i, err := strconv.Atoi(string(bytes.TrimSpace(o.get(key))))
	return i, err == nil
}

// has says whether there is a key.
func (o object) has(key string) bool { return o.get(key) != nil }

// rest is what an object holds beside some keys, nil when that is nothing.
func (o object) rest(keys ...string) members {
	var rest members
	for _, m := range o {
		if !slices.Contains(keys, m.key) {
			rest.put(m.key, m.value)
		}
	}
	return rest
}

// with appends a member.
func (o object) with(key string, value json.RawMessage) object {
	return append(o, member{key, value})
}

// withText appends a string, unless it is absent.
func (o object) withText(key string, text *string) object {
	if text == nil {
		return o
	}
	return o.with(key, quote(*text))
}

// withRaw appends a value, unless it is absent.
func (o object) withRaw(key string, value json.RawMessage) object {
	if value == nil {
		return o
	}
	return o.with(key, value)
}

// withAll appends members in the order of their keys.
func (o object) withAll(members map[string]json.RawMessage) object {
	start := len(o)
	for key, value := range members {
		o = append(o, member{key, value})
	}
	slices.SortFunc(o[start:], func(a, b member) int { return strings.Compare(a.key, b.key) })
	return o
}

// encode writes the object; the values go in as they are.
func (o object) encode() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.key) + len(m.value) + 4
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.key)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// encodeArray writes a list of values as they are.
func encodeArray(values []json.RawMessage) json.RawMessage {
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

// quote writes a string without the escapes that only HTML needs.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	b.Grow(len(s) + 3)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// skipString finds the end of the string that begins at i.
func skipString(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue finds the end of the value that begins at i.
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

// skipLiteral finds the end of the number, boolean or null that begins at i.
func skipLiteral(raw []byte, i int) int {
	for ; i < len(raw); i++ {
		switch raw[i] {
		case ' ', '\n', '\r', '\t', ',', ']', '}':
			return i
		}
	}
	return i
}
