package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Messages about values reach logs and terminals, and values may be confidential texts from users. So a message names the
// type of a value, and quotes only what can't be content: numbers, times, and names such as roles.
const (
	// maxName is the length of the longest IDs.
	maxName = 60
	// maxWord is less than the length of keys and tokens, which may be found where a number is expected.
	maxWord = 20
)

// Show describes a value in a message: a number, a boolean or null is shown as it is, anything else by its type.
func Show(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	switch FirstByte(raw) {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 0:
		return "nothing"
	default:
		return Shorten(string(raw))
	}
}

// ShowWord describes a value where a word, a number or a time is expected: a short word is quoted, anything else shown by
// its type.
func ShowWord(raw json.RawMessage) string {
	if s, ok := ReadString(raw); ok && len(s) <= maxWord && !strings.ContainsFunc(s, func(r rune) bool { return !isWordRune(r) }) {
		return strconv.Quote(s)
	}
	return Show(raw)
}

func isWordRune(r rune) bool { return isNameRune(r) || strings.ContainsRune(" $€,%", r) }

// Name describes a name in a message, such as a role, a type or an ID: quoted if it looks like one, else as an ellipsis.
func Name(s string) string {
	if len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool { return !isNameRune(r) }) {
		return `"…"`
	}
	return strconv.Quote(s)
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/+", r)
}

// Shorten truncates a string that is too long for a message.
func Shorten(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "") + "…"
	}
	return s
}

// Pointer returns a JSON pointer (RFC 6901) of keys (strings) and indices (ints).
func Pointer(parts ...any) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		switch part := part.(type) {
		case int:
			b.WriteString(strconv.Itoa(part))
		case string:
			b.WriteString(pointerEscape.Replace(part))
		}
	}
	return b.String()
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")
