package figure

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// Stats returns the figures for the response, without feedback. Without runs, only the counts are set.
func (f *Figures) Stats() api.RunStats {
	s := f.Sum
	stats := api.RunStats{
		RunCount: int64(f.Runs), TotalTokens: s.TotalTokens, PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens,
		TotalCost: exact(s.TotalCost), PromptCost: exact(s.PromptCost), CompletionCost: exact(s.CompletionCost),
		PromptTokenDetails: Numbers(s.PromptTokenDetails), CompletionTokenDetails: Numbers(s.CompletionTokenDetails),
		PromptCostDetails: Numbers(s.PromptCostDetails), CompletionCostDetails: Numbers(s.CompletionCostDetails),
	}
	if f.Runs == 0 {
		return stats
	}
	stats.LatencyP50, stats.LatencyP99 = f.percentile(latency, 0.5), f.percentile(latency, 0.99)
	stats.FirstTokenP50, stats.FirstTokenP99 = f.percentile(firstToken, 0.5), f.percentile(firstToken, 0.99)
	stats.ErrorRate, stats.StreamingRate = f.share(f.Failed), f.share(f.streamed)
	started := f.LastStart.UTC().Format(timestamp.Layout)
	stats.LastRunStartTime = &started

	stats.MedianTokens, stats.TokensP99 = whole(f.percentile(totalTokens, 0.5)), whole(f.percentile(totalTokens, 0.99))
	stats.PromptTokensP50, stats.PromptTokensP99 = whole(f.percentile(promptTokens, 0.5)), whole(f.percentile(promptTokens, 0.99))
	stats.CompletionTokensP50, stats.CompletionTokensP99 = whole(f.percentile(completionTokens, 0.5)), whole(f.percentile(completionTokens, 0.99))
	stats.CostP50, stats.CostP99 = rounded(f.percentile(totalCost, 0.5)), rounded(f.percentile(totalCost, 0.99))
	return stats
}

// share returns n divided by the number of runs.
func (f *Figures) share(n int) *float64 {
	share := float64(n) / float64(f.Runs)
	return &share
}

// floatOf returns the nearest float.
func floatOf(d decimal.Decimal) float64 {
	n, _ := strconv.ParseFloat(d.String(), 64) // A decimal is always a valid float.
	return n
}

func exact(d *decimal.Decimal) *json.Number {
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
func Numbers(details map[string]decimal.Decimal) map[string]json.Number {
	all := make(map[string]json.Number, len(details))
	for kind, n := range details {
		all[kind] = n.Number()
	}
	return all
}

// Percentile returns a percentile of the values, linearly interpolated as the service does. It returns nil without values,
// which need not be sorted.
func Percentile(values []float64, share float64) *float64 {
	return sortedPercentile(slices.Sorted(slices.Values(values)), share)
}

// sortedPercentile is Percentile for sorted values.
func sortedPercentile(sorted []float64, share float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	at := share * float64(len(sorted)-1)
	below := int(math.Floor(at))
	above := min(below+1, len(sorted)-1)
	value := sorted[below] + (at-math.Floor(at))*(sorted[above]-sorted[below])
	return &value
}

// Mean returns nil without values.
func Mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	sum /= float64(len(values))
	return &sum
}

// Deviation is the sample standard deviation; nil for fewer than two values.
func Deviation(values []float64) *float64 {
	if len(values) < 2 {
		return nil
	}
	middle, sum := *Mean(values), 0.0
	for _, value := range values {
		sum += (value - middle) * (value - middle)
	}
	return new(math.Sqrt(sum / float64(len(values)-1)))
}
