package figure

import "github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"

// folded are the figures of a scope in the quarters of a day.
type folded struct {
	rolled
	known int // Quarters in which other values have no row.
}

// fold returns the figures of a day, which are those of its quarters. A value that has no row in one of them, although it may have runs there,
// has none for the day either.
func fold(tx *store.Tx, mark store.RollupMark) ([]store.Rollup, error) {
	from := mark.Number * int64(store.OneDay)
	within := store.RollupRange{
		WorkspaceID: mark.WorkspaceID, ProjectID: mark.ProjectID, Span: store.OneQuarter, From: from, To: from + int64(store.OneDay),
	}
	type place struct {
		scope  store.RollupScope
		number int64
	}
	var rows []store.Rollup
	incomplete, quarters := map[place]bool{}, map[store.RollupScope]int{}
	if err := tx.EachRollup(within, store.RollupsOf{Any: true}, func(row store.Rollup) error {
		if row.IsRest() {
			incomplete[place{row.RollupScope, row.Number}] = true
			quarters[row.RollupScope]++
		} else {
			rows = append(rows, row)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	all := map[store.RollupScope]*folded{}
	for _, row := range rows {
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
			scope.Value = valueOfSpan(store.FloorDivide(began, int64(store.OneDay)))
		}
		f := all[scope]
		if f == nil {
			f = &folded{}
			all[scope] = f
		}
		if f.fold(next, from); incomplete[place{scope.Rest(), row.Number}] {
			f.known++
		}
	}
	return foldedRows(all, quarters)
}

// foldedRows returns the rows of the values that are known in all quarters, and of these the most frequent.
func foldedRows(all map[store.RollupScope]*folded, quarters map[store.RollupScope]int) ([]store.Rollup, error) {
	rest, counts := map[store.RollupScope]bool{}, map[store.RollupScope]map[string]int{}
	for scope := range quarters {
		rest[scope] = true
	}
	for scope, f := range all {
		of := scope.Rest()
		if f.known < quarters[of] || scope.Property == store.NoProperty {
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
		if scope.Property == store.NoProperty || frequent[scope.Rest()][scope.Value] {
			kept[scope] = &f.rolled
		}
	}
	return rowsOf(kept, rest)
}
