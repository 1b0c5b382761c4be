package devserver

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// stats are the figures of the runs that match.
//
// Counts, rates and times are those of the runs themselves; a run is timed to its end and to the first token of any llm
// run in it. Tokens and costs of a run are with those of the runs below it, so the root runs have those of their traces,
// and none counts twice in a sum.
func (c *call) stats(f store.RunFilter) (api.RunStats, error) {
	groups, err := c.statsBy(f, func(store.RunFigures) string { return "" })
	if err != nil || len(groups) == 0 {
		return api.RunStats{}, err
	}
	return groups[""], nil
}

// statsBy are the figures of groups of runs, by what key makes of them.
func (c *call) statsBy(f store.RunFilter, key func(store.RunFigures) string) (map[string]api.RunStats, error) {
	groups := map[string][]store.RunFigures{}
	err := c.tx.EachFigures(f, func(run store.RunFigures) error {
		groups[key(run)] = append(groups[key(run)], run)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var nodes []llmrun.Node
	err = c.tx.EachFiguresOfTraces(f, func(run store.RunFigures) error {
		n, err := nodeOf(run)
		nodes = append(nodes, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	totals, _ := llmrun.Rollup(nodes)
	parents := make(map[uuid.UUID]uuid.UUID, len(nodes))
	for _, n := range nodes {
		parents[n.ID] = n.ParentRunID
	}
	all := make(map[string]api.RunStats, len(groups))
	for name, runs := range groups {
		all[name] = newStats(runs, totals, parents)
	}
	return all, nil
}

func newStats(runs []store.RunFigures, totals map[uuid.UUID]llmrun.Totals, parents map[uuid.UUID]uuid.UUID) api.RunStats {
	among := make(map[uuid.UUID]bool, len(runs))
	for _, run := range runs {
		among[uuid.MustParse(run.ID)] = true
	}
	var sum llmrun.Totals
	var latencies, firstTokens, all, prompts, completions, costs []float64
	var failed, streamed int
	last := runs[0].StartTime
	for _, run := range runs {
		id := uuid.MustParse(run.ID)
		own := totals[id]
		if !below(id, among, parents) {
			sum = sum.Add(own)
		}
		all, prompts = append(all, float64(own.TotalTokens)), append(prompts, float64(own.PromptTokens))
		completions = append(completions, float64(own.CompletionTokens))
		if own.TotalCost != nil {
			cost, _ := strconv.ParseFloat(own.TotalCost.String(), 64) // A decimal is a number.
			costs = append(costs, cost)
		}
		if run.EndTime != nil {
			latencies = append(latencies, run.EndTime.Sub(run.StartTime).Seconds())
		}
		if own.FirstTokenTime != nil {
			streamed++
			firstTokens = append(firstTokens, max(0, own.FirstTokenTime.Sub(run.StartTime)).Seconds())
		}
		if run.Failed {
			failed++
		}
		if run.StartTime.After(last) {
			last = run.StartTime
		}
	}
	lastStart := last.Format(llmrun.NaiveTimeLayout)
	share := func(n int) *float64 { v := float64(n) / float64(len(runs)); return &v }
	return api.RunStats{
		RunCount: int64(len(runs)), LatencyP50: percentile(latencies, 0.5), LatencyP99: percentile(latencies, 0.99),
		FirstTokenP50: percentile(firstTokens, 0.5), FirstTokenP99: percentile(firstTokens, 0.99),
		TotalTokens: sum.TotalTokens, PromptTokens: sum.PromptTokens, CompletionTokens: sum.CompletionTokens,
		MedianTokens: percentile(all, 0.5), TokensP99: percentile(all, 0.99),
		PromptTokensP50: percentile(prompts, 0.5), PromptTokensP99: percentile(prompts, 0.99),
		CompletionTokensP50: percentile(completions, 0.5), CompletionTokensP99: percentile(completions, 0.99),
		LastRunStartTime: &lastStart, ErrorRate: share(failed), StreamingRate: share(streamed),
		TotalCost: exactNumber(sum.TotalCost), PromptCost: exactNumber(sum.PromptCost), CompletionCost: exactNumber(sum.CompletionCost),
		CostP50: rounded(percentile(costs, 0.5)), CostP99: rounded(percentile(costs, 0.99)),
		PromptTokenDetails: numbers(sum.PromptTokenDetails), CompletionTokenDetails: numbers(sum.CompletionTokenDetails),
		PromptCostDetails: numbers(sum.PromptCostDetails), CompletionCostDetails: numbers(sum.CompletionCostDetails),
	}
}

// below says that a run lies below another one of some.
func below(id uuid.UUID, among map[uuid.UUID]bool, parents map[uuid.UUID]uuid.UUID) bool {
	// A circle of parents can't be longer than there are runs.
	for range len(parents) {
		if id = parents[id]; id == uuid.Nil {
			return false
		}
		if among[id] {
			return true
		}
	}
	return false
}

func exactNumber(d *llmrun.Decimal) *json.Number {
	if d == nil {
		return nil
	}
	n := d.Number()
	return &n
}

// rounded is a percentile of costs, which are exact only where no two are mixed.
func rounded(value *float64) *json.Number {
	if value == nil {
		return nil
	}
	n := json.Number(strconv.FormatFloat(*value, 'g', 15, 64))
	return &n
}

// statsRequest is the body of POST /runs/stats beside what chooses the runs.
type statsRequest struct {
	GroupBy *string  `json:"group_by,omitzero"`
	Select  []string `json:"select,omitzero"`
}

// statsGroups are what runs can be grouped by.
var statsGroups = map[string]func(store.RunFigures) string{
	"name":     func(run store.RunFigures) string { return run.Name },
	"run_type": func(run store.RunFigures) string { return run.RunType },
}

// runStats answers the figures of runs, or of each group of them.
func runStats(c *call) (answer, error) {
	selection, err := decode[runSelection](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	request, err := decode[statsRequest](c.body, api.Neutral)
	if err != nil {
		return answer{}, err
	}
	var form form
	form.choice(request.GroupBy, sortedKeys(statsGroups), in([]api.LocStep{api.Key("body")}, "group_by"))
	if err := form.err(); err != nil {
		return answer{}, err
	}
	f, err := selection.filter(c)
	if err != nil {
		return answer{}, err
	}
	if request.GroupBy == nil {
		stats, err := c.stats(f)
		if err != nil {
			return answer{}, err
		}
		return ok(selected(stats, request.Select)), nil
	}
	groups, err := c.statsBy(f, statsGroups[*request.GroupBy])
	if err != nil {
		return answer{}, err
	}
	all := make(map[string]any, len(groups))
	for name, stats := range groups {
		all[name] = selected(stats, request.Select)
	}
	return answer{status: http.StatusOK, body: all}, nil
}

// selected are the metrics that are asked for, or all of them. A name that is none is left out, as in the service.
func selected(stats api.RunStats, names []string) any {
	if len(names) == 0 {
		return stats
	}
	all := statsFields(stats)
	for name := range all {
		if !slices.Contains(names, name) {
			delete(all, name)
		}
	}
	return all
}

// statsFields are the figures by their names on the wire.
func statsFields(stats api.RunStats) map[string]any {
	fields, _ := complete(reflect.ValueOf(stats), api.Neutral).(map[string]any) // That is what a struct becomes.
	return fields
}
