package store

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

const (
	// maxLookups is how many grams of a text are looked up in the newest blocks, and minLookups how many at least in others.
	maxLookups, minLookups = 16, 4
	// lookupBlocks is the number of blocks in which a statement looks up grams.
	lookupBlocks = 8
	// minListed is how many candidates are always listed; of more, at most a quarter of all runs are.
	minListed = 4 << 10
)

// candidates are the runs that can satisfy a filter as far as the search index knows.
type candidates struct {
	blocks  map[int64]*candidateBlock
	changed map[int64]bool
	// listed are all of them, if they are few.
	listed jsonNumbers
}

// candidateBlock has the candidates among the indexed runs of a block, which are those before through.
type candidateBlock struct {
	through int64
	runs    runSet
}

func (c *candidates) has(run int64) bool {
	b := c.blocks[run/blockRuns]
	return b == nil || run >= b.through || b.runs.has(int(run%blockRuns)) || c.changed[run]
}

// answer reports whether a run is a candidate, without reading its body.
func (c *candidates) answer(_ context.Context, columns []driver.Value) (bool, error) {
	run, is := columns[0].(int64)
	return is && c.has(run), nil
}

// narrow looks up in the search index which runs can satisfy a filter, and which traces.
func (t *Tx) narrow(f RunFilter) (RunFilter, error) {
	f = f.in(t)
	if f.IDs != nil || f.TraceID != "" || f.ParentRunID != "" { // Those are few anyway.
		return f, nil
	}
	var err error
	if f.candidates, err = t.candidatesFor(f.Where); err != nil {
		return f, err
	}
	return t.narrowTraces(f)
}

// candidatesFor looks up which runs can satisfy an expression; nil if the index can't tell.
func (t *Tx) candidatesFor(e filter.Expr) (*candidates, error) {
	if !hasText(e) {
		return nil, nil
	}
	indexed, err := t.searchBlocks()
	if err != nil || len(indexed) == 0 {
		return nil, err
	}
	blocks := slices.Sorted(maps.Keys(indexed))
	slices.Reverse(blocks)
	sets, err := t.runsWith(e, blocks)
	if err != nil || sets == nil {
		return nil, err
	}
	c := &candidates{blocks: map[int64]*candidateBlock{}, changed: map[int64]bool{}}
	for i, number := range blocks {
		b := indexed[number]
		sets[i].or(&b.long)
		c.blocks[number] = &candidateBlock{b.through, sets[i]}
	}
	changed, err := query(t, scanNumber, "SELECT run FROM search_changed")
	if err != nil {
		return nil, err
	}
	for _, run := range changed {
		c.changed[run] = true
	}
	newest, err := queryOne(t, scanNumber, "SELECT coalesce(max(seq), -1) FROM runs")
	// A page of what is in every fourth run is full soon. If something else makes it rare, there are at most four times as
	// many runs to go through.
	c.list(newest, min(t.index.maxListed, max(minListed, int(newest/4))))
	return c, err
}

// hasText reports whether an expression searches for a text.
func hasText(e filter.Expr) bool {
	switch e := e.(type) {
	case filter.Search:
		return true
	case filter.And:
		return slices.ContainsFunc(e.Terms, hasText)
	case filter.Or:
		return slices.ContainsFunc(e.Terms, hasText)
	}
	return false
}

// runsWith returns for each of some blocks the indexed runs that can satisfy an expression; nil if the index can't tell.
func (t *Tx) runsWith(e filter.Expr, blocks []int64) (sets []runSet, err error) {
	switch e := e.(type) {
	case filter.Search:
		if grams := gramsOf(e.Text, maxLookups); grams != nil {
			return t.runsWithGrams(grams, blocks)
		}
	case filter.And:
		for _, term := range e.Terms {
			with, err := t.runsWith(term, blocks)
			if err != nil {
				return nil, err
			}
			if sets == nil {
				sets = with
				continue
			}
			for i := range with {
				sets[i].and(&with[i])
			}
		}
	case filter.Or:
		sets = make([]runSet, len(blocks))
		for _, term := range e.Terms {
			with, err := t.runsWith(term, blocks)
			if err != nil || with == nil {
				return nil, err
			}
			for i := range with {
				sets[i].or(&with[i])
			}
		}
	}
	return sets, nil
}

// runsWithGrams returns the runs of some blocks that have all grams. Of those that leave out no runs of the first blocks
// that rarer ones don't, few are looked up in the next blocks.
func (t *Tx) runsWithGrams(grams []gram, blocks []int64) (sets []runSet, err error) {
	for some := range slices.Chunk(blocks, lookupBlocks) {
		var ids jsonNumbers
		for _, block := range some {
			for _, g := range grams {
				ids = append(ids, partID(block, g))
			}
		}
		parts, err := t.searchSets("id IN "+numbers("?"), ids)
		if err != nil {
			return nil, err
		}
		having := map[gram][]runSet{}
		for _, g := range grams {
			for _, block := range some {
				having[g] = append(having[g], setIn(parts[partID(block, g)], g))
			}
		}
		slices.SortFunc(grams, func(a, b gram) int { return sizeOf(having[a]) - sizeOf(having[b]) })
		found := having[grams[0]]
		narrowing := grams[:1]
		for _, g := range grams[1:] {
			before := sizeOf(found)
			for i := range found {
				found[i].and(&having[g][i])
			}
			if sizeOf(found) < before || len(narrowing) < minLookups {
				narrowing = append(narrowing, g)
			}
		}
		grams, sets = narrowing, append(sets, found...)
	}
	return sets, nil
}

func sizeOf(sets []runSet) (n int) {
	for i := range sets {
		n += sets[i].size()
	}
	return n
}

// searchSets reads rows of the index.
func (t *Tx) searchSets(where string, args ...any) (map[int64][]byte, error) {
	type part struct {
		id   int64
		sets []byte
	}
	found := map[int64][]byte{}
	return found, each(t, func(row scanner) (p part, err error) {
		err = row.Scan(&p.id, &p.sets)
		return p, err
	}, func(p part) error { found[p.id] = p.sets; return nil }, "SELECT id, sets FROM search_sets WHERE "+where, args...)
}

// list lists the candidates, including those that are not indexed, unless they are too many.
func (c *candidates) list(newest int64, limit int) {
	listed := jsonNumbers{}
	for run := range c.changed {
		listed = append(listed, run)
	}
	for block := int64(0); block*blockRuns <= newest; block++ {
		unindexed := block * blockRuns
		if b := c.blocks[block]; b != nil {
			for run := range b.runs.all() {
				listed = append(listed, block*blockRuns+int64(run))
			}
			unindexed = b.through
		}
		for run := unindexed; run < (block+1)*blockRuns && run <= newest; run++ {
			listed = append(listed, run)
		}
		if len(listed) > limit {
			return
		}
	}
	c.listed = listed
}
