package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
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
func says(ctx context.Context, texts []string, all bool, documents ...[]byte) (bool, error) {
	s := newSearch(texts, all)
	for _, document := range documents {
		if s.done {
			break
		}
		if err := eachPiece(ctx, document, s.longest, s.find); err != nil {
			return false, err
		}
	}
	return s.done, nil
}

// find looks for the missing texts in a piece of a value, and reports whether the search is over.
func (s *search) find(piece []byte) (done bool) {
	before := len(s.missing)
	s.missing = slices.DeleteFunc(s.missing, func(text []byte) bool { return bytes.Contains(piece, text) })
	s.done = len(s.missing) == 0 || !s.all && len(s.missing) < before
	return s.done
}

// eachPiece calls visit with all values in a document, decoded and in lower case, until visit returns true. Long values come in
// pieces that overlap, so that no text of so many bytes is split between two.
func eachPiece(ctx context.Context, document []byte, longest int, visit func(piece []byte) (done bool)) error {
	w := jsonWalk{ctx: ctx, document: document}
	piece := []byte{}
	for {
		token, err := w.next()
		if err != nil || len(token) == 0 {
			return err
		}
		if deeper(token) != 0 || token[0] == '"' && w.isName() {
			continue
		}
		if piece, err = inPieces(ctx, token, piece[:0], longest, visit); err != nil || piece == nil {
			return err
		}
	}
}

// inPieces calls visit with the pieces of one value, and returns the buffer that it used; nil when visit is done.
func inPieces(ctx context.Context, value, piece []byte, longest int, visit func(piece []byte) (done bool)) ([]byte, error) {
	most, isText := max(checkBytes, longest), value[0] == '"'
	if isText {
		value = unquoted(value)
	}
	for {
		decoded := len(piece)
		if isText {
			piece, value = appendDecoded(piece, value, most)
		} else {
			piece, value = append(piece, value...), nil
		}
		filter.ToLower(piece[decoded:])
		if visit(piece) {
			return nil, nil
		}
		if len(value) == 0 {
			return piece, ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		piece = append(piece[:0], piece[max(0, len(piece)-longest):]...)
	}
}
