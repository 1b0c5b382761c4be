package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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
	b.WriteString("; remove these values from the normal form first, or keep the original format")
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

// losses collects what a builder can't write.
type losses struct {
	// document is the document being written, with the original locations of its parts.
	document *prepared
	listed   []Loss
	more     int
}

// add notes a loss. The parts of the pointer are keys and indices in the document being written.
func (l *losses) add(reason string, parts ...any) {
	if len(l.listed) == maxListed {
		l.more++
		return
	}
	l.listed = append(l.listed, Loss{Pointer: rawjson.Pointer(l.document.place(parts)...), Reason: reason})
}

// addExtras notes every extra except those under keys that the builder has written. A null, an empty list or an empty
// object is not a loss: a format without the field says the same.
func (l *losses) addExtras(extras Extras, written []string, parts ...any) {
	keys := make([]string, 0, len(extras))
	for key, value := range extras {
		if !slices.Contains(written, key) && !rawjson.IsVoid(value) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		l.add("", append(slices.Clone(parts), "extras", key)...)
	}
}

// err returns the error: nil if nothing would be lost.
func (l *losses) err(to Format) error {
	if len(l.listed) == 0 {
		return nil
	}
	return &LossError{From: l.document.Format, To: to, Losses: l.listed, More: l.more}
}

// addAlternatives notes that a format can contain only one answer, without alternatives.
func (l *losses) addAlternatives() {
	for i := 1; i < len(l.document.Messages) && l.document.alternatives; i++ {
		l.add("an answer is a single message, but this is an alternative", "messages", i)
	}
}
