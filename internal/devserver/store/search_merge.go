package store

import (
	"context"
	"encoding/binary"
	"slices"
)

const (
	// groupBlocks is the number of consecutive blocks that are merged: for each gram, a row has the sets of all of them. There are as many as
	// grams in a part, so that these rows are the columns of the parts with a number.
	groupBlocks = partGrams
	// mergedAtOnce is the number of parts of each block that are merged in one transaction.
	mergedAtOnce = 4
)

// rowID is the ID of the row of a gram of a group.
func rowID(group int64, g gram) int64 { return group*gramCount + int64(g) }

// merge is a step in which some parts of blocks of a group become rows.
type merge struct {
	group, first int64 // First is the number of the first part.
	blocks       []mergedBlock
	parts        jsonNumbers // Which are replaced.
	rows         map[int64][]byte
}

// mergedBlock is a complete block, of which the parts before one are merged.
type mergedBlock struct{ block, merged int64 }

func scanMergedBlock(row scanner) (b mergedBlock, err error) {
	err = row.Scan(&b.block, &b.merged)
	return b, err
}

// mergeNext merges some parts of a group of blocks, and says whether there were any. A group is merged when it has enough blocks that aren't,
// because they are new, were indexed again, or no longer have runs.
func (s *database) mergeNext(ctx context.Context) (found bool, err error) {
	if mine, err := s.Leads(ctx, indexing); err != nil || !mine {
		return false, err
	}
	var m merge
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		found, err = tx.nextMerge(&m)
		return err
	})
	if err != nil || !found {
		return false, err
	}
	return true, s.Tend(ctx, func(tx *Tx) error {
		// Another process may have gone on with it.
		if mine, err := tx.Holds(indexing); err != nil || !mine {
			return err
		}
		return tx.saveMerge(&m)
	})
}

// nextMerge prepares a step: the next one of a group that is being merged, or else the first one of the newest group.
func (t *Tx) nextMerge(m *merge) (found bool, err error) {
	groups, err := query(t, scanNumber, `SELECT s.block / ?1 FROM search_blocks s WHERE s.through = (s.block + 1) * ?2 GROUP BY s.block / ?1
		HAVING max(CASE WHEN s.merged BETWEEN 1 AND ?3 - 1 THEN 1 ELSE 0 END) = 1 OR sum(CASE WHEN s.merged = 0 THEN 1 ELSE 0 END) >= ?4
			OR max(s.parts) = 0 AND min(s.merged) < max(s.merged)
		ORDER BY max(CASE WHEN s.merged BETWEEN 1 AND ?3 - 1 THEN 1 ELSE 0 END) DESC, s.block / ?1 DESC LIMIT 1`,
		groupBlocks, blockRuns, blockParts, t.index.apart)
	if err != nil || len(groups) == 0 {
		return false, err
	}
	m.group = groups[0]
	m.blocks, err = query(t, scanMergedBlock, "SELECT s.block, s.merged FROM search_blocks s WHERE s.block >= ? AND s.block < ? AND s.through = (s.block + 1) * ?",
		m.group*groupBlocks, (m.group+1)*groupBlocks, blockRuns)
	if err != nil {
		return false, err
	}
	for _, b := range m.blocks { // Those that are being merged have got equally far.
		if b.merged > 0 && b.merged < blockParts {
			m.first = b.merged
		}
	}
	return true, t.readMerge(m)
}

// merges reports whether a step merges parts of a block.
func (m *merge) merges(b mergedBlock) bool { return b.merged == m.first }

// grams returns the range of the rows of a step.
func (m *merge) grams() (first, end gram) {
	return gram(m.first * partGrams), gram((m.first + mergedAtOnce) * partGrams) //nolint:gosec // They fit.
}

// readMerge reads what a step merges, and computes its rows.
func (t *Tx) readMerge(m *merge) error {
	for _, b := range m.blocks {
		for n := m.first; n < m.first+mergedAtOnce && m.merges(b); n++ {
			m.parts = append(m.parts, b.block*blockParts+n)
		}
	}
	parts, err := t.slicesOf("search_parts", m.parts)
	if err != nil {
		return err
	}
	first, end := m.grams()
	before := map[int64][]byte{}
	if err := each(t, scanPart, func(p searchPart) error { before[p.id] = p.slices; return nil },
		"SELECT id, slices FROM search_grams WHERE id >= ? AND id < ?", rowID(m.group, first), rowID(m.group, end)); err != nil {
		return err
	}
	m.rows = map[int64][]byte{}
	for n := first; n < end; n += partGrams {
		m.mergeParts(n, parts, before)
	}
	return nil
}

// mergeParts computes the rows of the grams of a part, given what is stored.
func (m *merge) mergeParts(first gram, parts, before map[int64][]byte) {
	var sets [partGrams][groupBlocks][]byte
	for i := range sets {
		old := before[rowID(m.group, first+gram(i))]
		for n := range groupBlocks {
			sets[i][n], old = cutSet(old)
		}
	}
	kept := map[int64]bool{}
	for _, b := range m.blocks {
		kept[b.block%groupBlocks] = b.merged > m.first
		if !m.merges(b) {
			continue
		}
		kept[b.block%groupBlocks] = true
		part := parts[partID(b.block, first)]
		for i := range sets {
			sets[i][b.block%groupBlocks], part = cutSet(part)
		}
	}
	for i := range sets {
		var row []byte
		empty := true
		for n, set := range &sets[i] {
			if !kept[int64(n)] { // It was indexed again.
				set = nil
			}
			row = append(binary.AppendUvarint(row, uint64(len(set))), set...)
			empty = empty && len(set) == 0
		}
		if !empty {
			m.rows[rowID(m.group, first+gram(i))] = row
		}
	}
}

// saveMerge stores a step.
func (t *Tx) saveMerge(m *merge) error {
	first, end := m.grams()
	if err := t.exec("DELETE FROM search_grams WHERE id >= ? AND id < ?", rowID(m.group, first), rowID(m.group, end)); err != nil {
		return err
	}
	for g := first; g < end; g++ {
		if row := m.rows[rowID(m.group, g)]; row != nil {
			if err := t.exec("INSERT INTO search_grams (id, slices) VALUES (?, ?)", rowID(m.group, g), row); err != nil {
				return err
			}
		}
	}
	if err := t.exec("DELETE FROM search_parts WHERE id IN "+numbers("?"), m.parts); err != nil {
		return err
	}
	merging := slices.DeleteFunc(slices.Clone(m.blocks), func(b mergedBlock) bool { return !m.merges(b) })
	blocks := make(jsonNumbers, len(merging))
	for i, b := range merging {
		blocks[i] = b.block
	}
	return t.exec("UPDATE search_blocks SET merged = ? WHERE block IN "+numbers("?"), m.first+mergedAtOnce, blocks)
}
