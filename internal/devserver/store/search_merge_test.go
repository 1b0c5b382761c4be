package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// mergeStep merges some parts, if there are any to merge.
func mergeStep(t *testing.T, s *database) bool {
	t.Helper()
	found, err := s.mergeNext(t.Context())
	must(t, err)
	return found
}

// TestIndexMerged_unraced searches while blocks are merged, indexed again, merged again, and emptied.
func TestIndexMerged_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 3*blockRuns+restingRuns)
	for index(t, s) {
	}
	if s.index.apart = 4; mergeStep(t, s) {
		t.Error("3 blocks were merged, want none before there are 4")
	}
	s.index.apart = 2
	find := func(changed ...int) {
		t.Helper()
		for _, n := range []int{0, 77, 2047, 2048, 5000, 3*blockRuns + 100} {
			wantFound(t, s, searchFor(fmt.Sprintf("number-%d.", n)), fmt.Sprintf("run-%d", n))
		}
		for _, n := range changed {
			wantFound(t, s, searchFor(fmt.Sprintf("number-%d.", n)))
			wantFound(t, s, searchFor(fmt.Sprintf("changed-%d.", n)), fmt.Sprintf("run-%d", n))
		}
		wantFound(t, s, searchFor("number-999999"))
	}
	steps := 0
	for ; mergeStep(t, s); steps++ {
		if steps%32 == 1 {
			find()
		}
	}
	find()
	if parts, rows := count(t, s, "search_parts"), count(t, s, "search_grams"); parts != 0 || rows == 0 || steps != blockParts/mergedAtOnce {
		t.Errorf("after %d steps there are %d parts and %d rows; want none and some after %d", steps, parts, rows, blockParts/mergedAtOnce)
	}
	change := func(first int) {
		t.Helper()
		do(t, s, func(tx *Tx) (err error) {
			for n := first; n <= first+mostChanged; n++ {
				err = errors.Join(err, changeRunIn(tx, n, searchedRunNumber(n).StartTime, fmt.Sprintf(`{"inputs":"Changed-%d."}`, n)))
			}
			return err
		})
		if !index(t, s) || index(t, s) {
			t.Fatal("the block was not indexed again, or more than once")
		}
	}
	change(100)
	find(100, 101, 100+mostChanged)
	if parts := count(t, s, "search_parts"); parts == 0 || mergeStep(t, s) {
		t.Errorf("%d parts, want those of the block that was indexed again, which stays apart", parts)
	}
	change(blockRuns + 100)
	for step := 0; mergeStep(t, s); step++ {
		if step%32 == 1 {
			find(100, 100+mostChanged, blockRuns+100)
		}
	}
	find(100, 100+mostChanged, blockRuns+100)
	if parts := count(t, s, "search_parts"); parts != 0 {
		t.Errorf("%d parts are left, want none", parts)
	}
	do(t, s, func(tx *Tx) error { return tx.DeleteProject("w", "first") })
	sweepAll(t, s)
	for index(t, s) || mergeStep(t, s) {
	}
	if parts, rows := count(t, s, "search_parts"), count(t, s, "search_grams"); parts != 0 || rows != 0 {
		t.Errorf("%d parts and %d rows of deleted runs are left, want none", parts, rows)
	}
}

// TestIndexMergedTogether_unraced indexes a block again while its group is being merged, which leaves it apart.
func TestIndexMergedTogether_unraced(t *testing.T) {
	t.Parallel()
	s := openUnindexed(t, 2*blockRuns+restingRuns)
	for index(t, s) {
	}
	s.index.apart = 2
	for range 3 {
		mergeStep(t, s)
	}
	do(t, s, func(tx *Tx) (err error) {
		for n := range mostChanged + 1 {
			err = errors.Join(err, changeRunIn(tx, n, searchedRunNumber(n).StartTime, `{"inputs":"`+strings.Repeat("other ", n%5)+`."}`))
		}
		return err
	})
	if !index(t, s) {
		t.Fatal("the block was not indexed again")
	}
	for mergeStep(t, s) {
	}
	wantFound(t, s, searchFor("number-4000."), "run-4000")
	wantFound(t, s, searchFor("number-2000."), "run-2000")
	wantFound(t, s, searchFor("number-7."))
	wantFound(t, s, searchFor("other other other other"), "run-1024", "run-1019", "run-1014", "run-1009", "run-1004", "run-999", "run-994", "run-989", "run-984", "run-979")
	if parts := count(t, s, "search_parts"); parts == 0 {
		t.Error("there are no parts, want those of the block that was indexed again")
	}
}
