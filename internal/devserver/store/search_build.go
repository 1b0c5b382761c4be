package store

import (
	"context"
	"database/sql"
	"math"
)

// indexNext indexes the block that needs it most, and says whether there was one. Resting returns how many of the newest runs are left
// out, and whether only whole blocks are indexed.
func (s *database) indexNext(ctx context.Context, resting func() (runs int64, whole bool)) (found bool, err error) {
	if mine, err := s.Leads(ctx, indexing); err != nil || !mine {
		return false, err
	}
	var index searchBlock
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		found, err = tx.nextBlock(&index, resting)
		return err
	})
	if err != nil || !found {
		return false, err
	}
	if err := s.backend.noteChangesBefore(ctx, s, index.through); err != nil {
		return false, err
	}
	for run := index.begin; run < index.through; run += readAtOnce {
		if err := s.ReadTraced(ctx, func(tx *Tx) error { return tx.readRuns(&index, run) }); err != nil {
			return false, err
		}
	}
	return true, s.Do(ctx, func(tx *Tx) error {
		// What another process has indexed since may be newer, and its notes of changes are gone.
		if mine, err := tx.Holds(indexing); err != nil || !mine {
			return err
		}
		return tx.saveBlock(&index)
	})
}

// noteChange notes that a run that may be indexed has changed.
func (t *Tx) noteChange(run int64) error {
	if run >= t.past.indexed {
		return nil
	}
	t.unindexed++
	return t.exec("INSERT INTO search_changed (run, times) VALUES (?, 1) ON CONFLICT (run) DO UPDATE SET times = search_changed.times + 1", run)
}

// searchBlock is the index of a block, while it is built or extended.
type searchBlock struct {
	block          int64
	begin, through int64 // The runs that are added.
	blockIndex
	startFrom, startTo int64
	// changed are the noted changes that it contains: how often each run had changed.
	changed map[int64]int64
	buffer  []byte // An unpacked body.
}

// newBlock returns the index of a block without runs.
func newBlock(block, through int64) searchBlock {
	return searchBlock{
		block: block, begin: block * blockRuns, through: through, startFrom: math.MaxInt64, startTo: math.MinInt64, changed: map[int64]int64{},
	}
}

// indexedBlock is what is stored of a block, besides its parts.
type indexedBlock struct {
	block, through, startFrom, startTo int64
	unread                             []byte
}

func scanIndexedBlock(row scanner) (b indexedBlock, err error) {
	err = row.Scan(&b.block, &b.through, &b.startFrom, &b.startTo, &b.unread)
	return b, err
}

// extended returns the index of a block that gets more runs, without its parts.
func (b indexedBlock) extended(through int64) searchBlock {
	next := newBlock(b.block, through)
	next.begin, next.startFrom, next.startTo = b.through, b.startFrom, b.startTo
	set := readSet(b.unread)
	next.unread = set.positions()
	return next
}

// nextBlock prepares the index of the newest block that has runs to be indexed; or else, if many runs have changed, of that of which most
// have; or else of one whose runs have been deleted.
func (t *Tx) nextBlock(next *searchBlock, resting func() (runs int64, whole bool)) (found bool, err error) {
	left, whole := resting()
	newest, err := queryOne(t, scanNumber, "SELECT coalesce(max(seq), -1) FROM runs")
	if err != nil {
		return false, err
	}
	indexed, err := query(t, scanIndexedBlock, "SELECT block, through, start_from, start_to, unread FROM search_blocks")
	if err != nil {
		return false, err
	}
	known := make(map[int64]indexedBlock, len(indexed))
	for _, b := range indexed {
		known[b.block] = b
	}
	end := newest + 1 - left
	if whole {
		end -= end % blockRuns
	}
	for block := (end - 1) / blockRuns; block >= 0 && end > 0; block-- {
		through := min((block+1)*blockRuns, end)
		b, is := known[block]
		if !is {
			*next = newBlock(block, through)
			return true, nil
		}
		if b.through < through {
			*next = b.extended(through)
			return true, t.loadParts(next)
		}
	}
	again, err := query(t, scanNumber, `
		SELECT c.run / ? FROM search_changed c WHERE (SELECT count(*) FROM search_changed) > ? GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
		blockRuns, mostChanged)
	if err == nil && len(again) == 0 && t.index.deleted.Swap(false) {
		again, err = query(t, scanNumber, `
			SELECT s.block FROM search_blocks s WHERE s.parts > 0 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.seq >= s.block * ? AND r.seq < s.through) LIMIT 1`,
			blockRuns)
		t.index.deleted.Store(err != nil || len(again) > 0) // There may be more.
	}
	if err != nil || len(again) == 0 {
		return false, err
	}
	b, is := known[again[0]]
	if is {
		*next = newBlock(b.block, b.through)
	}
	return is, nil
}

// loadParts loads the parts of a block that is extended.
func (t *Tx) loadParts(b *searchBlock) error {
	first := partID(b.block, 0)
	return each(t, scanPart, func(p searchPart) error {
		for i := range partGrams {
			g := gram(int(p.id-first)*partGrams + i) //nolint:gosec // It fits.
			set := setIn(p.slices, g)
			b.runs[g] = set.positions()
		}
		return nil
	}, "SELECT id, slices FROM search_parts WHERE id >= ? AND id < ?", first, first+blockParts)
}

// searchedRun is a run to be indexed.
type searchedRun struct {
	run, start  int64
	post, patch sql.RawBytes // Nil if they are too large. They are valid until the next run is read.
	times       int64        // How many changes have been noted.
}

func scanSearchedRun(row scanner) (r searchedRun, err error) {
	err = row.Scan(&r.run, &r.start, &r.post, &r.patch, &r.times)
	return r, err
}

// readRuns indexes some runs of a block.
func (t *Tx) readRuns(b *searchBlock, first int64) error {
	const small = "CASE WHEN length(b.post) + length(b.patch) <= ? THEN "
	return each(t, scanSearchedRun, func(r searchedRun) error {
		b.startFrom, b.startTo = min(b.startFrom, r.start), max(b.startTo, r.start)
		if r.times > 0 {
			b.changed[r.run] = r.times
		}
		grams, err := b.gramsIn(t.ctx, r.post, r.patch)
		b.add(uint16(r.run%blockRuns), grams) //nolint:gosec // It fits.
		return err
	}, "SELECT r.seq, r.start_time, "+small+"b.post END, "+small+`b.patch END, coalesce(c.times, 0)
		FROM runs r JOIN run_bodies b ON b.run = r.seq LEFT JOIN search_changed c ON c.run = r.seq
		WHERE r.seq >= ? AND r.seq < ? ORDER BY r.seq`, mostPacked, mostPacked, first, min(first+readAtOnce, b.through))
}

// gramsIn returns the grams of a body as it is stored; nil if it is too large.
func (b *searchBlock) gramsIn(ctx context.Context, stored ...[]byte) (*gramSet, error) {
	grams := &gramSet{}
	for _, part := range stored {
		if part == nil {
			return nil, nil
		}
		document, err := unpackedInto(b.buffer, part)
		if err != nil {
			return nil, err
		}
		if len(part) > 0 && part[0] == bodyDictionaryNumber {
			b.buffer = document[:cap(document)]
		}
		if err := eachPiece(ctx, document, gramBytes-1, grams.add); err != nil {
			return nil, err
		}
	}
	return grams, nil
}

// saveBlock replaces the index of a block.
func (t *Tx) saveBlock(b *searchBlock) error {
	first := partID(b.block, 0)
	if err := t.exec("DELETE FROM search_parts WHERE id >= ? AND id < ?", first, first+blockParts); err != nil {
		return err
	}
	parts := 0
	for number := range blockParts {
		part := b.part(number)
		if part == nil {
			continue
		}
		parts++
		if err := t.exec("INSERT INTO search_parts (id, slices) VALUES (?, ?)", first+int64(number), part); err != nil {
			return err
		}
	}
	if err := t.exec(`INSERT INTO search_blocks (block, through, start_from, start_to, parts, unread, merged) VALUES (?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT (block) DO UPDATE SET through = excluded.through, start_from = excluded.start_from, start_to = excluded.start_to,
			parts = excluded.parts, unread = excluded.unread, merged = 0`,
		b.block, b.through, b.startFrom, b.startTo, parts, appendSet([]byte{}, b.unread)); err != nil {
		return err
	}
	for run, times := range b.changed { // Unless it has changed again.
		if err := t.exec("DELETE FROM search_changed WHERE run = ? AND times = ?", run, times); err != nil {
			return err
		}
	}
	return nil
}
