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

// most is the maximum size of a text: there is much room for a message on its own page.
func (r *room) most() int {
	if r.left > 2*sideRoom {
		return messageRoom / 2
	}
	return maxText
}

// take truncates a text to the remaining space. It counts the escaped size.
func (r *room) take(text string, most int) (taken string, omitted int64) {
	taken = text[:min(len(text), most)]
	for len(template.HTMLEscapeString(taken)) > r.left {
		taken = taken[:len(taken)/2]
	}
	r.left -= len(template.HTMLEscapeString(taken))
	return strings.ToValidUTF8(taken, "�"), int64(len(text) - len(taken))
}

// ends truncates a text in the middle: what people look for is at its beginning or at its end.
func (r *room) ends(text string, most int) (head, tail string, omitted int64) {
	if len(text) <= most && len(template.HTMLEscapeString(text)) <= r.left {
		r.left -= len(template.HTMLEscapeString(text))
		return strings.ToValidUTF8(text, "�"), "", 0
	}
	half := room{r.left / 2}
	tail = text[len(text)-min(len(text)/2, most/2):]
	for len(template.HTMLEscapeString(tail)) > half.left {
		tail = tail[len(tail)-len(tail)/2:]
	}
	r.left -= len(template.HTMLEscapeString(tail))
	head, omitted = r.take(text[:len(text)-len(tail)], most/2)
	return head, strings.ToValidUTF8(tail, "�"), omitted
}

// longText is a text of any size.
type longText struct {
	// HTML is the text rendered from Markdown, and JSON is a text that is JSON, as readable prints it; empty if it is neither.
	HTML template.HTML
	JSON string
	// Text is the text, or its beginning. Then Tail is its end.
	Text, Tail string
	// Folded texts show their beginning and their length.
	Folded  bool
	Head    string
	Lines   int64
	Size    int64
	Omitted int64 // The number of bytes missing in between.
}

func newLongText(text string, r *room) longText {
	t := longText{Size: int64(len(text)), Lines: int64(strings.Count(text, "\n") + 1)}
	t.Text, t.Tail, t.Omitted = r.ends(text, r.most())
	t.Folded = len(text) > foldedFrom || t.Lines > foldedLines
	if t.Folded {
		t.Head = short(headLength, text)
	}
	return t
}

// shownJSON is a JSON value, as people read it or as it was logged.
type shownJSON struct {
	Text, Tail string
	Omitted    int64 // The number of bytes missing in between.
}

// Long reports whether it should be collapsed.
func (j shownJSON) Long() bool {
	return len(j.Text) > foldedFrom || strings.Count(j.Text, "\n") > foldedLines
}

// newShownJSON formats a value, truncated to the available space.
func newShownJSON(raw []byte, r *room) *shownJSON {
	if len(raw) == 0 {
		return nil
	}
	var j shownJSON
	j.Text, j.Tail, j.Omitted = r.ends(readable(raw), r.most())
	return &j
}
