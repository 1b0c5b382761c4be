package client

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestChange loses replies while other clients change the object. The object is a string, which the update sets to
// "new".
func TestChange(t *testing.T) {
	t.Parallel()
	lost := &TransportError{Method: "PATCH", Err: errors.New("EOF")}
	refused := &Error{Method: "PATCH", Status: 422}
	unread := errors.New("unreadable")
	type step struct {
		does string // The object afterwards; empty: unchanged.
		err  error
	}
	for name, test := range map[string]struct {
		before string
		sends  []step
		reads  []error // Errors of the reads, in order; then nil.
		want   error
		sent   int
	}{
		"answered":                    {"old", []step{{"new", nil}}, nil, nil, 1},
		"refused":                     {"old", []step{{"", refused}}, nil, refused, 1},
		"lost after the work":         {"old", []step{{"new", lost}}, nil, nil, 1},
		"lost before the work":        {"old", []step{{"", lost}, {"new", nil}}, nil, nil, 2},
		"lost before, then after":     {"old", []step{{"", lost}, {"new", lost}}, nil, nil, 2},
		"lost twice before":           {"old", []step{{"", lost}, {"", lost}}, nil, lost, 2},
		"lost, then refused":          {"old", []step{{"", lost}, {"", refused}}, nil, refused, 2},
		"others did the same before":  {"new", []step{{"", lost}, {"new", nil}}, nil, nil, 2},
		"others changed it meanwhile": {"old", []step{{"theirs", lost}, {"new", nil}}, nil, nil, 2},
		"not readable before":         {"old", nil, []error{unread}, unread, 0},
		"not readable after":          {"old", []step{{"new", lost}}, []error{nil, unread}, lost, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, sent := test.before, 0
			c, _ := serveInMemory(t, answerWith(200, nil))
			changed, err := Change[string]{
				Read: func(context.Context) (*string, error) {
					if len(test.reads) > 0 {
						err := test.reads[0]
						test.reads = slices.Delete(slices.Clone(test.reads), 0, 1)
						if err != nil {
							return nil, err
						}
					}
					now := object
					return &now, nil
				},
				Send: func(context.Context) (*string, error) {
					does := test.sends[sent]
					sent++
					if does.does != "" {
						object = does.does
					}
					if does.err != nil {
						return nil, does.err
					}
					return &object, nil
				},
				Shows: func(current string) bool { return current == "new" },
			}.Apply(t.Context(), c)
			if !errors.Is(err, test.want) || sent != test.sent || err == nil && *changed != "new" {
				t.Errorf("error = %v after %d requests, want %v after %d; the object is now %q", err, sent, test.want, test.sent, object)
			}
		})
	}
}

// TestMismatch_numbers compares numbers that are equal as float64.
func TestMismatch_numbers(t *testing.T) {
	t.Parallel()
	const large = 1 << 53
	for reported, want := range map[int64]bool{large: false, large + 1: true} {
		if at, different := mismatch(map[string]int64{"n": large}, map[string]int64{"n": reported}); different != want || want && at != ".n" {
			t.Errorf("mismatch with %d = %q, %t; want %t", reported, at, different, want)
		}
	}
}
