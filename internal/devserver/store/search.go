package store

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// search looks for texts in the values of JSON documents, ignoring the case of Latin letters. Member names are not
// searched. Clients encode strings in different ways, so values are decoded before they are compared.
type search struct {
	missing [][]byte // In lower case.
	all     bool     // All texts must be found, not just one.
	done    bool
	longest int
}

func newSearch(texts []string, all bool) *search {
	s := &search{all: all, done: len(texts) == 0}
	for _, text := range texts {
		s.missing = append(s.missing, []byte(filter.Lower(text)))
		s.longest = max(s.longest, len(text))
	}
	return s
}

// says returns whether one of the texts, or all of them, are in the documents. It reads each document once, whatever its
// nesting and the number of texts.
func says(texts []string, all bool, documents ...[]byte) bool {
	s := newSearch(texts, all)
	for _, document := range documents {
		s.read(document)
	}
	return s.done
}

func (s *search) read(document []byte) {
	for i := 0; i < len(document) && !s.done; {
		switch c := document[i]; {
		case c == '"':
			end := endOfString(document, i)
			if !isName(document[end:]) {
				s.find(decoded(document[i:end]))
			}
			i = end
		case strings.IndexByte("{}[],: \t\r\n", c) >= 0:
			i++
		default: // A number, true, false or null.
			end := i + 1
			for end < len(document) && strings.IndexByte("]}, \t\r\n", document[end]) < 0 {
				end++
			}
			s.find(document[i:end])
			i = end
		}
	}
}

// endOfString returns the position after the string that starts at a position.
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

// isName says whether the text after a string makes it a member name.
func isName(after []byte) bool {
	for _, c := range after {
		if strings.IndexByte(" \t\r\n", c) < 0 {
			return c == ':'
		}
	}
	return false
}

// decoded returns the value of a quoted string.
func decoded(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return bytes.Trim(quoted, `"`)
	}
	text, _ := rawjson.ReadString(quoted) // It was valid JSON when it was stored.
	return []byte(text)
}

// foldPiece is how much of a value is converted to lower case at once.
const foldPiece = 64 << 10

// find looks for the missing texts in a value. Pieces overlap, so that no text is split between two.
func (s *search) find(value []byte) {
	piece := make([]byte, min(len(value), foldPiece+s.longest))
	for begin := 0; !s.done; begin += foldPiece {
		end := min(len(value), begin+len(piece))
		small := piece[:end-begin]
		for i, c := range value[begin:end] {
			small[i] = smallLetter[c]
		}
		before := len(s.missing)
		s.missing = slices.DeleteFunc(s.missing, func(text []byte) bool { return bytes.Contains(small, text) })
		s.done = len(s.missing) == 0 || !s.all && len(s.missing) < before
		if end == len(value) {
			return
		}
	}
}

// smallLetter maps each byte, with Latin letters in lower case.
var smallLetter = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = byte(c + 'a' - 'A')
	}
	return table
}()
