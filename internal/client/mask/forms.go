package mask

import (
	"encoding/binary"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder decodes one encoding. It returns false if there is nothing to decode.
type decoder func(layer) (layer, bool)

// forms are the encodings in which secrets are recognized, up to maxEncodings of them in each other. The letter case of the secret
// doesn't matter. The changelog lists them.
var forms = []struct {
	name     string
	decoders []decoder
}{
	{"JSON", []decoder{read(func(b []byte) ([]byte, int) { return escape(b, false) })}},
	{"Python", []decoder{read(func(b []byte) ([]byte, int) { return escape(b, true) })}},
	{"HTML", []decoder{read(entity)}},
	{"URL", []decoder{read(percent), read(form)}},
	{"quoted-printable", []decoder{read(quotedPrintable)}},
	{"base64", groups(base64Digits, 6)},
	{"base32", groups(base32Digits, 5)},
	{"hexadecimal", groups(hexDigits, 4)},
	{"white space", []decoder{joined}},
}

var decoders = func() []decoder {
	var all []decoder
	for _, form := range forms {
		all = append(all, form.decoders...)
	}
	return all
}()

// read returns a decoder for an encoding, given a function that decodes the unit at the beginning of a text, if there is one.
func read(unit func([]byte) (decoded []byte, length int)) decoder {
	return func(l layer) (layer, bool) {
		out, changed := layer{joined: l.joined}, false
		for i := 0; i < len(l.text); {
			decoded, length := unit(l.text[i:])
			if length == 0 {
				out.text, out.at = append(out.text, l.text[i]), append(out.at, l.at[i])
				i++
				continue
			}
			out.put(decoded, l, i, i+length)
			i += length
			changed = true
		}
		return out, changed
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
	for length < min(len(b), maxEntity) && (b[length] == '#' || strings.IndexByte(base64Digits, b[length]) >= 0) {
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

// hexByte decodes a byte that is written as a sign and two hexadecimal digits.
func hexByte(b []byte, sign byte) ([]byte, int) {
	if len(b) < 3 || b[0] != sign {
		return nil, 0
	}
	code, ok := hexadecimal(b[1:], 2)
	if !ok {
		return nil, 0
	}
	return []byte{byte(code)}, 3 //nolint:gosec // Of two digits.
}

// percent decodes a percent-encoded byte of a URL.
func percent(b []byte) ([]byte, int) { return hexByte(b, '%') }

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

// quotedPrintable decodes a byte of a quoted-printable text, and a line break in it, which may have been reduced to a space.
func quotedPrintable(b []byte) ([]byte, int) {
	if len(b) < 2 || b[0] != '=' {
		return nil, 0
	}
	length := 1
	for length < len(b) && dropSpace(rune(b[length])) < 0 {
		length++
	}
	if length > 1 {
		return nil, length
	}
	return hexByte(b, '=')
}

// The digits of an encoding, in all its variants one after the other: the value of a digit is its place in a variant.
const (
	letters  = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	numerals = "0123456789"

	base64Digits = capitals + letters + numerals + "+/" + capitals + letters + numerals + "-_"
	base32Digits = letters + "234567" + capitals + "234567"
	hexDigits    = numerals + "abcdef" + numerals + "ABCDEF"
)

// groups returns the decoders for an encoding whose characters have that many bits. One starts at the first character of each sequence,
// the next at the second, and so on: the text before a secret may end in the middle of a group.
func groups(digits string, bits int) []decoder {
	var values [256]int8 // Of each digit, plus one; zero for all other characters.
	for i := range len(digits) {
		values[digits[i]] = int8(i%(1<<bits)) + 1 //nolint:gosec // At most 64.
	}
	size := 1 // Of a group, which encodes whole bytes.
	for size*bits%8 != 0 {
		size++
	}
	all := make([]decoder, size)
	for offset := range all {
		all[offset] = groupsAt(&values, bits, size, offset)
	}
	return all
}

// groupsAt decodes each sequence from an offset on. The rest of the text is dropped.
func groupsAt(values *[256]int8, bits, size, offset int) decoder {
	shortest := offset + (minSecretLength*8+bits-1)/bits
	return func(l layer) (layer, bool) {
		out := layer{joined: l.joined}
		for i := 0; i < len(l.text); i++ {
			begin := i
			for i < len(l.text) && values[l.text[i]] > 0 {
				i++
			}
			if i-begin < shortest {
				continue
			}
			for begin += offset; begin < i; begin += size {
				end := min(begin+size, i)
				var value uint64
				for _, digit := range l.text[begin:end] {
					value = value<<bits | uint64(values[digit]-1) //nolint:gosec // Not negative.
				}
				whole := (end - begin) * bits / 8
				value >>= (end-begin)*bits - whole*8
				var decoded [8]byte
				binary.BigEndian.PutUint64(decoded[:], value)
				out.put(decoded[8-whole:], l, begin, end)
			}
			out.put([]byte{0}, l, i-1, i) // Separates sequences.
		}
		return out, len(out.text) > 0
	}
}
