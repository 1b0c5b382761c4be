package filter

import (
	"bytes"
	"context"
	"strings"
)

// leastPiece and mostPiece are how much of a text is converted to lower case and searched at once: little at first, because most parts
// of a pattern occur soon. Between pieces, the context is checked.
const leastPiece, mostPiece = 1 << 10, 64 << 10

// Matches reports whether a text matches the pattern. It takes linear time, because each part between percent signs is looked for
// after the previous one, and ends early with the error of ctx.
func (l Like) Matches(ctx context.Context, text []byte) (bool, error) {
	pattern := Lower(l.Pattern)
	if l.Contains || !strings.Contains(pattern, "%") {
		after, err := afterPart(ctx, text, []byte(pattern))
		return after >= 0, err
	}
	parts := strings.Split(pattern, "%")
	first, last := []byte(parts[0]), []byte(parts[len(parts)-1])
	if len(text) < len(first)+len(last) || !hasFolded(text, first) || !hasFolded(text[len(text)-len(last):], last) {
		return false, nil
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		after, err := afterPart(ctx, text, []byte(part))
		if err != nil || after < 0 {
			return false, err
		}
		text = text[after:]
	}
	return true, nil
}

// hasFolded reports whether a text starts with a prefix in lower case.
func hasFolded(text, prefix []byte) bool {
	lower := bytes.Clone(text[:len(prefix)])
	ToLower(lower)
	return bytes.Equal(lower, prefix)
}

// afterPart returns the position after the first occurrence of a part, which is in lower case; -1 if there is none. Pieces overlap,
// so that no occurrence is split between two.
func afterPart(ctx context.Context, text, part []byte) (int, error) {
	var lower []byte
	step := max(leastPiece, len(part))
	for begin := 0; ; {
		if err := ctx.Err(); err != nil {
			return -1, err
		}
		end := min(len(text), begin+step+len(part))
		lower = append(lower[:0], text[begin:end]...)
		ToLower(lower)
		if at := bytes.Index(lower, part); at >= 0 {
			return begin + at + len(part), nil
		}
		if end == len(text) {
			return -1, nil
		}
		begin += step
		step = max(step, min(2*step, mostPiece))
	}
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
		text[i] = lowerLetter[c]
	}
}

// lowerLetter maps each byte, with Latin letters in lower case.
var lowerLetter = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = byte(c + 'a' - 'A')
	}
	return table
}()
