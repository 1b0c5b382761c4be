package limits

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Memory limits the total size of the bodies of all requests in progress. Attachments don't count: they are never in memory
// as a whole.
type Memory struct {
	most  int64
	taken atomic.Int64
}

// NewMemory limits the total number of bytes.
func NewMemory(most int64) *Memory { return &Memory{most: most} }

// Share starts accounting for a request that may take the given number of bytes. Call Release when the request has
// finished.
func (m *Memory) Share(most int64) *Share { return &Share{of: m, most: most} }

// Share is the part of a Memory that one request uses.
type Share struct {
	of          *Memory
	most, taken int64
}

// TooMuchError says which limit a body exceeds: that of its request, or the total.
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
	s.of.taken.Add(-s.taken)
	s.taken = 0
}

// Take adds n bytes. If that exceeds a limit, the error is a *TooMuchError.
func (s *Share) Take(n int64) error {
	if s.taken+n > s.most {
		return &TooMuchError{Bytes: s.most}
	}
	s.taken += n
	if s.of.taken.Add(n) > s.of.most {
		return &TooMuchError{Bytes: s.of.most, Together: true}
	}
	return nil
}

// firstRead is the initial capacity in ReadAll.
const firstRead = 4 << 10

// ReadAll is io.ReadAll for data that stays in memory. The error may be a *TooMuchError.
func (s *Share) ReadAll(from io.Reader) ([]byte, error) {
	data, counted := make([]byte, 0, firstRead), 0
	for {
		if more := cap(data) - counted; more > 0 {
			if err := s.Take(int64(more)); err != nil {
				return nil, err
			}
			counted = cap(data)
		}
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}
