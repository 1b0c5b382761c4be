package ingest

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// Memory bounds what the documents of requests take. Attachments don't count: they are never there as a whole.
type Memory struct {
	request, all int64
	taken        atomic.Int64
}

// NewMemory bounds the bytes of a request, and those of all requests that are being answered.
func NewMemory(request, all int64) *Memory { return &Memory{request: request, all: all} }

// Share begins to count for a request. Release it when the request is answered.
func (m *Memory) Share() *Share { return &Share{of: m} }

// Share is the part of a Memory that one request takes.
type Share struct {
	of    *Memory
	taken int64
}

// Release gives everything back.
func (s *Share) Release() {
	s.of.taken.Add(-s.taken)
	s.taken = 0
}

// take counts n bytes more, or says why they are too many: an *Error with status 413 or 429.
func (s *Share) take(n int64) error {
	if s.taken+n > s.of.request {
		return &Error{Status: http.StatusRequestEntityTooLarge, Problem: fmt.Sprintf(
			"Request entity too large: the runs of one request take more than %d bytes: send fewer at once", s.of.request)}
	}
	s.taken += n
	if s.of.taken.Add(n) > s.of.all {
		return &Error{Status: http.StatusTooManyRequests, Problem: fmt.Sprintf(
			"Too many requests: the runs that are on their way take more than %d bytes together: send this again later", s.of.all)}
	}
	return nil
}

// firstRead is the capacity that ReadAll begins with.
const firstRead = 4 << 10

// ReadAll is io.ReadAll for what is to stay in memory.
func (s *Share) ReadAll(from io.Reader) ([]byte, error) {
	data, counted := make([]byte, 0, firstRead), 0
	for {
		if more := cap(data) - counted; more > 0 {
			if err := s.take(int64(more)); err != nil {
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
