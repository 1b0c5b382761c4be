package turns

import (
	"slices"
	"sync"
)

// Seats are places that workspaces keep for as long as they like. There is no queue for them.
type Seats struct {
	all, each int

	mu    sync.Mutex
	taken int
	of    map[string][]*Seat // By workspace, the oldest first; those without a seat are left out.
}

// Seat is a place of a workspace.
type Seat struct {
	in          *Seats
	workspaceID string
	lost        chan struct{}
}

// NewSeats returns a number of seats, of which each workspace takes at most a certain part.
func NewSeats(all, each int) *Seats { return &Seats{all: all, each: each, of: map[string][]*Seat{}} }

// Take returns a seat, or nil if the workspace has its part. If all seats are taken, it is the oldest one of the workspace with the most, unless
// this one has as many.
func (s *Seats) Take(workspaceID string) *Seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := len(s.of[workspaceID])
	if held >= s.each || s.taken >= s.all && !s.takeFrom(held+1) {
		return nil
	}
	seat := &Seat{s, workspaceID, make(chan struct{})}
	s.of[workspaceID] = append(s.of[workspaceID], seat)
	s.taken++
	return seat
}

// takeFrom takes the oldest seat of the workspace with the most, if it has more than the given number.
func (s *Seats) takeFrom(more int) bool {
	var largest []*Seat
	for _, seats := range s.of {
		if len(seats) > max(more, len(largest)) {
			largest = seats
		}
	}
	if largest == nil {
		return false
	}
	close(largest[0].lost)
	s.remove(largest[0])
	return true
}

func (s *Seats) remove(seat *Seat) {
	seats := s.of[seat.workspaceID]
	at := slices.Index(seats, seat)
	if at < 0 { // It was lost.
		return
	}
	s.taken--
	if s.of[seat.workspaceID] = slices.Delete(seats, at, at+1); len(seats) == 1 {
		delete(s.of, seat.workspaceID)
	}
}

// Lost is closed when another workspace has got the seat.
func (s *Seat) Lost() <-chan struct{} { return s.lost }

// Leave returns the seat.
func (s *Seat) Leave() {
	s.in.mu.Lock()
	defer s.in.mu.Unlock()
	s.in.remove(s)
}
