package figure

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// folded are the figures of a scope in the parts of a span.
type folded struct {
	rolled
	known int // Parts in which other values have no row.
}

// fold returns the figures of a span, which are those of its parts. A value that has no row in one of them, although it may have runs there,
// has none in the span either.
func fold(tx *store.Tx, mark store.RollupMark) ([]store.Rollup, error) {
	part := store.Spans[slices.Index(store.Spans, mark.Span)-1]
	from := mark.Number * int64(mark.Span/part)
	rows, err := tx.RollupsOfAll(store.RollupRange{WorkspaceID: mark.WorkspaceID, ProjectID: mark.ProjectID, Span: part, From: from, To: from + int64(mark.Span/part)})
	if err != nil {
		return nil, err
	}
	type place struct {
		scope  store.RollupScope
		number int64
	}
	incomplete, parts := map[place]bool{}, map[store.RollupScope]int{}
	for _, row := range rows {
		if row.Property < 0 {
			incomplete[place{row.RollupScope, row.Number}] = true
			parts[row.RollupScope]++
		}
	}
	all := map[store.RollupScope]*folded{}
	for _, row := range rows {
		if row.Property < 0 {
			continue
		}
		next, err := newRolled(row)
		if err != nil {
			return nil, err
		}
		scope := row.RollupScope
		if scope.Property == store.UnpricedProperty {
			began, err := spanOfValue(scope.Value)
			if err != nil {
				return nil, err
			}
			scope.Value = valueOfSpan(store.FloorDivide(began, int64(mark.Span/part)))
		}
		f := all[scope]
		if f == nil {
			f = &folded{}
			all[scope] = f
		}
		if f.fold(next, mark.Number*int64(mark.Span)); incomplete[place{restOf(scope), row.Number}] {
			f.known++
		}
	}
	return foldedRows(all, parts)
}

// foldedRows returns the rows of the values that are known in all parts, and of these the most frequent.
func foldedRows(all map[store.RollupScope]*folded, parts map[store.RollupScope]int) ([]store.Rollup, error) {
	rest, counts := map[store.RollupScope]bool{}, map[store.RollupScope]map[string]int{}
	for scope := range parts {
		rest[scope] = true
	}
	for scope, f := range all {
		of := restOf(scope)
		if f.known < parts[of] || scope.Property == store.NoProperty {
			continue
		}
		if counts[of] == nil {
			counts[of] = map[string]int{}
		}
		counts[of][scope.Value] = f.Runs
	}
	kept := map[store.RollupScope]*rolled{}
	frequent := map[store.RollupScope]map[string]bool{}
	for of, values := range counts {
		if frequent[of] = mostFrequent(values); len(frequent[of]) < len(values) {
			rest[of] = true
		}
	}
	for scope, f := range all {
		if scope.Property == store.NoProperty || frequent[restOf(scope)][scope.Value] {
			kept[scope] = &f.rolled
		}
	}
	return rowsOf(kept, rest)
}
