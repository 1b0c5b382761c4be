package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Loss is one value that a format has no place for.
type Loss struct {
	// Pointer is the JSON pointer of the value in the normal form of the document.
	Pointer string
	// Reason says why it can't be written, or is empty when there is simply no place for it.
	Reason string
}

// LossError refuses a conversion that would lose something, and names all of it.
type LossError struct {
	From, To Format
	Losses   []Loss
}

// Error lists every loss.
func (e *LossError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "building %s from %s would lose ", e.To, e.From)
	for i, l := range e.Losses {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cmp.Or(l.Pointer, "the document"))
		if l.Reason != "" {
			b.WriteString(" (" + l.Reason + ")")
		}
	}
	b.WriteString("; remove these values from the normal form first, or keep the format")
	return b.String()
}

// losses gathers what a builder can't write.
type losses []Loss

// add notes a loss. The parts of the pointer are keys and indices.
func (l *losses) add(reason string, parts ...any) {
	*l = append(*l, Loss{Pointer: rawjson.Pointer(parts...), Reason: reason})
}

// addExtras notes every extra but those under the keys that the builder has written. A null, an empty
// list or an empty object is no information: a format that has no such field says the same by its absence.
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

// err is the error to return: nil when nothing would be lost.
func (l losses) err(from, to Format) error {
	if len(l) == 0 {
		return nil
	}
	return &LossError{From: from, To: to, Losses: l}
}
