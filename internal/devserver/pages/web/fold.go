package web

import (
	"html/template"
	"strings"
)

const (
	// foldedFrom is the number of bytes, and foldedLines the number of lines, from which a text is collapsed.
	foldedFrom  = 3000
	foldedLines = 40
	// maxText is the maximum size of a text on a page. The rest is in the raw data.
	maxText = 16 << 10
	// sideRoom is the maximum size of one side of a run on a page, in HTML.
	sideRoom = 56 << 10
	// rawRoom is the part of it that may be JSON.
	rawRoom = 12 << 10
	// headLength is how much of a collapsed text is shown.
	headLength = 160
)

// room is the remaining space on the page for contents of any size.
type room struct{ left int }

// take truncates a text to the remaining space. It counts the escaped size.
func (r *room) take(text string, most int) (taken string, omitted int64) {
	taken = text[:min(len(text), most)]
	for len(template.HTMLEscapeString(taken)) > r.left {
		taken = taken[:len(taken)/2]
	}
	r.left -= len(template.HTMLEscapeString(taken))
	return strings.ToValidUTF8(taken, "�"), int64(len(text) - len(taken))
}

// longText is a text of any size.
type longText struct {
	// HTML is the text rendered from Markdown; empty if the text is collapsed or isn't Markdown.
	HTML template.HTML
	Text string
	// Folded texts show their beginning and their length.
	Folded  bool
	Head    string
	Lines   int64
	Size    int64
	Omitted int64 // The number of bytes missing at the end.
}

func newLongText(text string, r *room) longText {
	t := longText{Size: int64(len(text)), Lines: int64(strings.Count(text, "\n") + 1)}
	t.Text, t.Omitted = r.take(text, maxText)
	t.Folded = len(text) > foldedFrom || t.Lines > foldedLines
	if t.Folded {
		t.Head = short(headLength, text)
	}
	return t
}

// newShownJSON formats a value, truncated to the available space.
func newShownJSON(raw []byte, r *room) *jsonText {
	if len(raw) == 0 {
		return nil
	}
	whole := newJSONText(raw)
	text, omitted := r.take(whole.Text, maxText)
	return &jsonText{text, whole.Omitted + int(omitted)}
}
