package store

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// checkBytes is how much of a document is read, or of a value decoded, before the context is checked again.
const checkBytes = 64 << 10

// jsonWalk reads the tokens of a valid JSON document in place. It takes linear time, whatever the nesting, and ends early with the
// error of ctx.
type jsonWalk struct {
	ctx      context.Context
	document []byte
	at       int // The position after the token.
	checked  int
}

// next returns the next token: a quoted string, a bracket, or another value. A token of no bytes is the end. Commas and colons are
// skipped.
func (w *jsonWalk) next() ([]byte, error) {
	if w.at-w.checked > checkBytes {
		w.checked = w.at
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
	}
	for w.at < len(w.document) && strings.IndexByte(",: \t\r\n", w.document[w.at]) >= 0 {
		w.at++
	}
	begin := w.at
	if begin == len(w.document) {
		return nil, nil
	}
	switch w.document[begin] {
	case '"':
		w.at = endOfString(w.document, begin)
	case '{', '}', '[', ']':
		w.at++
	default: // A number, true, false or null.
		for w.at++; w.at < len(w.document) && strings.IndexByte("]}, \t\r\n", w.document[w.at]) < 0; {
			w.at++
		}
	}
	return w.document[begin:w.at], nil
}

// isName reports whether the token is the name of a member.
func (w *jsonWalk) isName() bool {
	for _, c := range w.document[w.at:] {
		if strings.IndexByte(" \t\r\n", c) < 0 {
			return c == ':'
		}
	}
	return false
}

// skip reads to the end of the value that starts with a token.
func (w *jsonWalk) skip(token []byte) error {
	for depth := deeper(token); depth > 0; {
		token, err := w.next()
		if err != nil || len(token) == 0 {
			return err
		}
		depth += deeper(token)
	}
	return nil
}

// deeper returns by how much a token changes the nesting.
func deeper(token []byte) int {
	if len(token) > 0 {
		switch token[0] {
		case '{', '[':
			return 1
		case '}', ']':
			return -1
		}
	}
	return 0
}

// memberOf returns the JSON of a member of a document that is an object; nil if there is none. The first of several counts.
func memberOf(ctx context.Context, document []byte, name string) ([]byte, error) {
	w := jsonWalk{ctx: ctx, document: document}
	if first, err := w.next(); err != nil || string(first) != "{" {
		return nil, err
	}
	for {
		key, err := w.next()
		if err != nil || len(key) == 0 || key[0] != '"' {
			return nil, err
		}
		found := isText(key, name)
		value, err := w.next()
		if err != nil {
			return nil, err
		}
		begin := w.at - len(value)
		if err := w.skip(value); err != nil {
			return nil, err
		}
		if found {
			return document[begin:w.at], nil
		}
	}
}

// isText reports whether a quoted string has a value.
func isText(quoted []byte, text string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(unquoted(quoted)) == text
	}
	return string(decoded(quoted, len(text)+1)) == text
}

// endOfString returns the position after the string that starts at a position.
func endOfString(document []byte, begin int) int {
	for at := begin + 1; ; {
		quote := bytes.IndexByte(document[at:], '"')
		if quote < 0 {
			return len(document)
		}
		end := at + quote
		backslashes := 0
		for i := end - 1; i >= at && document[i] == '\\'; i-- {
			backslashes++
		}
		at = end + 1
		if backslashes%2 == 0 {
			return at
		}
	}
}

// decoded returns the beginning of the value of a quoted string, and at most a character more than so many bytes.
func decoded(quoted []byte, most int) []byte {
	text, _ := appendDecoded(nil, unquoted(quoted), most)
	return text
}

// unquoted returns what is between the quotes.
func unquoted(quoted []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(quoted, []byte{'"'}), []byte{'"'})
}

// appendDecoded decodes what is between quotes until it has at least so many bytes, and returns the rest.
func appendDecoded(to, encoded []byte, most int) (text, rest []byte) {
	for until := len(to) + most; len(to) < until && len(encoded) > 0; {
		plain := encoded[:min(len(encoded), until-len(to))]
		if escape := bytes.IndexByte(plain, '\\'); escape >= 0 {
			plain = plain[:escape]
		}
		to, encoded = append(to, plain...), encoded[len(plain):]
		if len(encoded) > 0 && encoded[0] == '\\' {
			to, encoded = appendEscaped(to, encoded)
		}
	}
	return to, encoded
}

// escapes are the values of escapes other than \u.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendEscaped decodes an escape at the beginning; an unpaired surrogate becomes U+FFFD.
func appendEscaped(to, encoded []byte) (text, rest []byte) {
	if len(encoded) < 2 {
		return to, nil
	}
	if encoded[1] != 'u' {
		c := encoded[1]
		if value, is := escapes[c]; is {
			c = value
		}
		return append(to, c), encoded[2:]
	}
	char, rest := hexEscape(encoded)
	if utf16.IsSurrogate(char) {
		second, after := hexEscape(rest)
		if char = utf16.DecodeRune(char, second); char != utf8.RuneError {
			rest = after
		}
	}
	return utf8.AppendRune(to, char), rest
}

// hexEscape returns the number in an escape such as \u00e4, and what follows; U+FFFD if there is none.
func hexEscape(encoded []byte) (char rune, rest []byte) {
	if len(encoded) < 6 || encoded[0] != '\\' || encoded[1] != 'u' {
		return utf8.RuneError, encoded[min(len(encoded), 2):]
	}
	for _, c := range encoded[2:6] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 {
			return utf8.RuneError, encoded[2:]
		}
		char = char<<4 | rune(digit) //nolint:gosec // It is below 16.
	}
	return char, encoded[6:]
}
