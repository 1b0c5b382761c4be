package client

import (
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// layer is a text with some of its encodings decoded, and the origin of each byte. The decoders leave unchanged what they
// don't understand: a secret can be surrounded by anything, and can be cut off anywhere.
type layer struct {
	text []byte
	at   []span
	// joined means that white space was dropped.
	joined bool
}

func newLayer(text string) layer {
	l := layer{text: []byte(text), at: make([]span, len(text))}
	for i := range l.at {
		l.at[i] = span{i, i + 1}
	}
	return l
}

// key identifies the layer.
func (l layer) key() string { return strconv.FormatBool(l.joined) + string(l.text) }

// source returns the origin of the bytes from i to before j.
func (l layer) source(i, j int) span { return span{l.at[i].from, l.at[j-1].to} }

// put appends the decoded form of the bytes from i to before j of another layer.
func (l *layer) put(decoded []byte, from layer, i, j int) {
	at := from.source(i, j)
	for _, b := range decoded {
		l.text, l.at = append(l.text, b), append(l.at, at)
	}
}

// decoders decode one encoding each. They return false if there is nothing to decode.
var decoders = []func(layer) (layer, bool){
	read(func(b []byte) ([]byte, int) { return escape(b, false) }),
	read(func(b []byte) ([]byte, int) { return escape(b, true) }),
	read(entity),
	read(percent),
	read(form),
	joined,
	base64At(0), base64At(1), base64At(2), base64At(3),
}

// read returns a decoder for an encoding, given a function that decodes the unit at the beginning of a text, if there is one.
func read(unit func([]byte) (decoded []byte, length int)) func(layer) (layer, bool) {
	return func(l layer) (layer, bool) {
		first := 0
		for first < len(l.text) {
			if _, length := unit(l.text[first:]); length > 0 {
				break
			}
			first++
		}
		if first == len(l.text) {
			return layer{}, false
		}
		out := layer{make([]byte, 0, len(l.text)), make([]span, 0, len(l.text)), l.joined}
		out.text, out.at = append(out.text, l.text[:first]...), append(out.at, l.at[:first]...)
		for i := first; i < len(l.text); {
			decoded, length := unit(l.text[i:])
			if length == 0 {
				out.text, out.at = append(out.text, l.text[i]), append(out.at, l.at[i])
				i++
				continue
			}
			out.put(decoded, l, i, i+length)
			i += length
		}
		return out, true
	}
}

// escapes are the escape sequences of JSON and of a Python repr for one character.
var escapes = map[byte]byte{
	'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape decodes a backslash sequence of JSON or of a Python repr. In a repr, \xe9 is a character in a str, and a byte in bytes.
func escape(b []byte, isByte bool) ([]byte, int) {
	if len(b) < 2 || b[0] != '\\' {
		return nil, 0
	}
	if character, ok := escapes[b[1]]; ok {
		return []byte{character}, 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[b[1]]
	code, ok := hexadecimal(b[2:], digits)
	switch {
	case !ok:
		return nil, 0
	case b[1] == 'x' && isByte:
		return []byte{byte(code)}, 4 //nolint:gosec // Of two digits.
	case b[1] == 'u' && utf16.IsSurrogate(code):
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low, ok := hexadecimal(b[8:], 4); ok {
				return utf8.AppendRune(nil, utf16.DecodeRune(code, low)), 12
			}
		}
	}
	return utf8.AppendRune(nil, code), 2 + digits
}

// hexadecimal parses that many digits.
func hexadecimal(b []byte, digits int) (rune, bool) {
	if digits == 0 || len(b) < digits {
		return 0, false
	}
	code, err := strconv.ParseUint(string(b[:digits]), 16, 32)
	return rune(code), err == nil //nolint:gosec // An invalid character becomes U+FFFD.
}

// maxEntity is longer than the longest name of an entity.
const maxEntity = 40

// entity decodes an HTML entity. Without a semicolon at its end, the letters after it count as a part of it.
func entity(b []byte) ([]byte, int) {
	if len(b) < 3 || b[0] != '&' {
		return nil, 0
	}
	length := 1
	for length < min(len(b), maxEntity) && (b[length] == '#' || isBase64(b[length])) {
		length++
	}
	if length < len(b) && b[length] == ';' {
		length++
	}
	decoded := html.UnescapeString(string(b[:length]))
	if decoded == string(b[:length]) {
		return nil, 0
	}
	return []byte(decoded), length
}

// percent decodes a percent-encoded byte of a URL.
func percent(b []byte) ([]byte, int) {
	if len(b) < 3 || b[0] != '%' {
		return nil, 0
	}
	code, ok := hexadecimal(b[1:], 2)
	if !ok {
		return nil, 0
	}
	return []byte{byte(code)}, 3 //nolint:gosec // Of two digits.
}

// form decodes a byte of a form or of a query, where a plus means a space.
func form(b []byte) ([]byte, int) {
	if b[0] == '+' {
		return []byte{' '}, 1
	}
	return percent(b)
}

// joined drops white space.
func joined(l layer) (layer, bool) {
	out, changed := read(func(b []byte) ([]byte, int) {
		if dropSpace(rune(b[0])) < 0 {
			return nil, 1
		}
		return nil, 0
	})(l)
	out.joined = true
	return out, changed
}

func dropSpace(r rune) rune {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r':
		return -1
	}
	return r
}

// minBase64 is the length of the shortest secret in base64. Shorter texts are not decoded.
const minBase64 = (minSecretLength*4 + 2) / 3

// base64At decodes each sequence of base64 characters, in either alphabet, from an offset on: the text before a secret may end in
// the middle of a group of four. The rest of the text is dropped.
func base64At(offset int) func(layer) (layer, bool) {
	return func(l layer) (layer, bool) {
		out := layer{joined: l.joined}
		for i := 0; i < len(l.text); i++ {
			begin := i
			for i < len(l.text) && isBase64(l.text[i]) {
				i++
			}
			if i-begin < offset+minBase64 {
				continue
			}
			if out.text == nil {
				out.text, out.at = make([]byte, 0, len(l.text)), make([]span, 0, len(l.text))
			}
			for begin += offset; begin < i; begin += 4 {
				end := min(begin+4, i)
				decoded := base64Group(l.text[begin:end])
				out.put(decoded[:(end-begin)*6/8], l, begin, end)
			}
			out.put([]byte{0}, l, i-1, i) // Separates sequences.
		}
		return out, len(out.text) > 0
	}
}

// base64Group decodes up to four characters.
func base64Group(letters []byte) [3]byte {
	var bits uint32
	for i := range 4 {
		bits <<= 6
		if i < len(letters) {
			bits |= base64Value(letters[i])
		}
	}
	return [3]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}
}

func base64Value(letter byte) uint32 {
	switch {
	case letter >= 'a':
		return uint32(letter-'a') + 26
	case letter == '_' || letter == '/':
		return 63
	case letter >= 'A':
		return uint32(letter - 'A')
	case letter >= '0':
		return uint32(letter-'0') + 52
	}
	return 62
}

func isBase64(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
}
