package web

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxReadable is the size from which JSON is shown as it was logged.
const maxReadable = 8 * maxJSON

// readable prints JSON for people: indented, with line breaks in strings as lines, and strings that are JSON as what they contain. JSON in
// that JSON stays a string. What isn't JSON, or would be mostly indentation, stays as it is.
func readable(raw []byte) string {
	if len(raw) > maxReadable || indentation(raw) > maxIndentation || !json.Valid(raw) {
		return string(raw)
	}
	var p readablePrinter
	p.decode = true
	p.document(raw, 0)
	if p.Len() > maxReadable+maxIndentation {
		return string(raw)
	}
	return p.String()
}

// isJSON reports whether a text is an object or an array.
func isJSON(text string) bool {
	trimmed := strings.TrimSpace(text)
	return len(trimmed) > 1 && len(trimmed) <= maxReadable && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed))
}

type readablePrinter struct {
	bytes.Buffer
	// decode says that strings may be decoded.
	decode bool
}

// level is an object or an array that is being printed.
type level struct {
	closing string
	object  bool
	count   int // Of keys and values.
}

// document prints valid JSON whose lines after the first are indented by some levels.
func (p *readablePrinter) document(raw []byte, indent int) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var open []level
	for {
		token, err := decoder.Token()
		if err != nil || p.Len() > maxReadable+maxIndentation {
			return
		}
		delimiter, is := token.(json.Delim)
		if is && (delimiter == '}' || delimiter == ']') {
			closed := open[len(open)-1]
			if open = open[:len(open)-1]; closed.count > 0 {
				p.line(indent + len(open))
			}
			p.WriteString(closed.closing)
			continue
		}
		p.separate(open, indent)
		switch delimiter {
		case '{':
			p.WriteByte('{')
			open = append(open, level{closing: "}", object: true})
		case '[':
			p.WriteByte('[')
			open = append(open, level{closing: "]"})
		default:
			p.scalar(token, indent+len(open), len(open) > 0 && open[len(open)-1].object && open[len(open)-1].count%2 == 1)
		}
	}
}

// separate prints what comes before the next key or value, and counts it.
func (p *readablePrinter) separate(open []level, indent int) {
	if len(open) == 0 {
		return
	}
	in := &open[len(open)-1]
	if in.object && in.count%2 == 1 {
		p.WriteString(": ")
	} else {
		if in.count > 0 {
			p.WriteByte(',')
		}
		p.line(indent + len(open))
	}
	in.count++
}

func (p *readablePrinter) line(indent int) {
	p.WriteByte('\n')
	for range indent {
		p.WriteString("  ")
	}
}

// scalar prints a key or a value that has no others in it.
func (p *readablePrinter) scalar(token json.Token, indent int, isKey bool) {
	text, is := token.(string)
	switch {
	case !is:
		encoded, _ := json.Marshal(token) // A number, a boolean or null.
		p.Write(encoded)
	case p.decode && !isKey && isJSON(text):
		p.decode = false
		p.document([]byte(text), indent)
		p.decode = true
	default:
		p.WriteByte('"')
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				p.line(indent + 1)
			}
			quoted := Encode(line)
			p.Write(quoted[1 : len(quoted)-1])
		}
		p.WriteByte('"')
	}
}

// Encode returns a value that can be encoded as JSON. Templates escape it for HTML.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
