package tracing

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// answer returns the figures for the response. Without runs, only the counts are set.
func (m *measured) answer() api.RunStats {
	s := m.sum
	stats := api.RunStats{
		RunCount: int64(len(m.runs)), TotalTokens: s.TotalTokens, PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens,
		TotalCost: exactNumber(s.TotalCost), PromptCost: exactNumber(s.PromptCost), CompletionCost: exactNumber(s.CompletionCost),
		PromptTokenDetails: numbers(s.PromptTokenDetails), CompletionTokenDetails: numbers(s.CompletionTokenDetails),
		PromptCostDetails: numbers(s.PromptCostDetails), CompletionCostDetails: numbers(s.CompletionCostDetails),
	}
	if len(m.runs) == 0 {
		return stats
	}
	stats.FeedbackStats = m.ratings.ofMany()
	latencies, firstTokens := m.latencies(), m.firstTokens()
	stats.LatencyP50, stats.LatencyP99 = percentile(latencies, 0.5), percentile(latencies, 0.99)
	stats.FirstTokenP50, stats.FirstTokenP99 = percentile(firstTokens, 0.5), percentile(firstTokens, 0.99)
	stats.ErrorRate, stats.StreamingRate = m.share(m.failed()), m.share(len(firstTokens))
	started := m.lastStart().UTC().Format(timestamp.Layout)
	stats.LastRunStartTime = &started

	totals := m.tokens(func(t usage.Totals) int64 { return t.TotalTokens })
	prompts := m.tokens(func(t usage.Totals) int64 { return t.PromptTokens })
	completions := m.tokens(func(t usage.Totals) int64 { return t.CompletionTokens })
	stats.MedianTokens, stats.TokensP99 = whole(percentile(totals, 0.5)), whole(percentile(totals, 0.99))
	stats.PromptTokensP50, stats.PromptTokensP99 = whole(percentile(prompts, 0.5)), whole(percentile(prompts, 0.99))
	stats.CompletionTokensP50, stats.CompletionTokensP99 = whole(percentile(completions, 0.5)), whole(percentile(completions, 0.99))
	costs := m.costs()
	stats.CostP50, stats.CostP99 = rounded(percentile(costs, 0.5)), rounded(percentile(costs, 0.99))
	return stats
}

// latencies returns the seconds that each finished run took.
func (m *measured) latencies() []float64 {
	var all []float64
	for _, run := range m.runs {
		if run.EndTime != nil {
			all = append(all, run.EndTime.Sub(run.StartTime).Seconds())
		}
	}
	return all
}

// firstTokens returns the seconds to the first token of each run that has one. Clients make up digits of the start time to
// distinguish runs, so a token can seem to precede it.
func (m *measured) firstTokens() []float64 {
	var all []float64
	for _, run := range m.runs {
		if first := run.totals.FirstTokenTime; first != nil {
			all = append(all, max(0, first.Sub(run.StartTime)).Seconds())
		}
	}
	return all
}

func (m *measured) tokens(of func(usage.Totals) int64) []float64 {
	all := make([]float64, len(m.runs))
	for i, run := range m.runs {
		all[i] = float64(of(run.totals))
	}
	return all
}

// costs returns the costs of the runs that have any.
func (m *measured) costs() []float64 {
	var all []float64
	for _, run := range m.runs {
		if run.totals.TotalCost != nil {
			cost, _ := strconv.ParseFloat(run.totals.TotalCost.String(), 64) // A decimal is always a valid float.
			all = append(all, cost)
		}
	}
	return all
}

func (m *measured) failed() int {
	n := 0
	for _, run := range m.runs {
		if run.Failed {
			n++
		}
	}
	return n
}

func (m *measured) lastStart() time.Time {
	last := m.runs[0].StartTime
	for _, run := range m.runs {
		if run.StartTime.After(last) {
			last = run.StartTime
		}
	}
	return last
}

// share returns n divided by the number of runs.
func (m *measured) share(n int) *float64 {
	share := float64(n) / float64(len(m.runs))
	return &share
}

func exactNumber(d *usage.Decimal) *json.Number {
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
