package store

import (
	"bytes"
	"encoding/json"
	"strings"
)

// says tells whether one of the values in a JSON document contains a text in small letters, in whatever case its Latin
// letters are. Names are no values. Clients encode texts in different ways, so values are decoded before they are compared.
// It reads the document once, however deep that is nested.
func says(document []byte, text string) bool {
	needle := []byte(text)
	for i := 0; i < len(document); {
		switch c := document[i]; {
		case c == '"':
			end := endOfString(document, i)
			if !isName(document[end:]) && containsFold(decoded(document[i:end]), needle) {
				return true
			}
			i = end
		case strings.IndexByte("{}[],: \t\r\n", c) >= 0:
			i++
		default: // A number, true, false or null.
			end := i + 1
			for end < len(document) && strings.IndexByte("]}, \t\r\n", document[end]) < 0 {
				end++
			}
			if containsFold(document[i:end], needle) {
				return true
			}
			i = end
		}
	}
	return false
}

// endOfString is the place after the string that begins at a place.
func endOfString(document []byte, begin int) int {
	inside := document[begin+1:]
	if quote := bytes.IndexByte(inside, '"'); quote >= 0 && bytes.IndexByte(inside[:quote], '\\') < 0 {
		return begin + 1 + quote + 1
	}
	for i := 0; i < len(inside); i++ {
		switch inside[i] {
		case '\\':
			i++
		case '"':
			return begin + 1 + i + 1
		}
	}
	return len(document)
}

// isName says that what follows a string makes it the name of a member.
func isName(after []byte) bool {
	for _, c := range after {
		if strings.IndexByte(" \t\r\n", c) < 0 {
			return c == ':'
		}
	}
	return false
}

// decoded is what a string in quotes says.
func decoded(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return bytes.Trim(quoted, `"`)
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return nil // It was JSON when it was stored.
	}
	return []byte(text)
}

// foldPiece is how much of a value is put into small letters at once.
const foldPiece = 64 << 10

// containsFold tells whether a value contains a text in small letters. Pieces overlap, so that none cuts the text in two.
func containsFold(value, needle []byte) bool {
	piece := make([]byte, min(len(value), foldPiece+len(needle)))
	for begin := 0; ; begin += foldPiece {
		end := min(len(value), begin+len(piece))
		small := piece[:end-begin]
		for i, c := range value[begin:end] {
			small[i] = smallLetter[c]
		}
		if bytes.Contains(small, needle) {
			return true
		}
		if end == len(value) {
			return false
		}
	}
}

// smallLetter is each byte, with Latin letters put into small ones.
var smallLetter = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = byte(c + 'a' - 'A')
	}
	return table
}()
