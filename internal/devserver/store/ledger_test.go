package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// taken returns how many bytes of a file aren't free.
func taken(t *testing.T, s *Store) int64 {
	t.Helper()
	var p pages
	read(t, s, func(tx *Tx) (err error) {
		p, err = queryOne(tx, scanPages, selectPages)
		return err
	})
	return (p.all - p.free) * p.size
}

// kinds are workspaces whose runs have little in common.
var kinds = map[string]func(t *testing.T, tx *Tx, i int, r Run) error{
	"many labels": func(_ *testing.T, tx *Tx, i int, r Run) error {
		var labels []Label
		for k := range 20 {
			labels = append(labels, Label{Metadata, fmt.Sprint("a name of metadata ", k), fmt.Sprint("value ", i%(1+k*50))})
		}
		return tx.SaveRun(r, RunBody{Post: []byte(`{"inputs":{"q":"` + noise(200) + `"}}`), Patch: []byte("{}")}, labels)
	},
	"large bodies": func(_ *testing.T, tx *Tx, i int, r Run) error {
		return tx.SaveRun(r, RunBody{Post: []byte(`{"inputs":{"q":"` + noise(5000+i*20) + `"}}`), Patch: []byte(`{"outputs":{"a":"` + noise(i) + `"}}`)},
			[]Label{{Value: "tag"}})
	},
	"attachments": func(t *testing.T, tx *Tx, i int, r Run) error {
		if err := tx.SaveRun(r, RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil); err != nil || i%20 > 0 {
			return err
		}
		id := uuid.NewString()
		seq, err := tx.BeginAttachment(Attachment{ID: id, WorkspaceID: r.WorkspaceID, CreatedAt: r.StartTime})
		content := noise(100_000)
		return errors.Join(err, tx.AppendAttachment(seq, 0, newPiece([]byte(content))), tx.GiveAttachment(id, r.ID, "photo", "image/png", int64(len(content))))
	},
}

// noise returns a text that can't be compressed below half of its size.
func noise(n int) string {
	random := make([]byte, n/2)
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// logKind logs n runs of a kind, as clients do: posts, and then patches of the same runs.
func logKind(t *testing.T, s *Store, kind string, n int) {
	t.Helper()
	began := time.Unix(1_700_000_000, 0).UTC()
	do(t, s, func(tx *Tx) error {
		if err := tx.EnsureProject(Project{ID: kind, WorkspaceID: workspaceOf(kind), Name: kind, StartTime: began}); err != nil {
			return err
		}
		for i := range n {
			id := uuid.NewString()
			r := Run{
				WorkspaceID: workspaceOf(kind), ID: id, ProjectID: kind, TraceID: id, DottedOrder: new(began.Format("20060102T150405000000Z") + id), Name: "call_model",
				RunType: "llm", Status: "pending", StartTime: began.Add(time.Duration(i) * time.Second), Figures: `{"prompt":{"cache_read":5}}`, ReceivedAt: began,
			}
			if err := kinds[kind](t, tx, i, r); err != nil {
				return err
			}
			stored, err := tx.Run(r.WorkspaceID, id)
			if err != nil {
				return err
			}
			stored.Status, stored.EndTime = "success", new(r.StartTime.Add(time.Second))
			if err := kinds[kind](t, tx, i, stored); err != nil {
				return err
			}
		}
		return nil
	})
}

func workspaceOf(kind string) string { return uuid.NewSHA1(uuid.Nil, []byte(kind)).String() }

func openPath(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	must(t, err)
	s.StopIndexing() // Its size depends on when it was built.
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func sweepAll(t *testing.T, s *Store) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOccupied_unraced compares what each of three different workspaces is said to take in a common file with the size of a file of its own, also after
// the file was opened again, and after some of it was deleted.
func TestOccupied_unraced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	common := openPath(t, path)
	want := map[string]int64{}
	for kind := range kinds {
		alone := openPath(t, filepath.Join(t.TempDir(), "plane.db"))
		empty := taken(t, alone)
		logKind(t, alone, kind, 300)
		sweepAll(t, alone) // What patches have replaced.
		want[kind] = taken(t, alone) - empty
		logKind(t, common, kind, 300)
	}
	sweepAll(t, common)
	check := func(when string, tolerance float64) {
		t.Helper()
		for kind, bytes := range want {
			if got := occupied(t, common, workspaceOf(kind)); float64(got) < (1-tolerance)*float64(bytes) || float64(got) > (1+tolerance)*float64(bytes) {
				t.Errorf("%s, %s takes %d bytes, want %d ± %.0f %%", when, kind, got, bytes, 100*tolerance)
			}
		}
	}
	check("logged", 0.08)
	must(t, common.Close())
	common = openPath(t, path)
	check("opened again", 0.08)

	do(t, common, func(tx *Tx) error { return tx.DeleteProject(workspaceOf("large bodies"), "large bodies") })
	if got := occupied(t, common, workspaceOf("large bodies")); got != 0 {
		t.Errorf("a workspace whose only project is being deleted takes %d bytes, want none", got)
	}
	sweepAll(t, common)
	delete(want, "large bodies")
	check("after a deletion", 0.2) // Pages of indexes that runs of several workspaces share have become emptier.
	do(t, common, func(tx *Tx) error {
		return errors.Join(tx.DeleteProject(workspaceOf("attachments"), "attachments"), tx.DeleteProject(workspaceOf("many labels"), "many labels"))
	})
	sweepAll(t, common)
	read(t, common, func(tx *Tx) error {
		all, err := tx.spaces("TRUE")
		if all != (Space{}) {
			t.Errorf("nothing is left, but %+v is counted", all)
		}
		return err
	})
}

func occupied(t *testing.T, s *Store, workspaceID string) int64 {
	t.Helper()
	bytes, err := s.Occupied(t.Context(), workspaceID)
	must(t, err)
	return bytes
}

// TestReadStats checks that the tables, indexes and free pages of a file add up to its size, and what its projects take to what they were logged with.
func TestReadStats(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	s := openPath(t, path)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) { // The order decides how full the pages are.
		logKind(t, s, kind, 100)
	}
	sweepAll(t, s)
	stats, err := ReadStats(t.Context(), path)
	must(t, err)
	// The rest are the pages that say where others are, one of 820.
	if sum := stats.Runs + stats.Bodies + stats.Labels + stats.Attachments + stats.Indexes + stats.Other + stats.Free; stats.Size-sum < 0 || stats.Size-sum > 4096+stats.Size/500 {
		t.Errorf("%+v add up to %d bytes, want the size", stats, sum)
	}
	var names []string
	for _, p := range stats.Projects {
		names = append(names, p.Name)
		if got := p.Attachments > 0; p.Runs != 100 || got != (p.Name == "attachments") || p.WorkspaceID != workspaceOf(p.Name) || p.Deleted {
			t.Errorf("project: %+v", p)
		}
		// Only what the limit counts has a share of pages that are partly empty.
		if want := occupied(t, s, p.WorkspaceID); float64(p.Bytes()) < 0.85*float64(want) || float64(p.Bytes()) > 1.1*float64(want) {
			t.Errorf("%s takes %d bytes, but its workspace %d", p.Name, p.Bytes(), want)
		}
	}
	slices.Sort(names)
	assert.Same(t, "names", []string{"attachments", "large bodies", "many labels"}, names)
	if stats.Log == 0 {
		t.Error("the log is empty")
	}
	old := filepath.Join(t.TempDir(), "old.db")
	writeVersion(t, old, sqliteSchema.first, "")
	if _, err := ReadStats(t.Context(), old); err == nil || !strings.Contains(err.Error(), "the schema version is 22") {
		t.Errorf("file of another version: error = %v", err)
	}
}
