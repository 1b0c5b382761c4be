package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// narrowing is what the search index knows about a filter: a run can only satisfy it if it has all grams, and satisfies all terms or,
// if any is set, one of them.
type narrowing struct {
	grams []gram
	any   bool
	terms []narrowing
}

const (
	// mostLookups is about how many grams of a filter are looked up, and leastLookups how many of each text.
	mostLookups, leastLookups = 16, 4
	// candidatesAtOnce is the number of candidates whose bodies are read before it is known whether a page is full.
	candidatesAtOnce = 256
)

// narrowingOf returns false for a filter that the index can't narrow.
func narrowingOf(e filter.Expr, grams int) (n narrowing, can bool) {
	switch e := e.(type) {
	case filter.Search:
		n.grams = gramsOf(e.Text, grams)
		return n, n.grams != nil
	case filter.And:
		for _, term := range e.Terms {
			if inner, narrows := narrowingOf(term, grams); narrows {
				n.terms = append(n.terms, inner)
			}
		}
		return n, n.terms != nil
	case filter.Or:
		n.any = true
		for _, term := range e.Terms {
			inner, narrows := narrowingOf(term, grams)
			if !narrows {
				return n, false
			}
			n.terms = append(n.terms, inner)
		}
		return n, n.terms != nil
	}
	return n, false
}

// all returns all grams.
func (n narrowing) all() []gram {
	all := slices.Clone(n.grams)
	for _, term := range n.terms {
		all = append(all, term.all()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// in returns the runs of a block that can satisfy the filter.
func (n narrowing) in(having func(gram) runSet) (set runSet) {
	if !n.any {
		for i := range set {
			set[i] = ^uint64(0)
		}
	}
	for _, g := range n.grams {
		if set == (runSet{}) {
			break
		}
		with := having(g)
		set.and(&with)
	}
	for _, term := range n.terms {
		inner := term.in(having)
		if n.any {
			set.or(&inner)
		} else {
			set.and(&inner)
		}
	}
	return set
}

// candidates are the runs that can satisfy a filter as far as the search index knows.
type candidates struct {
	blocks  map[int64]*candidateBlock
	changed map[int64]bool
	// listed are all of them, if they are few.
	listed jsonNumbers
}

// candidateBlock is a block that is indexed up to a run.
type candidateBlock struct {
	block, through int64
	outside        bool // Of the time range: only changed runs are candidates.
	runs           runSet
	merged         int // Its parts before this one are merged with those of its group.
}

func (b *candidateBlock) isMerged(g gram) bool { return int(g)/partGrams < b.merged }

func scanCandidateBlock(row scanner) (*candidateBlock, error) {
	var b candidateBlock
	var unread []byte
	err := row.Scan(&b.block, &b.through, &b.outside, &unread, &b.merged)
	if !b.outside {
		b.runs = readSet(unread)
	}
	return &b, err
}

func (c *candidates) has(run int64) bool {
	b := c.blocks[run/blockRuns]
	return b == nil || run >= b.through || b.runs.has(int(run%blockRuns)) || c.changed[run]
}

// unlisted returns the candidates without their list.
func (c *candidates) unlisted() *candidates {
	if c == nil {
		return nil
	}
	return &candidates{blocks: c.blocks, changed: c.changed}
}

// answer reports whether a run is a candidate, without reading its body.
func (c *candidates) answer(_ context.Context, columns []driver.Value) (bool, error) {
	run, is := columns[0].(int64)
	if !is {
		return false, fmt.Errorf("a run has the number %v, want an integer", columns[0])
	}
	return c.has(run), nil
}

// in makes a filter one of the transaction's database.
func (f RunFilter) in(t *Tx) RunFilter {
	f.on = t.backend
	return f
}

// narrow looks up in the search index which runs can satisfy a filter, and which traces.
func (t *Tx) narrow(f RunFilter) (RunFilter, error) {
	f = f.in(t)
	if f.IDs != nil || f.TraceID != "" || f.ParentRunID != "" { // Those are few anyway.
		return f, nil
	}
	var err error
	if f.candidates, err = t.candidatesFor(f.Where, f.From, f.To); err != nil {
		return f, err
	}
	return t.narrowTraces(f)
}

// candidatesFor looks up which runs that started in a time range can satisfy an expression; nil if the index doesn't know.
func (t *Tx) candidatesFor(e filter.Expr, from, to *time.Time) (*candidates, error) {
	n, can := narrowingOf(e, mostLookups)
	if !can {
		return nil, nil
	}
	if all := len(n.all()); all > mostLookups {
		n, _ = narrowingOf(e, max(leastLookups, mostLookups*mostLookups/all))
	}
	c := &candidates{blocks: map[int64]*candidateBlock{}, changed: map[int64]bool{}}
	outside, args := outsideOf(from, to)
	blocks, err := query(t, scanCandidateBlock, "SELECT s.block, s.through, CASE WHEN "+outside+" THEN TRUE ELSE FALSE END, s.unread, s.merged "+
		"FROM search_blocks s ORDER BY s.block", args...)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	changed, err := query(t, scanNumber, "SELECT run FROM search_changed")
	if err != nil {
		return nil, err
	}
	for _, run := range changed {
		c.changed[run] = true
	}
	for _, b := range blocks {
		c.blocks[b.block] = b
	}
	inside := slices.DeleteFunc(blocks, func(b *candidateBlock) bool { return b.outside })
	for len(inside) > 0 {
		group := inside[0].block / groupBlocks
		some := inside
		if end := slices.IndexFunc(inside, func(b *candidateBlock) bool { return b.block/groupBlocks != group }); end > 0 {
			some = inside[:end]
		}
		if err := t.lookUp(n, group, some); err != nil {
			return nil, err
		}
		inside = inside[len(some):]
	}
	newest, err := queryOne(t, scanNumber, "SELECT coalesce(max(seq), -1) FROM runs")
	// A page of what is in every fourth run is full soon. If something else makes it rare, there are at most four times as many runs to go
	// through.
	c.list(newest, min(t.index.mostListed, max(2*blockRuns, int(newest/4))))
	return c, err
}

// outsideOf is the condition that all runs of a block are outside of a time range.
func outsideOf(from, to *time.Time) (text string, args []any) {
	var conditions []condition
	if from != nil {
		conditions = append(conditions, where("s.start_to < ?", micros(*from)))
	}
	if to != nil {
		conditions = append(conditions, where("s.start_from >= ?", micros(*to)))
	}
	outside := join(conditions, "OR", false)
	return outside.text, outside.arguments
}

// lookUp adds the indexed runs that can satisfy a filter to those of some blocks of a group.
func (t *Tx) lookUp(n narrowing, group int64, blocks []*candidateBlock) error {
	var parts, rows jsonNumbers
	for _, g := range n.all() { // In ascending order, so that those of the same part stand together.
		merged := false
		for _, b := range blocks {
			if b.isMerged(g) {
				merged = true
			} else {
				parts = append(parts, partID(b.block, g))
			}
		}
		if merged {
			rows = append(rows, rowID(group, g))
		}
	}
	slices.Sort(parts)
	ofParts, err := t.slicesOf("search_parts", slices.Compact(parts))
	if err != nil {
		return err
	}
	ofRows, err := t.slicesOf("search_grams", rows)
	for _, b := range blocks {
		found := n.in(func(g gram) runSet {
			if b.isMerged(g) {
				return setAt(ofRows[rowID(group, g)], int(b.block%groupBlocks))
			}
			return setIn(ofParts[partID(b.block, g)], g)
		})
		b.runs.or(&found)
	}
	return err
}

// slicesOf reads rows of the index.
func (t *Tx) slicesOf(table string, ids jsonNumbers) (map[int64][]byte, error) {
	found := make(map[int64][]byte, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	return found, each(t, scanPart, func(p searchPart) error { found[p.id] = p.slices; return nil },
		"SELECT id, slices FROM "+table+" WHERE id IN "+numbers("?"), ids)
}

// searchPart is a part of the index of a block.
type searchPart struct {
	id     int64
	slices []byte
}

func scanPart(row scanner) (p searchPart, err error) {
	err = row.Scan(&p.id, &p.slices)
	return p, err
}

func partID(block int64, g gram) int64 { return block*blockParts + int64(g)/partGrams }

// list lists the candidates, including those that are not indexed, unless they are too many.
func (c *candidates) list(newest int64, most int) {
	count := len(c.changed)
	for block := int64(0); block <= newest/blockRuns && count <= most; block++ {
		begin, end := block*blockRuns, min((block+1)*blockRuns, newest+1)
		if b := c.blocks[block]; b != nil {
			count += b.runs.size()
			begin = max(begin, b.through)
		}
		count += int(max(0, end-begin))
	}
	if count > most {
		return
	}
	c.listed = jsonNumbers{}
	for block := int64(0); block <= newest/blockRuns; block++ {
		begin, end := block*blockRuns, min((block+1)*blockRuns, newest+1)
		if b := c.blocks[block]; b != nil {
			c.listed = slices.AppendSeq(c.listed, b.runs.all(block))
			begin = max(begin, b.through)
		}
		for run := begin; run < end; run++ {
			c.listed = append(c.listed, run)
		}
	}
	for run := range c.changed {
		c.listed = append(c.listed, run)
	}
}

// unread is the filter without what reads bodies.
func (f RunFilter) unread() RunFilter {
	f.Where, f.RootWhere, f.TreeWhere, f.Examples = nil, nil, nil, nil
	return f
}

// listedRuns is Runs for listed candidates. It sorts them before it reads their bodies, so that it reads those of a page only.
func (t *Tx) listedRuns(f RunFilter, ascending bool, after *RunCursor, limit int) ([]Run, error) {
	statement, args := f.unread().listOf("r.seq", ascending, after, len(f.candidates.listed))
	sorted, err := query(t, scanNumber, statement, args...)
	found := []Run{}
	for some := range slices.Chunk(sorted, candidatesAtOnce) {
		if err != nil || len(found) == limit {
			break
		}
		f.candidates = &candidates{listed: some}
		statement, args := f.list(ascending, nil, limit-len(found))
		var more []Run
		more, err = query(t, scanRun, statement, args...)
		found = append(found, more...)
	}
	return found, err
}
