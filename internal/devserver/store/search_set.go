package store

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// runSet is a set of the runs of a block, by their positions.
type runSet [blockRuns / 64]uint64

func (s *runSet) add(run int)      { s[run/64] |= 1 << (run % 64) }
func (s *runSet) has(run int) bool { return s[run/64]&(1<<(run%64)) != 0 }

func (s *runSet) and(other *runSet) {
	for i := range s {
		s[i] &= other[i]
	}
}

func (s *runSet) or(other *runSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

func (s *runSet) size() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all returns the positions in ascending order.
func (s *runSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// bitmapBytes is the size of a set that is stored bit by bit.
const bitmapBytes = blockRuns / 8

// appendSet encodes a set: the gaps between positions, in groups of three bits, the lowest first, each with a bit that says whether more follow;
// or a bitmap if that is shorter. The empty set takes no bytes.
func appendSet(to []byte, set *runSet) []byte {
	begin, next, odd := len(to), 0, false
	add := func(half byte) {
		if odd {
			to[len(to)-1] |= half << 4
		} else {
			to = append(to, half)
		}
		odd = !odd
	}
	for run := range set.all() {
		gap := run - next
		next = run + 1
		for ; gap >= 8; gap >>= 3 {
			add(8 | byte(gap&7))
		}
		add(byte(gap & 7))
	}
	if odd {
		add(8) // A gap that never ends.
	}
	if len(to)-begin < bitmapBytes {
		return to
	}
	to = to[:begin]
	for _, word := range set {
		to = binary.LittleEndian.AppendUint64(to, word)
	}
	return to
}

// addEncoded adds the runs of an encoded set.
func (s *runSet) addEncoded(encoded []byte) {
	if len(encoded) == bitmapBytes {
		for i := range s {
			s[i] |= binary.LittleEndian.Uint64(encoded[8*i:])
		}
		return
	}
	run, width := 0, 0
	for _, both := range encoded {
		for _, half := range [2]byte{both & 15, both >> 4} {
			run += int(half&7) << width
			if width += 3; half >= 8 {
				continue
			}
			if run < 0 || run >= blockRuns {
				return
			}
			s.add(run)
			run, width = run+1, 0
		}
	}
}
