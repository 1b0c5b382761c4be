package web

import (
	"html/template"
	"strings"
)

const (
	// foldedFrom is how many bytes, and foldedLines how many lines, a text has that is folded until somebody wants to read it.
	foldedFrom  = 3000
	foldedLines = 40
	// maxText is how much of a text a page holds. The rest is in the raw data.
	maxText = 16 << 10
	// sideRoom is how much a page holds of all that was said on one side of a run, as it is written in HTML.
	sideRoom = 56 << 10
	// rawRoom is how much of it stands there as JSON.
	rawRoom = 12 << 10
	// headLength is how much of a text is shown while it is folded.
	headLength = 160
)

// room is what is left of the page for contents of any size.
type room struct{ left int }

// take cuts a text off where there is no room for more. It counts what the text takes when it is escaped.
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
	// HTML is the text as Markdown; empty for what is folded, and where it isn't any.
	HTML template.HTML
	Text string
	// Folded texts show their head, with how long they are.
	Folded  bool
	Head    string
	Lines   int64
	Size    int64
	Omitted int64 // Bytes that are missing at the end.
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

// newShownJSON is a value as text, as far as there is room for it.
func newShownJSON(raw []byte, r *room) *jsonText {
	if len(raw) == 0 {
		return nil
	}
	whole := newJSONText(raw)
	text, omitted := r.take(whole.Text, maxText)
	return &jsonText{text, whole.Omitted + int(omitted)}
}
