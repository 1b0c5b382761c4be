package document

import (
	"cmp"
	"fmt"
	"strings"
)

// Loss is one value that a format can't contain.
type Loss struct {
	// Pointer is the JSON pointer of the value in the normal form of the document.
	Pointer string
	// Reason says why it can't be written; empty if there is simply no place for it.
	Reason string
}

// LossError is the error for a conversion that would lose content.
type LossError struct {
	From, To Format
	Losses   []Loss
	// More counts the losses that a long list omits.
	More int
}

// Error lists every loss.
func (e *LossError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "building %s from %s would lose ", e.To, e.From)
	for i, l := range e.Losses {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cmp.Or(shortened(l.Pointer), "the document"))
		if l.Reason != "" {
			b.WriteString(" (" + l.Reason + ")")
		}
	}
	if e.More > 0 {
		fmt.Fprintf(&b, " and %d more", e.More)
	}
	return b.String()
}

// shortened shortens a pointer for a message: keys can have any length.
func shortened(pointer string) string {
	const most = 200
	if len(pointer) <= most {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:most], "") + "…"
}
