package rawjson

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Pointer writes a JSON pointer (RFC 6901) from keys (strings) and indices (ints).
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

// shownBytes is how much of a value a message shows.
const shownBytes = 60

// Show is a value for a message, shortened.
func Show(raw json.RawMessage) string {
	s := strings.TrimSpace(string(raw))
	if len(s) > shownBytes {
		s = strings.ToValidUTF8(s[:shownBytes], "") + "…"
	}
	return s
}
