package limits

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Memory bounds what the bodies of all requests take that are being answered. Attachments don't count: they are never there
// as a whole.
type Memory struct {
	most  int64
	taken atomic.Int64
}

// NewMemory bounds the bytes of all requests.
func NewMemory(most int64) *Memory { return &Memory{most: most} }

// Share begins to count for a request that may take so many bytes. Release it when the request is answered.
func (m *Memory) Share(most int64) *Share { return &Share{of: m, most: most} }

// Share is the part of a Memory that one request takes.
type Share struct {
	of          *Memory
	most, taken int64
}

// TooMuchError says which bound a body has reached: that of its request, or that of all together.
type TooMuchError struct {
	Bytes    int64
	Together bool
}

func (e *TooMuchError) Error() string {
	if e.Together {
		return fmt.Sprintf("the requests that are being answered take more than %d bytes together", e.Bytes)
	}
	return fmt.Sprintf("the request takes more than %d bytes", e.Bytes)
}

// Release gives everything back.
func (s *Share) Release() {
	s.of.taken.Add(-s.taken)
	s.taken = 0
}

// Take counts n bytes more, unless they are too many: the error is a *TooMuchError.
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

// firstRead is the capacity that ReadAll begins with.
const firstRead = 4 << 10

// ReadAll is io.ReadAll for what is to stay in memory. The error may be a *TooMuchError.
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
