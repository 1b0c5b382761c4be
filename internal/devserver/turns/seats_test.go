package turns

import (
	"maps"
	"testing"
)

// TestSeats checks that a workspace takes its part and no more, and that one with fewer seats gets the oldest of one with the most.
func TestSeats(t *testing.T) {
	t.Parallel()
	all := NewSeats(5, 3)
	var seats []*Seat
	// kept counts the seats that aren't lost, by workspace, and checks that those are the newest.
	kept := func() map[string]int {
		n := map[string]int{}
		for _, seat := range seats {
			select {
			case <-seat.Lost():
				if n[seat.workspaceID] > 0 {
					t.Errorf("%s has lost a seat, and not the oldest", seat.workspaceID)
				}
			default:
				n[seat.workspaceID]++
			}
		}
		return n
	}
	for i, next := range []struct {
		workspaceID string
		taken       bool
		want        map[string]int
	}{
		{"a", true, map[string]int{"a": 1}},
		{"a", true, map[string]int{"a": 2}},
		{"a", true, map[string]int{"a": 3}},
		{"a", false, map[string]int{"a": 3}}, // Its part.
		{"b", true, map[string]int{"a": 3, "b": 1}},
		{"b", true, map[string]int{"a": 3, "b": 2}},
		{"b", false, map[string]int{"a": 3, "b": 2}}, // It would have as many as the largest.
		{"c", true, map[string]int{"a": 2, "b": 2, "c": 1}},
		{"c", false, map[string]int{"a": 2, "b": 2, "c": 1}},
	} {
		seat := all.Take(next.workspaceID)
		if (seat != nil) != next.taken {
			t.Fatalf("%d: %s got a seat: %v, want %v", i, next.workspaceID, seat != nil, next.taken)
		}
		if seat != nil {
			seats = append(seats, seat)
		}
		if got := kept(); !maps.Equal(got, next.want) {
			t.Errorf("%d: seats = %v, want %v", i, got, next.want)
		}
	}
	for _, workspaceID := range []string{"d", "e"} {
		seat := all.Take(workspaceID)
		if seat == nil {
			t.Fatalf("%s got no seat while others have two", workspaceID)
		}
		seats = append(seats, seat)
	}
	if all.Take("f") != nil {
		t.Error("a sixth workspace got one of five seats")
	}
	for _, seat := range seats {
		seat.Leave()
	}
	if all.taken != 0 || len(all.of) != 0 {
		t.Errorf("%d seats are taken, by %v; want none", all.taken, all.of)
	}
}
