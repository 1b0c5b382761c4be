package rawjson

import (
	"strconv"
	"strings"
)

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
