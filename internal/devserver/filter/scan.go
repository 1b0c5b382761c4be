package filter

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

type tokenKind int

const (
	endToken tokenKind = iota
	wordToken
	stringToken
	numberToken
	markToken
	brokenToken
)

// token is a lexical element of a filter.
type token struct {
	kind     tokenKind
	text     string // Of a string: its value.
	position int    // In characters, from 1.
	problem  string // Of an invalid token.
}

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end"
	case stringToken:
		return strconv.Quote(t.text)
	default:
		return t.text
	}
}

// scan splits a filter into tokens. Invalid input becomes an invalid token, which no rule accepts.
func scan(text string) []token {
	s := scanner{text: []rune(text)}
	for s.at < len(s.text) {
		s.token()
	}
	return append(s.tokens, token{kind: endToken, position: len(s.text) + 1})
}

type scanner struct {
	text   []rune
	at     int
	tokens []token
}

func (s *scanner) token() {
	start, c := s.at, s.text[s.at]
	switch {
	case unicode.IsSpace(c):
		s.at++
		return
	case strings.ContainsRune("(),[]", c):
		s.at++
		s.add(token{kind: markToken, text: string(c)}, start)
	case c == '"' || c == '\'':
		s.add(s.quoted(c), start)
	case unicode.IsLetter(c) || c == '_':
		word := s.while(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' || c == '.' })
		s.add(token{kind: wordToken, text: word}, start)
	case c == '-' || c == '+' || c == '.' || unicode.IsDigit(c):
		s.add(number(s.while(func(c rune) bool { return strings.ContainsRune("+-.eE", c) || unicode.IsDigit(c) })), start)
	default:
		s.at++
		s.add(token{kind: brokenToken, text: string(c), problem: fmt.Sprintf("unexpected %q", c)}, start)
	}
}

func (s *scanner) add(t token, start int) {
	t.position = start + 1
	s.tokens = append(s.tokens, t)
}

func (s *scanner) while(belongs func(rune) bool) string {
	start := s.at
	for s.at < len(s.text) && belongs(s.text[s.at]) {
		s.at++
	}
	return string(s.text[start:s.at])
}

func number(text string) token {
	var digits json.Number
	if err := json.Unmarshal([]byte(text), &digits); err != nil {
		return token{kind: brokenToken, text: text, problem: fmt.Sprintf("%q is not a number", text)}
	}
	return token{kind: numberToken, text: text}
}

var escapes = map[rune]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// quoted reads a string to its closing quote. A backslash escapes the next character.
func (s *scanner) quoted(quote rune) token {
	var text strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case quote:
			s.at++
			return token{kind: stringToken, text: text.String()}
		case '\\':
			s.at++
			if s.at < len(s.text) {
				text.WriteRune(s.escaped())
			}
		default:
			text.WriteRune(c)
		}
	}
	return token{kind: brokenToken, text: text.String(), problem: fmt.Sprintf("the string that starts here has no closing %c", quote)}
}

// escaped returns the escaped character and leaves the scanner on it.
func (s *scanner) escaped() rune {
	c := s.text[s.at]
	if c == 'u' && s.at+4 < len(s.text) {
		if code, err := strconv.ParseInt(string(s.text[s.at+1:s.at+5]), 16, 32); err == nil {
			s.at += 4
			return rune(code)
		}
	}
	if meant, special := escapes[c]; special {
		return meant
	}
	return c
}
