package store

import (
	"iter"
	"strings"
)

// Place is the run's place in the order of its trace; empty while it is unknown.
func (f RunFigures) Place() string {
	if f.DottedOrder == nil {
		return ""
	}
	return *f.DottedOrder
}

// Lineage returns the IDs of a run and all of its ancestors, starting with the root. They are part of its dotted order, so
// that a run counts for its trace even if one in between has not arrived. A run whose place is unknown counts only for
// itself.
func (f RunFigures) Lineage() iter.Seq[string] {
	return func(yield func(string) bool) {
		if f.DottedOrder == nil {
			yield(f.ID)
			return
		}
		for segment := range strings.SplitSeq(*f.DottedOrder, ".") {
			if _, id, _ := strings.Cut(segment, "Z"); !yield(id) {
				return
			}
		}
	}
}

// IsBelow reports whether the run, or one of its ancestors, has an ID.
func (r Run) IsBelow(id string) bool {
	for ancestor := range (RunFigures{ID: r.ID, DottedOrder: r.DottedOrder}).Lineage() {
		if ancestor == id {
			return true
		}
	}
	return false
}
