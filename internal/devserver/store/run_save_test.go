package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// savedRuns are the runs of a client, as they should be stored.
type savedRuns struct {
	name  string
	dice  *rand.Rand
	runs  map[string]store.Run
	tags  map[string]string
	body  map[string]string
	order []string // In which they were added.
}

func (s savedRuns) clone() savedRuns {
	s.runs, s.tags, s.body, s.order = maps.Clone(s.runs), maps.Clone(s.tags), maps.Clone(s.body), slices.Clone(s.order)
	return s
}

// any returns one of a few IDs.
func (s savedRuns) any() string { return fmt.Sprint(s.name, s.dice.IntN(6)) }

// tag returns one of a few tags.
func (s savedRuns) tag() string { return fmt.Sprint("tag", s.dice.IntN(3), "\x00") }

// labels returns two labels that one run may have, or several.
func (s savedRuns) labels() store.Labels {
	first := s.any()
	if s.dice.IntN(2) == 0 {
		first = s.name
	}
	return store.Labels{First: store.Label{Value: first}, Other: store.Label{Value: s.tag()}}
}

// save adds or changes a run. Every other one waits for its parent.
func (s *savedRuns) save(tx *store.Tx, round int) error {
	id := s.any()
	stored, _, err := tx.StoredRun(workspace, id)
	before, known := s.runs[id]
	if known == errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%s is stored: %t, want %t", id, !known, known)
	}
	r := run(id, round)
	r.Seq = stored.Seq
	if known {
		r.ReceivedAt = before.ReceivedAt
	} else {
		s.order = append(s.order, id)
	}
	r.EndTime, r.Name = new(at), fmt.Sprint("name ", s.dice.IntN(1000))
	if parent := s.any(); parent != id && s.dice.IntN(2) == 0 {
		r.ParentRunID, r.DottedOrder = &parent, nil
	}
	s.tags[id], s.body[id] = s.tag(), fmt.Sprintf(`{"n":%d}`, s.dice.IntN(1000))
	tag := store.Label{Value: s.tags[id]}
	err = tx.SaveRun(r, store.RunBody{Post: []byte(s.body[id]), Patch: []byte("{}")}, []store.Label{tag, {Value: id}, tag, {Value: s.name}})
	r.Seq = 0
	s.runs[id] = r
	return err
}

// check compares what is stored with what should be.
func (s *savedRuns) check(tx *store.Tx, how int) error {
	id := s.any()
	want, known := s.runs[id]
	switch how {
	case 0:
		got, err := tx.Run(workspace, id)
		if !known {
			if !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("run %s: %w, want ErrNotFound", id, err)
			}
			return nil
		}
		return differ("run", want, got, err)
	case 1:
		_, got, err := tx.StoredRun(workspace, id)
		if !known {
			return nil
		}
		return differ("body", s.body[id], string(got.Post), err)
	case 2:
		var waiting []string
		for _, child := range s.order {
			if r := s.runs[child]; r.DottedOrder == nil && *r.ParentRunID == id {
				waiting = append(waiting, child)
			}
		}
		rows, err := tx.Orphans(workspace, id, 0, 1000)
		var got []string
		for _, row := range rows {
			got = append(got, row.ID)
		}
		return differ("orphans of "+id, waiting, got, err)
	case 3:
		found, err := tx.StoredRuns(workspace, []string{id, "none"})
		if !known {
			return differ("stored runs", map[string]store.StoredRun{}, found, err)
		}
		return differ("stored runs", map[string]store.StoredRun{id: {Run: want, Body: store.RunBody{Post: []byte(s.body[id]), Patch: []byte("{}")}}}, found, err)
	default:
		labels := s.labels()
		var both []store.Run
		for _, known := range s.order {
			if s.tags[known] == labels.Other.Value && (labels.First.Value == s.name || labels.First.Value == known) {
				both = append(both, s.runs[known])
			}
		}
		found, err := tx.Labelled(workspace, labels.First, labels.Other, 0, 1000)
		if err := differ("labelled", both, found, err); err != nil {
			return err
		}
		name, want := store.Label{Value: s.name}, []string{"", ""}
		for _, known := range s.order {
			if labels.First.Value == s.name && want[0] == "" || labels.First.Value == known {
				want[0] = known
			}
		}
		first, err := tx.FirstLabelled(workspace, []store.Labels{{First: labels.First, Other: name}, {First: name, Other: store.Label{Value: "none"}}})
		return differ("first labelled", want, first, err)
	}
}

func differ(what string, want, got any, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(store.Run{}, "Seq")); diff != "" {
		return fmt.Errorf("%s (-want +got):\n%s", what, diff)
	}
	return nil
}

// TestSavedRuns lets clients save and read runs in common transactions. Each must see what it has saved, and only what was reported as saved
// must be stored afterwards, with its space.
func TestSavedRuns(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	clients := make([]savedRuns, 6)
	for i := range clients {
		clients[i] = savedRuns{
			fmt.Sprintf("c%d-", i), rand.New(rand.NewPCG(1, uint64(i))), map[string]store.Run{}, map[string]string{}, map[string]string{}, nil,
		}
	}
	for round := range 30 {
		var all sync.WaitGroup
		for i := range clients {
			c := &clients[i]
			expected := store.Expected{WorkspaceID: workspace}
			for range c.dice.IntN(4) {
				expected.RunIDs = append(expected.RunIDs, c.any())
			}
			seed, fails := c.dice.Uint64(), c.dice.IntN(4) == 0
			all.Go(func() {
				var after savedRuns
				err := s.DoGrouped(t.Context(), expected, func(tx *store.Tx) error {
					after = c.clone() // The work may be repeated.
					after.dice = rand.New(rand.NewPCG(seed, 0))
					for range 12 {
						if err := after.save(tx, round); err != nil {
							return err
						}
						if after.dice.IntN(3) > 0 {
							continue
						}
						if err := after.check(tx, after.dice.IntN(5)); err != nil {
							return err
						}
					}
					if fails {
						return errBroken
					}
					return nil
				})
				switch {
				case err == nil && !fails:
					after.dice = c.dice
					*c = after
				case !fails || !errors.Is(err, errBroken):
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	runs := 0
	do(t, s, func(tx *store.Tx) error {
		for i := range clients {
			for range 100 {
				if err := clients[i].check(tx, clients[i].dice.IntN(5)); err != nil {
					return err
				}
			}
			runs += len(clients[i].runs)
		}
		all, err := tx.Runs(store.RunFilter{WorkspaceID: workspace}, true, nil, 1000)
		if err != nil || len(all) != runs {
			t.Errorf("%d runs, %v; want %d", len(all), err, runs)
		}
		labelled, err := tx.CountGroups(store.RunFilter{WorkspaceID: workspace}, store.RunGroup{Labels: &store.LabelGroup{Kind: store.Tag}}, 1000, 1000)
		sum := 0
		for _, g := range labelled {
			sum += g.Runs
		}
		if err != nil || sum != 3*runs {
			t.Errorf("%d labels, %v; want %d", sum, err, 3*runs)
		}
		return nil
	})
}

// TestSaveManyRuns saves more runs than are stored together, of which one has the ID of a run that is being deleted.
func TestSaveManyRuns(t *testing.T) {
	t.Parallel()
	s := withProjects(t)
	const many = 1100
	doomed := make([]store.Run, many)
	for i := range doomed {
		doomed[i] = run(fmt.Sprint("r", i), i)
		doomed[i].ProjectID = "p2"
	}
	save(t, s, doomed...)
	do(t, s, func(tx *store.Tx) error { return tx.DeleteProject(workspace, "p2") })
	again := slices.Clone(doomed)
	for i := range again {
		again[i].ProjectID = "p1"
	}
	save(t, s, again...)
	do(t, s, func(tx *store.Tx) error {
		all, err := tx.Runs(store.RunFilter{WorkspaceID: workspace}, true, nil, 2*many)
		for i, r := range all {
			if r.ID != again[i].ID || i > 0 && r.Seq <= all[i-1].Seq {
				t.Fatalf("run %d is %s with number %d", i, r.ID, r.Seq)
			}
		}
		if len(all) != many {
			t.Errorf("%d runs, want %d", len(all), many)
		}
		return err
	})
	for range many {
		more, err := s.Sweep(t.Context())
		devservertest.Must(t, err)
		if !more {
			break
		}
	}
	do(t, s, func(tx *store.Tx) error {
		rows, err := store.CountRows(tx)
		if want := int64(1 + 2*many); rows != want {
			t.Errorf("%d rows, want %d: a project, and the runs with their bodies", rows, want)
		}
		return err
	})
}
