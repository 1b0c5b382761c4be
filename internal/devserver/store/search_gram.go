package store

import (
	"encoding/binary"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// A gram is a hash of three consecutive bytes of a value, in lower case. A body that contains a text contains all of its
// grams; the reverse is checked on the body.
type gram uint16

const (
	gramBytes = 3
	gramBits  = 13
	gramCount = 1 << gramBits
	// partGrams is the number of grams whose sets are in a row: so many that most rows take about half a page.
	partGrams  = 8
	blockParts = gramCount / partGrams
	// maxIndexedBytes limits the values and the stored body of a run that is indexed. A longer run is a candidate of every
	// search.
	maxIndexedBytes = 256 << 10
)

// gramOf returns the gram of the last three bytes of a number.
func gramOf(last uint32) gram { return gram(last << 8 * 0x9e3779b1 >> (32 - gramBits)) }

// gramsOf returns some of the grams of a text, evenly spread; nil if it is too short.
func gramsOf(text string, limit int) []gram {
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
	if len(all) <= limit {
		return all
	}
	some := make([]gram, limit)
	for i := range some {
		some[i] = all[i*len(all)/limit]
	}
	return some
}

// gramSet collects the grams of a run.
type gramSet struct {
	bits [gramCount / 64]uint64
	read int
}

// add adds the grams of a piece of a value, and reports whether the values are too long.
func (s *gramSet) add(piece []byte) (tooLong bool) {
	last := uint32(0)
	for i, c := range piece {
		if last = last<<8 | uint32(c); i >= gramBytes-1 {
			g := gramOf(last)
			s.bits[g/64] |= 1 << (g % 64)
		}
	}
	s.read += len(piece)
	return s.read > maxIndexedBytes
}

// partID is the ID of the row with the set of a gram.
func partID(block int64, g gram) int64 { return block*blockParts + int64(g)/partGrams }

// setIn decodes the set of a gram in its part, which has each set after its length.
func setIn(part []byte, g gram) (set runSet) {
	var encoded []byte
	for range g%partGrams + 1 {
		encoded, part = cutSet(part)
	}
	set.addEncoded(encoded)
	return set
}

func cutSet(part []byte) (set, rest []byte) {
	length, n := binary.Uvarint(part)
	if n <= 0 || length > uint64(len(part)-n) { //nolint:gosec // It has as many.
		return nil, nil
	}
	part = part[n:]
	return part[:length], part[length:]
}
