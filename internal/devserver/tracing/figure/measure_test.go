package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// TestStatsOfRandomTrees compares the figures for random runs of random traces with those computed by visiting
// each run and its descendants.
func TestStatsOfRandomTrees(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for seed := range uint64(40) {
		f := newForest(rand.New(rand.NewPCG(seed, 1)), fmt.Sprintf("p%d", seed))
		var got, whole api.RunStats
		if err := db.Do(t.Context(), f.save); err != nil {
			t.Fatal(err)
		}
		err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
			figures := func(filter store.RunFilter) (api.RunStats, error) {
				all, err := InOne(tx, filter, true)
				if err != nil {
					return api.RunStats{}, err
				}
				return all.Stats(), nil
			}
			if got, err = figures(store.RunFilter{WorkspaceID: workspace, IDs: f.asked}); err != nil {
				return err
			}
			whole, err = figures(store.RunFilter{WorkspaceID: workspace, ProjectIDs: []string{f.project}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := f.statsOf(f.asked)
		compared := cmpopts.IgnoreFields(api.RunStats{}, "LatencyP50", "LatencyP99", "LastRunStartTime", "ErrorRate", "CostP50", "CostP99")
		if diff := cmp.Diff(want, got, compared, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
		if own := int64(len(f.runs)); whole.RunCount != own || whole.TotalTokens != f.tokens {
			t.Errorf("seed %d: all %d runs have %d tokens, want %d with %d", seed, whole.RunCount, whole.TotalTokens, own, f.tokens)
		}
	}
}

const workspace = "w"

// forest has random traces in a project, and the runs to query.
type forest struct {
	project string
	runs    []store.Run
	parent  map[string]string
	asked   []string
	tokens  int64
}

func newForest(random *rand.Rand, project string) *forest {
	f := &forest{project: project, parent: map[string]string{}, asked: []string{}}
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for i := range 1 + random.IntN(30) {
		id := fmt.Sprintf("00000000-0000-4000-8000-%s%06d", fmt.Sprintf("%06s", project), i)
		run := store.Run{
			WorkspaceID: workspace, ID: id, ProjectID: project, TraceID: id, Name: "run", RunType: "chain", Status: "success",
			StartTime: begin.Add(time.Duration(random.IntN(1000)) * time.Millisecond), Figures: None, ReceivedAt: begin,
		}
		order := "20260502T100000000000Z" + id
		if above := random.IntN(i + 1); above < i && random.IntN(4) > 0 {
			up := f.runs[above]
			run.ParentRunID, run.TraceID, f.parent[id] = &up.ID, up.TraceID, up.ID
			order = *up.DottedOrder + "." + order
		}
		run.DottedOrder = &order
		if random.IntN(2) == 0 {
			run.RunType, run.PromptTokens, run.CompletionTokens = "llm", random.Int64N(50), random.Int64N(50)
			run.TotalTokens, run.Figures = run.PromptTokens+run.CompletionTokens, `{"prompt_token_details":{"cache_read":1}}`
			run.TotalCost = new(fmt.Sprintf("0.%03d", random.IntN(1000)))
			f.tokens += run.TotalTokens
		}
		if random.IntN(3) == 0 {
			run.FirstTokenTime = new(run.StartTime.Add(time.Duration(random.IntN(5000)-100) * time.Millisecond))
		}
		f.runs = append(f.runs, run)
		if random.IntN(3) == 0 {
			f.asked = append(f.asked, id)
		}
	}
	return f
}

func (f *forest) save(tx *store.Tx) error {
	err := tx.EnsureProject(store.Project{ID: f.project, WorkspaceID: workspace, Name: f.project})
	for _, run := range f.runs {
		if err != nil {
			return err
		}
		err = tx.SaveRun(run, store.RunBody{Post: []byte("{}"), Patch: []byte("{}")}, nil)
	}
	return err
}

// isBelow reports whether a run is another one or its descendant.
func (f *forest) isBelow(id, above string) bool {
	for ; id != ""; id = f.parent[id] {
		if id == above {
			return true
		}
	}
	return false
}

// statsOf computes the figures of runs in the simplest, slow way.
func (f *forest) statsOf(ids []string) api.RunStats {
	stats := api.RunStats{RunCount: int64(len(ids))}
	var prompts, completions, totals, firsts []float64
	counted := map[string]bool{}
	var cost *decimal.Decimal
	details := int64(0)
	for _, id := range ids {
		var prompt, completion int64
		var start time.Time
		var first *time.Time
		for _, run := range f.runs {
			if run.ID == id {
				start = run.StartTime
			}
			if !f.isBelow(run.ID, id) {
				continue
			}
			prompt, completion = prompt+run.PromptTokens, completion+run.CompletionTokens
			if at := run.FirstTokenTime; at != nil && (first == nil || at.Before(*first)) {
				first = at
			}
			if counted[run.ID] {
				continue
			}
			counted[run.ID] = true
			stats.PromptTokens, stats.CompletionTokens = stats.PromptTokens+run.PromptTokens, stats.CompletionTokens+run.CompletionTokens
			if run.TotalCost != nil {
				amount, _ := decimal.Parse(*run.TotalCost)
				if cost != nil {
					amount = amount.Add(*cost)
				}
				cost = &amount
				details++
			}
		}
		prompts, completions = append(prompts, float64(prompt)), append(completions, float64(completion))
		totals = append(totals, float64(prompt+completion))
		if first != nil {
			firsts = append(firsts, max(0, first.Sub(start).Seconds()))
		}
	}
	stats.TotalTokens, stats.TotalCost = stats.PromptTokens+stats.CompletionTokens, exact(cost)
	if details > 0 {
		stats.PromptTokenDetails = Numbers(map[string]decimal.Decimal{"cache_read": decimal.Of(details)})
	}
	stats.MedianTokens, stats.TokensP99 = nearest(Percentile(totals, 0.5)), nearest(Percentile(totals, 0.99))
	stats.PromptTokensP50, stats.PromptTokensP99 = nearest(Percentile(prompts, 0.5)), nearest(Percentile(prompts, 0.99))
	stats.CompletionTokensP50, stats.CompletionTokensP99 = nearest(Percentile(completions, 0.5)), nearest(Percentile(completions, 0.99))
	stats.FirstTokenP50, stats.FirstTokenP99 = Percentile(firsts, 0.5), Percentile(firsts, 0.99)
	if len(ids) > 0 {
		rate := float64(len(firsts)) / float64(len(ids))
		stats.StreamingRate = &rate
	}
	return stats
}

// nearest returns the integer nearest to a percentile.
func nearest(value *float64) *float64 {
	if value != nil {
		value = new(math.Floor(*value + 0.5))
	}
	return value
}
