package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"
)

// indexNext adds some runs to a block, and reports whether there were any. So many of the newest runs are left out, and
// more if only whole slices are added.
func (s *Store) indexNext(ctx context.Context, delayed int64, whole bool) (found bool, err error) {
	if mine, err := s.Leads(ctx, indexing); err != nil || !mine {
		return false, err
	}
	var a addition
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		found, err = tx.nextAddition(&a, delayed, whole)
		return err
	})
	if err != nil {
		return false, err
	}
	if !whole && len(a.runs) < addedRuns { // Only the delayed runs are left.
		s.index.unindexedBytes.Store(0)
	}
	if !found {
		return s.clearBlock(ctx)
	}
	if err := s.backend.noteChangesBefore(ctx, s, a.through); err != nil {
		return false, err
	}
	for runs := range slices.Chunk(a.runs, readBatch) {
		if err := s.ReadTraced(ctx, func(tx *Tx) error { return tx.readRuns(&a, runs) }); err != nil {
			return false, err
		}
	}
	return true, s.saveAddition(ctx, &a)
}

// addition is some runs that are added to a block. Runs are never removed from its sets: a run that has changed is also
// found by its former texts. So an addition can take several transactions, and start again after any of them.
type addition struct {
	searchBlock
	runs  jsonNumbers // To be read.
	grams [gramCount][]uint16
	// changes are the noted changes that the sets contain: the runs that have changed as often.
	changes map[int64]jsonNumbers
	buffer  []byte // An unpacked body.
}

// searchBlock is a block, apart from its sets.
type searchBlock struct {
	block, through int64  // The runs from through on aren't indexed.
	long           runSet // The runs that are too long to be indexed.
}

func scanSearchBlock(row scanner) (b searchBlock, err error) {
	var long []byte
	err = row.Scan(&b.block, &b.through, &long)
	b.long.addEncoded(long)
	return b, err
}

// searchBlocks reads all blocks.
func (t *Tx) searchBlocks() (map[int64]searchBlock, error) {
	blocks := map[int64]searchBlock{}
	return blocks, each(t, scanSearchBlock, func(b searchBlock) error { blocks[b.block] = b; return nil },
		"SELECT block, through, long FROM search_blocks")
}

// readBatch is how many runs are read in a transaction, and writeBatch how many parts of a block are written in one, of
// which insertBatch by a statement.
const readBatch, writeBatch, insertBatch = 128, 128, 16

// nextAddition chooses the newest block to which runs can be added; or else, if many runs have changed, that of which most
// have.
func (t *Tx) nextAddition(a *addition, delayed int64, whole bool) (found bool, err error) {
	newest, err := queryOne(t, scanNumber, "SELECT coalesce(max(seq), -1) FROM runs")
	if err != nil {
		return false, err
	}
	blocks, err := t.searchBlocks()
	if err != nil {
		return false, err
	}
	choose := func(number int64) {
		b, is := blocks[number]
		if !is {
			b = searchBlock{block: number, through: number * blockRuns}
		}
		a.searchBlock, a.changes = b, map[int64]jsonNumbers{}
	}
	end := newest + 1 - delayed
	if whole {
		end -= end % addedRuns
	}
	for number := (end - 1) / blockRuns; number >= 0 && end > 0; number-- {
		choose(number)
		first := a.through
		a.through = max(first, min(first+addedRuns, (number+1)*blockRuns, end))
		for run := first; run < a.through; run++ {
			a.runs = append(a.runs, run)
		}
		if a.runs != nil {
			return true, nil
		}
	}
	changed, err := query(t, scanNumber, `SELECT c.run / ? FROM search_changed c WHERE (SELECT count(*) FROM search_changed) > ?
		GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`, blockRuns, maxChanged)
	if err != nil || len(changed) == 0 {
		return false, err
	}
	choose(changed[0])
	a.runs, err = query(t, scanNumber, "SELECT c.run FROM search_changed c WHERE c.run >= ? AND c.run < ? ORDER BY c.run LIMIT ?",
		a.block*blockRuns, (a.block+1)*blockRuns, addedRuns)
	return true, err
}

// searchedRun is a run to be indexed.
type searchedRun struct {
	run         int64
	post, patch sql.RawBytes // Nil if they are too large. They are valid until the next run is read.
	times       int64        // How many changes have been noted.
}

func scanSearchedRun(row scanner) (r searchedRun, err error) {
	err = row.Scan(&r.run, &r.post, &r.patch, &r.times)
	return r, err
}

// readRuns collects the grams of some runs.
func (t *Tx) readRuns(a *addition, runs jsonNumbers) error {
	const small = "CASE WHEN length(b.post) + length(b.patch) <= ? THEN "
	return each(t, scanSearchedRun, func(r searchedRun) error {
		if r.times > 0 {
			a.changes[r.times] = append(a.changes[r.times], r.run)
		}
		grams, err := a.gramsIn(t.ctx, r.post, r.patch)
		a.add(int(r.run%blockRuns), grams)
		return err
	}, "SELECT r.seq, "+small+"b.post END, "+small+`b.patch END, coalesce(c.times, 0)
		FROM runs r JOIN run_bodies b ON b.run = r.seq LEFT JOIN search_changed c ON c.run = r.seq
		WHERE r.seq IN `+numbers("?"), maxIndexedBytes, maxIndexedBytes, runs)
}

// gramsIn returns the grams of a stored body; nil if it is too long.
func (a *addition) gramsIn(ctx context.Context, stored ...[]byte) (*gramSet, error) {
	grams := &gramSet{}
	for _, part := range stored {
		if part == nil {
			return nil, nil
		}
		document, err := unpackedInto(a.buffer, part)
		if err != nil {
			return nil, err
		}
		if isPacked(part) {
			a.buffer = document[:cap(document)]
		}
		if err := eachPiece(ctx, document, gramBytes-1, grams.add); err != nil {
			return nil, err
		}
	}
	if grams.read > maxIndexedBytes {
		return nil, nil
	}
	return grams, nil
}

// add adds a run, by its position in the block. Without grams, it is a candidate of every search.
func (a *addition) add(run int, grams *gramSet) {
	if grams == nil {
		a.long.add(run)
		return
	}
	for i, word := range &grams.bits {
		for ; word != 0; word &= word - 1 {
			g := i*64 + bits.TrailingZeros64(word)
			a.grams[g] = append(a.grams[g], uint16(run)) //nolint:gosec // It is less than blockRuns.
		}
	}
}

// errIndexing means that another process builds the index now. What this one has begun isn't complete.
var errIndexing = errors.New("another process builds the search index")

// writeIndex runs a transaction that changes the index.
func (s *Store) writeIndex(ctx context.Context, work func(*Tx) error) error {
	return s.Tend(ctx, func(tx *Tx) error {
		if mine, err := tx.Holds(indexing); err != nil || !mine {
			return errors.Join(errIndexing, err)
		}
		return work(tx)
	})
}

// saveAddition stores an addition. Others can write after each transaction.
func (s *Store) saveAddition(ctx context.Context, a *addition) error {
	for first := gram(0); first < gramCount; first += writeBatch * partGrams {
		if err := s.writeIndex(ctx, func(tx *Tx) error { return tx.addToParts(a, first) }); err != nil {
			return err
		}
	}
	return s.writeIndex(ctx, func(tx *Tx) error { return tx.endAddition(a) })
}

// addToParts adds runs to some parts of their block.
func (t *Tx) addToParts(a *addition, first gram) error {
	begin := partID(a.block, first)
	stored, err := t.searchSets("id >= ? AND id < ?", begin, begin+writeBatch)
	if err != nil {
		return err
	}
	var rows []any
	for part := range int64(writeBatch) {
		if sets := a.addTo(stored[begin+part], first+gram(part)*partGrams); sets != nil {
			rows = append(rows, begin+part, sets)
		}
	}
	for some := range slices.Chunk(rows, 2*insertBatch) {
		if err := t.exec("INSERT INTO search_sets (id, sets) VALUES "+strings.Repeat("(?, ?), ", len(some)/2-1)+
			"(?, ?) ON CONFLICT (id) DO UPDATE SET sets = excluded.sets", some...); err != nil {
			return err
		}
	}
	return nil
}

// addTo adds runs to the sets of a part; it returns nil if none are added.
func (a *addition) addTo(part []byte, first gram) (sum []byte) {
	added := false
	var encoded []byte
	for _, runs := range a.grams[first : first+partGrams] {
		var old []byte
		old, part = cutSet(part)
		encoded = append(encoded[:0], old...)
		if len(runs) > 0 {
			added = true
			var set runSet
			set.addEncoded(old)
			for _, run := range runs {
				set.add(int(run))
			}
			encoded = appendSet(encoded[:0], &set)
		}
		sum = append(binary.AppendUvarint(sum, uint64(len(encoded))), encoded...)
	}
	if !added {
		return nil
	}
	return sum
}

// endAddition stores that all runs of an addition are indexed.
func (t *Tx) endAddition(a *addition) error {
	if err := t.exec(`INSERT INTO search_blocks (block, through, long) VALUES (?, ?, ?)
		ON CONFLICT (block) DO UPDATE SET through = excluded.through, long = excluded.long`,
		a.block, a.through, appendSet([]byte{}, &a.long)); err != nil {
		return err
	}
	for times, runs := range a.changes { // Unless they have changed again.
		if err := t.exec("DELETE FROM search_changed WHERE times = ? AND run IN "+numbers("?"), times, runs); err != nil {
			return err
		}
	}
	return nil
}

// clearBlock deletes the sets of a block whose runs have been deleted, and reports whether there was one.
func (s *Store) clearBlock(ctx context.Context) (found bool, err error) {
	var blocks []int64
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		blocks, err = query(tx, scanNumber, `SELECT s.block FROM search_blocks s
			WHERE EXISTS (SELECT 1 FROM search_sets p WHERE p.id >= s.block * ? AND p.id < (s.block + 1) * ?)
				AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.seq >= s.block * ? AND r.seq < s.through) LIMIT 1`,
			blockParts, blockParts, blockRuns)
		return err
	})
	if err != nil || len(blocks) == 0 {
		return false, err
	}
	return true, s.writeIndex(ctx, func(tx *Tx) error {
		return tx.exec("DELETE FROM search_sets WHERE id >= ? AND id < ?", partID(blocks[0], 0), partID(blocks[0]+1, 0))
	})
}

// noteChanges notes which runs have changed of those that may be indexed.
func (t *Tx) noteChanges(runs jsonNumbers) error {
	indexed := slices.DeleteFunc(slices.Clone(runs), func(run int64) bool { return run >= t.snapshot.indexed })
	if len(indexed) == 0 {
		return nil
	}
	t.unindexed += int64(len(indexed))
	return t.exec("INSERT INTO search_changed (run, times) SELECT c.value, 1 FROM "+numbers("?")+" c WHERE TRUE "+
		"ON CONFLICT (run) DO UPDATE SET times = search_changed.times + 1", indexed)
}
