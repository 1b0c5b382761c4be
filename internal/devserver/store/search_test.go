package store

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// TestSearches_unraced compares 80 searches, for parts of texts in several scripts, with the texts of the runs. Most runs
// are indexed, some have changed since, and the newest aren't indexed.
func TestSearches_unraced(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	words := []string{
		"Error:", "error", "HTTP/1.1", "100%", "a_b", `C:\temp`, `"quoted"`, "<b>", "\t", "\x00", "O'Hara",
		"Grüße", "GRÜSSE", "Привет", "Ωμέγα", "שלום", "مرحبا", "日本語", "한국어", "नमस्ते", "🙂", "e\u0301",
	}
	text := func() string {
		var some []string
		for range 2 + r.IntN(6) {
			some = append(some, words[r.IntN(len(words))])
		}
		return strings.Join(some, []string{" ", ", ", ""}[r.IntN(3)]) + fmt.Sprint(r.IntN(1000))
	}
	texts := make([]string, addedRuns+delayedRuns+100)
	save := func(tx *Tx, run Run, n int) error {
		texts[n] = text()
		body, err := json.Marshal(map[string]any{"inputs": map[string]any{"question": []string{texts[n]}}})
		if err != nil {
			return err
		}
		return tx.SaveRun(run, RunBody{Post: body, Patch: []byte("{}")}, nil)
	}
	s := openUnindexed(t, 0)
	do(t, s, func(tx *Tx) error {
		for n := range texts {
			if err := save(tx, searchedRunNumber(n), n); err != nil {
				return err
			}
		}
		return nil
	})
	for index(t, s) {
	}
	do(t, s, func(tx *Tx) error {
		for range 50 {
			n := r.IntN(len(texts))
			run, err := tx.Run("w", fmt.Sprintf("run-%d", n))
			if err != nil {
				return err
			}
			if err := save(tx, run, n); err != nil {
				return err
			}
		}
		return nil
	})
	part := func() string {
		of := []rune(texts[r.IntN(len(texts))])
		begin := r.IntN(len(of))
		some := string(of[begin:min(len(of), begin+1+r.IntN(12))])
		return []string{some, lowerASCII(some), upperASCII(some)}[r.IntN(3)]
	}
	for i := range 80 {
		first, second := part(), part()
		one, other := filter.Search{Text: first}, filter.Search{Text: second}
		f := []RunFilter{
			{Where: one}, {Where: filter.And{Terms: []filter.Expr{one, other}}}, {Where: filter.Or{Terms: []filter.Expr{one, other}}},
			{Where: filter.And{Terms: []filter.Expr{one, filter.Not{Term: other}}}},
		}[i%4]
		var want, got []string
		for n, text := range texts {
			hasFirst, hasSecond := strings.Contains(lowerASCII(text), lowerASCII(first)), strings.Contains(lowerASCII(text), lowerASCII(second))
			if []bool{hasFirst, hasFirst && hasSecond, hasFirst || hasSecond, hasFirst && !hasSecond}[i%4] {
				want = append(want, fmt.Sprintf("run-%d", n))
			}
		}
		s.index.maxListed = []int{0, 1 << 20}[i/4%2]
		f.WorkspaceID, f.ProjectIDs = "w", []string{"first"}
		read(t, s, func(tx *Tx) error {
			runs, err := tx.Runs(f, true, nil, len(texts))
			for _, run := range runs {
				got = append(got, run.ID)
			}
			return err
		})
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %v: found %d runs, want %d:\n%.300v\n%.300v", seed, f.Where, len(got), len(want), got, want)
		}
	}
}

func lowerASCII(text string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text)
}

func upperASCII(text string) string {
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' {
			return c + 'A' - 'a'
		}
		return c
	}, text)
}

func count(t *testing.T, s *Store, table string) int64 {
	t.Helper()
	return number(t, s, "SELECT count(*) FROM "+table)
}

func number(t testing.TB, s *Store, statement string) (n int64) {
	t.Helper()
	read(t, s, func(tx *Tx) (err error) {
		n, err = queryOne(tx, scanNumber, statement)
		return err
	})
	return n
}
