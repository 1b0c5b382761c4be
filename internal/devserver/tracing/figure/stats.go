package figure

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Stats returns the figures for the response, without feedback. Without runs, only the counts are set.
func (m *Group) Stats() api.RunStats {
	s := m.Sum
	stats := api.RunStats{
		RunCount: int64(len(m.Runs)), TotalTokens: s.TotalTokens, PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens,
		TotalCost: exact(s.TotalCost), PromptCost: exact(s.PromptCost), CompletionCost: exact(s.CompletionCost),
		PromptTokenDetails: Numbers(s.PromptTokenDetails), CompletionTokenDetails: Numbers(s.CompletionTokenDetails),
		PromptCostDetails: Numbers(s.PromptCostDetails), CompletionCostDetails: Numbers(s.CompletionCostDetails),
	}
	if len(m.Runs) == 0 {
		return stats
	}
	latencies, firstTokens := m.Latencies(), m.firstTokens()
	stats.LatencyP50, stats.LatencyP99 = Percentile(latencies, 0.5), Percentile(latencies, 0.99)
	stats.FirstTokenP50, stats.FirstTokenP99 = Percentile(firstTokens, 0.5), Percentile(firstTokens, 0.99)
	stats.ErrorRate, stats.StreamingRate = m.share(m.Failed()), m.share(len(firstTokens))
	started := m.lastStart().UTC().Format(timestamp.Layout)
	stats.LastRunStartTime = &started

	totals := m.tokens(func(t usage.Totals) int64 { return t.TotalTokens })
	prompts := m.tokens(func(t usage.Totals) int64 { return t.PromptTokens })
	completions := m.tokens(func(t usage.Totals) int64 { return t.CompletionTokens })
	stats.MedianTokens, stats.TokensP99 = whole(Percentile(totals, 0.5)), whole(Percentile(totals, 0.99))
	stats.PromptTokensP50, stats.PromptTokensP99 = whole(Percentile(prompts, 0.5)), whole(Percentile(prompts, 0.99))
	stats.CompletionTokensP50, stats.CompletionTokensP99 = whole(Percentile(completions, 0.5)), whole(Percentile(completions, 0.99))
	costs := m.costs()
	stats.CostP50, stats.CostP99 = rounded(Percentile(costs, 0.5)), rounded(Percentile(costs, 0.99))
	return stats
}

// Latencies returns the seconds that each finished run took.
func (m *Group) Latencies() []float64 {
	var all []float64
	for _, run := range m.Runs {
		if run.EndTime != nil {
			all = append(all, run.EndTime.Sub(run.StartTime).Seconds())
		}
	}
	return all
}

// firstTokens returns the seconds to the first token of each run that has one. Clients make up digits of the start time to
// distinguish runs, so a token can seem to precede it.
func (m *Group) firstTokens() []float64 {
	var all []float64
	for _, run := range m.Runs {
		if first := run.totals.FirstTokenTime; first != nil {
			all = append(all, max(0, first.Sub(run.StartTime)).Seconds())
		}
	}
	return all
}

func (m *Group) tokens(of func(usage.Totals) int64) []float64 {
	all := make([]float64, len(m.Runs))
	for i, run := range m.Runs {
		all[i] = float64(of(run.totals))
	}
	return all
}

// costs returns the costs of the runs that have any.
func (m *Group) costs() []float64 {
	var all []float64
	for _, run := range m.Runs {
		if run.totals.TotalCost != nil {
			cost, _ := strconv.ParseFloat(run.totals.TotalCost.String(), 64) // A decimal is always a valid float.
			all = append(all, cost)
		}
	}
	return all
}

// Failed returns the number of runs that failed.
func (m *Group) Failed() int {
	n := 0
	for _, run := range m.Runs {
		if run.Failed {
			n++
		}
	}
	return n
}

func (m *Group) lastStart() time.Time {
	last := m.Runs[0].StartTime
	for _, run := range m.Runs {
		if run.StartTime.After(last) {
			last = run.StartTime
		}
	}
	return last
}

// share returns n divided by the number of runs.
func (m *Group) share(n int) *float64 {
	share := float64(n) / float64(len(m.Runs))
	return &share
}

func exact(d *usage.Decimal) *json.Number {
	if d == nil {
		return nil
	}
	n := d.Number()
	return &n
}

// whole rounds a percentile of tokens. Clients decode it as an integer, and discard all figures if it has a fraction.
func whole(value *float64) *float64 {
	if value == nil {
		return nil
	}
	n := math.Round(*value)
	return &n
}

// rounded rounds a percentile of costs, which is not exact if it is interpolated. A float64 is exact to 15 digits; further
// digits are noise.
func rounded(value *float64) *json.Number {
	if value == nil {
		return nil
	}
	n := json.Number(strconv.FormatFloat(*value, 'g', 15, 64))
	return &n
}

// Numbers returns details of tokens as JSON numbers of any length.
func Numbers(details map[string]usage.Decimal) map[string]json.Number {
	all := make(map[string]json.Number, len(details))
	for kind, n := range details {
		all[kind] = n.Number()
	}
	return all
}
