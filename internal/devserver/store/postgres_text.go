package store

import (
	"strings"
	"unicode/utf8"
)

// escape stands before a character that says what both stand for in a stored text: PostgreSQL takes neither NUL nor what isn't UTF-8. It
// is the first character after NUL, and NUL and itself become pairs in their order, so that texts keep theirs.
const (
	escape      = '\x01'
	escapedNUL  = '\x01'
	escapedSelf = '\x02'
	// escapedByte is the first of the characters that stand for the bytes of what isn't UTF-8.
	escapedByte = 0x100
)

// storable returns a text as PostgreSQL stores it.
func storable(text string) string {
	if strings.IndexByte(text, 0) < 0 && strings.IndexByte(text, escape) < 0 && utf8.ValidString(text) {
		return text
	}
	var to strings.Builder
	for i := 0; i < len(text); {
		char, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case char == 0:
			to.WriteString(string([]rune{escape, escapedNUL}))
		case char == escape:
			to.WriteString(string([]rune{escape, escapedSelf}))
		case char == utf8.RuneError && size == 1:
			to.WriteString(string([]rune{escape, escapedByte + rune(text[i])}))
		default:
			to.WriteString(text[i : i+size])
		}
		i += size
	}
	return to.String()
}

// stored returns the text that PostgreSQL has stored.
func stored(text string) string {
	if strings.IndexByte(text, escape) < 0 {
		return text
	}
	var to strings.Builder
	for {
		before, after, found := strings.Cut(text, string(escape))
		to.WriteString(before)
		if !found {
			return to.String()
		}
		char, size := utf8.DecodeRuneInString(after)
		switch char {
		case escapedNUL:
			to.WriteByte(0)
		case escapedSelf:
			to.WriteByte(escape)
		default:
			to.WriteByte(byte(char - escapedByte)) //nolint:gosec // It was a byte.
		}
		text = after[size:]
	}
}

// storedRow is a row whose texts are those that were stored.
type storedRow struct{ scanner }

func (r storedRow) Scan(dest ...any) error {
	if err := r.scanner.Scan(dest...); err != nil {
		return err
	}
	for _, to := range dest {
		switch to := to.(type) {
		case *string:
			*to = stored(*to)
		case **string:
			if *to != nil {
				**to = stored(**to)
			}
		case *any:
			if text, is := (*to).(string); is {
				*to = stored(text)
			}
		case *jsonList:
			for i, text := range *to {
				(*to)[i] = stored(text)
			}
		}
	}
	return nil
}
