package limits

import (
	"fmt"
	"io"
	"slices"
	"sync"
)

// Memory limits the total size of the bodies of all requests in progress, and of their large responses. Each workspace may take at most
// half of it, which leaves room to others. Attachments don't count: they are never in memory as a whole.
type Memory struct {
	most int64

	mu    sync.Mutex
	taken int64
	of    map[string]int64 // What each workspace has taken.
}

// NewMemory limits the total number of bytes.
func NewMemory(most int64) *Memory { return &Memory{most: most, of: map[string]int64{}} }

// Taken is the number of bytes that all requests have taken.
func (m *Memory) Taken() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.taken
}

// Share starts accounting for a request of a workspace that may take the given number of bytes. Call Release when the request has finished.
func (m *Memory) Share(workspaceID string, most int64) *Share {
	return &Share{of: m, workspaceID: workspaceID, most: most}
}

// take adds n bytes, which may be negative. The error is a *TooMuchError, and nothing was added then.
func (m *Memory) take(workspaceID string, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > 0 && m.of[workspaceID]+n > m.most/2 {
		return &TooMuchError{Bytes: m.most / 2, Together: true}
	}
	if n > 0 && m.taken+n > m.most {
		return &TooMuchError{Bytes: m.most, Together: true}
	}
	m.taken += n
	if m.of[workspaceID] += n; m.of[workspaceID] == 0 {
		delete(m.of, workspaceID)
	}
	return nil
}

// Share is the part of a Memory that one request uses.
type Share struct {
	of          *Memory
	workspaceID string
	most, taken int64
	buffer      []byte // What ReadPart reads into; counted in taken.
}

// TooMuchError reports which limit a body exceeds: that of its request, or the total of a workspace or of all.
type TooMuchError struct {
	Bytes    int64
	Together bool
}

func (e *TooMuchError) Error() string {
	if e.Together {
		return fmt.Sprintf("the requests in progress take more than %d bytes in total", e.Bytes)
	}
	return fmt.Sprintf("the request takes more than %d bytes", e.Bytes)
}

// Release returns all of the share.
func (s *Share) Release() {
	_ = s.of.take(s.workspaceID, -s.taken) // There is no limit for less.
	s.taken, s.buffer = 0, nil
}

// Take adds n bytes. If that exceeds a limit, the error is a *TooMuchError.
func (s *Share) Take(n int64) error {
	if s.taken+n > s.most {
		return &TooMuchError{Bytes: s.most}
	}
	if err := s.of.take(s.workspaceID, n); err != nil {
		return err
	}
	s.taken += n
	return nil
}

// firstRead is the initial capacity in ReadAll, and largePart the size from which ReadPart doesn't use its buffer again, and more is read in
// pieces.
const (
	firstRead = 4 << 10
	largePart = 256 << 10
)

// ReadAll is io.ReadAll for data that stays in memory. The error may be a *TooMuchError.
func (s *Share) ReadAll(from io.Reader) ([]byte, error) { return s.read(nil, from) }

// ReadPart is ReadAll for one of many parts. All are read into the same buffer and copied, because most are small. A large
// part keeps the buffer instead.
func (s *Share) ReadPart(from io.Reader) ([]byte, error) {
	data, err := s.read(s.buffer, from)
	s.buffer = nil
	if err != nil || len(data) > largePart {
		return data, err
	}
	s.buffer = data[:0]
	if err := s.Take(int64(len(data))); err != nil {
		return nil, err
	}
	return slices.Clone(data), nil
}

// read appends to data, whose capacity has been taken. What becomes large is read in pieces, which are copied once, at the end: the runtime
// can't interrupt a copy, and a buffer that grows is copied again and again.
func (s *Share) read(data []byte, from io.Reader) ([]byte, error) {
	var full [][]byte
	for held := cap(data); ; {
		if len(data) == cap(data) {
			least := max(1, firstRead-cap(data))
			if len(data) >= largePart {
				full, data, least = append(full, data), nil, largePart
			}
			grown := slices.Grow(data, least)
			if err := s.Take(int64(cap(grown) - cap(data))); err != nil {
				return nil, err
			}
			held += cap(grown) - cap(data)
			data = grown
		}
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF && full != nil:
			data = slices.Concat(append(full, data)...)
			return data, s.Take(int64(len(data) - held))
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}
