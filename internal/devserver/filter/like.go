package filter

import (
	"bytes"
	"strings"
)

// Matches reports whether a text matches the pattern. It takes linear time, because each part between percent signs is looked for
// after the previous one.
func (l Like) Matches(text []byte) bool {
	pattern := Lower(l.Pattern)
	parts := strings.Split(pattern, "%")
	if l.Contains || len(parts) == 1 {
		parts = []string{"", pattern, ""}
	}
	first, last := parts[0], parts[len(parts)-1]
	end := len(text) - len(last)
	if len(text) < len(strings.Join(parts, "")) || Lower(string(text[:len(first)])) != first || Lower(string(text[end:])) != last {
		return false
	}
	text, parts = text[len(first):end], parts[1:len(parts)-1]
	if len(parts) > 0 { // A text can be large.
		text = bytes.Clone(text)
		ToLower(text)
	}
	for _, part := range parts {
		_, after, found := bytes.Cut(text, []byte(part))
		if !found {
			return false
		}
		text = after
	}
	return true
}

// Lower converts Latin letters to lower case.
func Lower(text string) string {
	lower := []byte(text)
	ToLower(lower)
	return string(lower)
}

// ToLower is Lower in place.
func ToLower(text []byte) {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c + 'a' - 'A'
		}
	}
}
