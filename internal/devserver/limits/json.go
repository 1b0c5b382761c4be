package limits

import (
	"fmt"
	"io"
)

// JSON bounds what a JSON text contains. The text is counted while it is read, so that nothing is kept or decoded beyond a bound.
type JSON struct {
	// Depth is the maximum nesting, Values the maximum number of members and elements, and Members that of members alone, which cost more; zero
	// means no limit of their own.
	Depth, Values, Members int
	// Items names the elements of the lists at a level, of which the outermost value is the first. There are at most Most of them together, and
	// Values and Members are bounds of each. There are none at level zero.
	Items       string
	Level, Most int
	// Fields is the maximum number of members of each item, or of the outermost object if there are no items; zero means no limit of its own.
	Fields int
}

// TooManyError reports which bound a text exceeds.
type TooManyError struct {
	What string
	Most int
}

func (e *TooManyError) Error() string { return fmt.Sprintf("more than %d %s", e.Most, e.What) }

// TooDeepError means that a text is nested deeper than its bound.
type TooDeepError struct{ Most int }

func (e *TooDeepError) Error() string { return fmt.Sprintf("nested more than %d deep", e.Most) }

// Reader returns a reader of the same text that fails at the first byte of what is too much, with a *TooManyError or a *TooDeepError. It
// doesn't validate the text.
func (b JSON) Reader(from io.Reader) io.Reader { return &jsonReader{from: from, bounds: b} }

type jsonReader struct {
	from    io.Reader
	bounds  JSON
	failure error

	quoted, escaped bool
	opened          bool // An object or list has begun, and is empty so far.
	listed          bool // What has begun at the level of the items is a list.
	object          bool // What has begun below them is an object.
	depth           int
	values, members int
	items, fields   int
}

func (r *jsonReader) Read(p []byte) (int, error) {
	if r.failure != nil {
		return 0, r.failure
	}
	n, err := r.from.Read(p)
	if r.failure = r.scan(p[:n]); r.failure != nil {
		return 0, r.failure
	}
	return n, err
}

func (r *jsonReader) scan(text []byte) error {
	for _, c := range text {
		if r.quoted {
			switch {
			case r.escaped:
				r.escaped = false
			case c == '\\':
				r.escaped = true
			case c == '"':
				r.quoted = false
			}
			continue
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case ':':
			if r.members++; r.bounds.Members > 0 && r.members > r.bounds.Members {
				return &TooManyError{"members of JSON objects", r.bounds.Members}
			}
			continue
		case ']', '}':
			r.depth, r.opened = r.depth-1, false
			continue
		}
		if r.opened || c == ',' { // Each value but the first follows a comma.
			r.opened = false
			if err := r.count(); err != nil {
				return err
			}
		}
		switch c {
		case '"':
			r.quoted = true
		case '[', '{':
			if r.depth++; r.depth > r.bounds.Depth {
				return &TooDeepError{r.bounds.Depth}
			}
			r.opened = true
			switch r.depth {
			case r.bounds.Level:
				r.listed = c == '['
			case r.bounds.Level + 1:
				r.object, r.fields = c == '{', 0
			}
		}
	}
	return nil
}

// count counts a member or an element.
func (r *jsonReader) count() error {
	if r.values++; r.depth == r.bounds.Level && r.listed {
		if r.items, r.values, r.members = r.items+1, 0, 0; r.items > r.bounds.Most {
			return &TooManyError{r.bounds.Items, r.bounds.Most}
		}
	}
	if r.depth == r.bounds.Level+1 && r.object && r.bounds.Fields > 0 {
		if r.fields++; r.fields > r.bounds.Fields {
			return &TooManyError{"fields", r.bounds.Fields}
		}
	}
	if r.values > r.bounds.Values {
		return &TooManyError{"JSON values", r.bounds.Values}
	}
	return nil
}
