package store

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// A gram is a hash of three consecutive bytes of a value, in lower case. A body that contains a text contains all of its grams; the
// reverse is checked on the body.
type gram uint16

const (
	gramBytes = 3
	gramBits  = 13
	gramCount = 1 << gramBits
	// partGrams is the number of grams in a part: so many that a part takes about half a page.
	partGrams  = 32
	blockParts = gramCount / partGrams
	// mostIndexed is how much of a run's values is indexed, and mostGrams how many grams it may have. A longer run, or one in which most
	// grams occur, is always searched.
	mostIndexed = 256 << 10
	mostGrams   = gramCount * 3 / 4
)

// gramOf returns the gram of the last three bytes of a number.
func gramOf(last uint32) gram { return gram(last << 8 * 0x9e3779b1 >> (32 - gramBits)) }

// gramsOf returns some of the grams of a text, evenly spread; nil if it is too short.
func gramsOf(text string, most int) []gram {
	lower := []byte(filter.Lower(text))
	var all []gram
	last := uint32(0)
	for i, c := range lower {
		if last = last<<8 | uint32(c); i >= gramBytes-1 {
			all = append(all, gramOf(last))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) <= most {
		return all
	}
	some := make([]gram, most)
	for i := range some {
		some[i] = all[i*len(all)/most]
	}
	return some
}

// gramSet collects the grams of a run.
type gramSet struct {
	bits [gramCount / 64]uint64
	read int
}

// add adds the grams of a piece of a value, and says whether there are too many.
func (s *gramSet) add(piece []byte) (tooMany bool) {
	last := uint32(0)
	for i, c := range piece {
		if last = last<<8 | uint32(c); i >= gramBytes-1 {
			g := gramOf(last)
			s.bits[g/64] |= 1 << (g % 64)
		}
	}
	s.read += len(piece)
	return s.read > mostIndexed
}

// blockIndex is the index of the runs of a block.
type blockIndex struct {
	runs   [gramCount][]uint16
	unread []uint16
}

// add adds a run; runs are added in ascending order. Without grams, it is always searched.
func (b *blockIndex) add(run uint16, grams *gramSet) {
	if grams != nil {
		n := 0
		for _, word := range &grams.bits {
			n += bits.OnesCount64(word)
		}
		if grams.read > mostIndexed || n > mostGrams {
			grams = nil
		}
	}
	if grams == nil {
		b.unread = append(b.unread, run)
		return
	}
	for i, word := range &grams.bits {
		for ; word != 0; word &= word - 1 {
			g := i*64 + bits.TrailingZeros64(word)
			b.runs[g] = append(b.runs[g], run)
		}
	}
}

// part encodes a part: each set after its length. A part without runs takes no bytes.
func (b *blockIndex) part(number int) []byte {
	var part, set []byte
	empty := true
	for _, runs := range b.runs[number*partGrams : (number+1)*partGrams] {
		set = appendSet(set[:0], runs)
		part = append(binary.AppendUvarint(part, uint64(len(set))), set...)
		empty = empty && len(runs) == 0
	}
	if empty {
		return nil
	}
	return part
}

// setIn returns the set of a gram in its part.
func setIn(part []byte, g gram) runSet { return setAt(part, int(g)%partGrams) }

// setAt returns one of the sets that a row of the index has, each after its length.
func setAt(slices []byte, n int) runSet {
	for range n {
		_, slices = cutSet(slices)
	}
	set, _ := cutSet(slices)
	return readSet(set)
}

func cutSet(part []byte) (set, rest []byte) {
	length, n := binary.Uvarint(part)
	if n <= 0 || length > uint64(len(part)-n) { //nolint:gosec // It has as many.
		return nil, nil
	}
	part = part[n:]
	return part[:length], part[length:]
}
