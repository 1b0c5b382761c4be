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

// bitmap is the first byte of a set that is stored bit by bit. Any other first byte is the number of low bits in the Rice
// code of the gaps between positions, which takes hardly more than the information in them.
const bitmap = 0xff

// appendSet encodes a set. The empty set takes no bytes.
func appendSet(to []byte, set *runSet) []byte {
	size := set.size()
	if size == 0 {
		return to
	}
	low := max(0, bits.Len(uint(blockRuns/size))-1)
	if size > blockRuns/4 {
		to = append(to, bitmap)
		for _, word := range set {
			to = binary.LittleEndian.AppendUint64(to, word)
		}
		return to
	}
	out := bitWriter{bytes: append(to, byte(low))} //nolint:gosec // It is below 16.
	next := 0
	for run := range set.all() {
		gap := run - next
		next = run + 1
		for high := gap >> low; ; high -= 32 {
			if high < 32 {
				out.write(1<<high-1, high+1) // The zero is the last bit.
				break
			}
			out.write(1<<32-1, 32)
		}
		out.write(uint64(gap)&(1<<low-1), low) //nolint:gosec // A gap isn't negative.
	}
	return out.end()
}

// addEncoded adds the runs of an encoded set.
func (s *runSet) addEncoded(encoded []byte) {
	if len(encoded) == 0 {
		return
	}
	low, encoded := encoded[0], encoded[1:]
	if low == bitmap {
		for i := 0; i < len(s) && len(encoded) >= 8; i++ {
			s[i] |= binary.LittleEndian.Uint64(encoded)
			encoded = encoded[8:]
		}
		return
	}
	in := bitReader{bytes: encoded}
	for run := 0; ; run++ {
		if run += in.ones()<<low + in.low(int(low)); run < 0 || run >= blockRuns {
			return
		}
		s.add(run)
	}
}

// bitWriter fills bytes from their lowest bits on.
type bitWriter struct {
	bytes []byte
	next  uint64 // The bits of the next bytes, and their number, which is below 8 between writes.
	ready int
}

// write appends the low bits of a number: at most 33.
func (w *bitWriter) write(number uint64, width int) {
	w.next |= number << w.ready
	for w.ready += width; w.ready >= 8; w.ready -= 8 {
		w.bytes = append(w.bytes, byte(w.next)) //nolint:gosec // The lowest byte.
		w.next >>= 8
	}
}

// end fills the last byte with ones, which are a gap that never ends.
func (w *bitWriter) end() []byte {
	if w.ready > 0 {
		w.write(0xff, 8-w.ready)
	}
	return w.bytes
}

type bitReader struct {
	bytes []byte
	next  uint64 // The next bits, and their number.
	ready int
}

func (r *bitReader) fill() {
	for ; r.ready <= 56 && len(r.bytes) > 0; r.ready += 8 {
		r.next |= uint64(r.bytes[0]) << r.ready
		r.bytes = r.bytes[1:]
	}
}

// ones reads ones up to the next zero, and returns their number; more than there can be at the end.
func (r *bitReader) ones() (n int) {
	for {
		r.fill()
		if r.ready == 0 {
			return blockRuns
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
	number := r.next & (1<<width - 1)
	r.next, r.ready = r.next>>width, max(0, r.ready-width)
	return int(number) //nolint:gosec // It is less than blockRuns.
}
