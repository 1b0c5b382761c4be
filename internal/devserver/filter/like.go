package filter

import "bytes"

// Matches reports whether a text matches the pattern. It takes linear time, because each part between percent signs is looked for
// after the previous one.
func (l Like) Matches(text []byte) bool {
	text, pattern := bytes.Clone(text), []byte(l.Pattern)
	ToLower(text)
	ToLower(pattern)
	parts := bytes.Split(pattern, []byte("%"))
	if l.Contains || len(parts) == 1 {
		return bytes.Contains(text, pattern)
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !bytes.HasPrefix(text, first) || !bytes.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := bytes.Cut(text, part)
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
