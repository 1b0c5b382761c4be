package store

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// blockRuns is the number of runs in a block of the search index.
const blockRuns = 2048

// runSet is a set of the runs of a block, by their position.
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

// plainSet is the first byte of a set that is stored as it is. Any other first byte is the number of low bits in the Rice code of the
// gaps between runs, which takes hardly more than the information in them.
const plainSet = 0xff

// appendSet encodes a set, given its runs in ascending order. The empty set takes no bytes.
func appendSet(to []byte, runs []uint16) []byte {
	if len(runs) == 0 {
		return to
	}
	low := max(0, bits.Len(uint(blockRuns/len(runs)))-1)
	begin := len(to)
	out := bitWriter{bytes: append(to, byte(low))} //nolint:gosec // It is below 16.
	next := uint16(0)
	for _, run := range runs {
		gap := run - next
		next = run + 1
		for range gap >> low {
			out.write(1)
		}
		out.write(0)
		for i := range low {
			out.write(byte(gap >> i & 1))
		}
		if len(out.bytes)-begin > blockRuns/8 {
			return appendPlain(out.bytes[:begin], runs)
		}
	}
	return out.end()
}

func appendPlain(to []byte, runs []uint16) []byte {
	var set runSet
	for _, run := range runs {
		set.add(int(run))
	}
	to = append(to, plainSet)
	for _, word := range set {
		to = binary.LittleEndian.AppendUint64(to, word)
	}
	return to
}

// readSet decodes a set.
func readSet(encoded []byte) (set runSet) {
	if len(encoded) == 0 {
		return set
	}
	low, encoded := encoded[0], encoded[1:]
	if low == plainSet && len(encoded) == blockRuns/8 {
		for i := range set {
			set[i] = binary.LittleEndian.Uint64(encoded[8*i:])
		}
		return set
	}
	in := bitReader{bytes: encoded}
	for run := 0; ; run++ {
		run += in.ones() << low
		run += in.low(int(low))
		if in.over || run >= blockRuns {
			return set
		}
		set.add(run)
	}
}

// all returns the runs of the set, by their number in the database.
func (s *runSet) all(block int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(block*blockRuns + int64(i*64+bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// positions returns the runs of the set in ascending order.
func (s *runSet) positions() (runs []uint16) {
	for run := range s.all(0) {
		runs = append(runs, uint16(run)) //nolint:gosec // It is less than blockRuns.
	}
	return runs
}

type bitWriter struct {
	bytes []byte
	free  int // The free bits of the last byte.
}

func (w *bitWriter) write(bit byte) {
	if w.free == 0 {
		w.bytes, w.free = append(w.bytes, 0), 8
	}
	w.free--
	w.bytes[len(w.bytes)-1] |= bit << (7 - w.free)
}

// end fills the last byte with ones, which are a gap that never ends.
func (w *bitWriter) end() []byte {
	for w.free > 0 {
		w.write(1)
	}
	return w.bytes
}

type bitReader struct {
	bytes []byte
	next  uint64 // The next bits, and their number.
	ready int
	over  bool
}

func (r *bitReader) fill() {
	for ; r.ready <= 56 && len(r.bytes) > 0; r.ready += 8 {
		r.next |= uint64(r.bytes[0]) << r.ready
		r.bytes = r.bytes[1:]
	}
}

// ones reads ones up to the next zero, and returns their number.
func (r *bitReader) ones() (n int) {
	for {
		r.fill()
		if r.ready == 0 {
			r.over = true
			return n
		}
		ones := bits.TrailingZeros64(^r.next)
		if ones < r.ready {
			r.next, r.ready = r.next>>(ones+1), r.ready-ones-1
			return n + ones
		}
		n += r.ready
		r.next, r.ready = 0, 0
	}
}

// low reads a number of so many bits.
func (r *bitReader) low(width int) int {
	r.fill()
	if r.ready < width {
		r.over = true
		return 0
	}
	number := r.next & (1<<width - 1)
	r.next, r.ready = r.next>>width, r.ready-width
	return int(number) //nolint:gosec // It is less than blockRuns.
}
