package filter

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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

// quoted reads a string to its closing quote. A backslash escapes what it does in JSON, and otherwise the next character.
func (s *scanner) quoted(quote rune) token {
	var text strings.Builder
	for s.at++; s.at < len(s.text); {
		switch c := s.text[s.at]; c {
		case quote:
			s.at++
			return token{kind: stringToken, text: text.String()}
		case '\\':
			text.WriteString(s.escaped())
		default:
			text.WriteRune(c)
			s.at++
		}
	}
	return token{kind: brokenToken, text: text.String(), problem: fmt.Sprintf("the string that starts here has no closing %c", quote)}
}

// escapes matches what JSON can escape: a character, or its code units, of which one beyond the first 65,536 has two.
var escapes = regexp.MustCompile(`^\\(?:[bfnrt]|u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})`)

// escaped reads an escape sequence, of at most twelve characters.
func (s *scanner) escaped() string {
	next := s.text[s.at:min(s.at+12, len(s.text))]
	if sequence := escapes.FindString(string(next)); sequence != "" {
		s.at += len(sequence)
		text, _ := rawjson.ReadString([]byte(`"` + sequence + `"`))
		return text
	}
	next = next[:min(2, len(next))]
	s.at += len(next)
	return string(next[1:])
}
