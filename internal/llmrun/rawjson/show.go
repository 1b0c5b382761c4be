package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Messages about values reach logs and terminals, and values may be what users have told a model in confidence. So a
// message names the type of a value, and quotes only what can't be content: numbers, times, and names such as roles.
const (
	// maxName is the length of the longest ids.
	maxName = 60
	// maxWord is less than the length of keys and tokens, which a word that stands where a number should might be.
	maxWord = 20
)

// Show is a value for a message: a number, a boolean or null as it is, anything else by its type.
func Show(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	switch FirstByte(raw) {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 0:
		return "nothing"
	default:
		return Shorten(string(raw))
	}
}

// ShowWord is what stands where a word, a number or a time should: a short word is quoted, anything else shown by its type.
func ShowWord(raw json.RawMessage) string {
	if s, ok := ReadString(raw); ok && len(s) <= maxWord && !strings.ContainsFunc(s, func(r rune) bool { return !isWordRune(r) }) {
		return strconv.Quote(s)
	}
	return Show(raw)
}

func isWordRune(r rune) bool { return isNameRune(r) || strings.ContainsRune(" $€,%", r) }

// Name is a name for a message, such as a role, a type or an id: quoted when it looks like one, else without its letters.
func Name(s string) string {
	if len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool { return !isNameRune(r) }) {
		return `"…"`
	}
	return strconv.Quote(s)
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/+", r)
}

// Shorten cuts what is too long for a message.
func Shorten(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName], "") + "…"
	}
	return s
}
