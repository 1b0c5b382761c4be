package figure

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Figures are those of some runs.
//
// The number of runs, failures and latencies are those of the runs themselves. Tokens, costs and the first token of a run
// include all runs below it: a root run has those of its trace, and its first token is the earliest of any llm run in the
// trace, relative to the start of the root. The sums count no run twice, even if one of the runs is below another. While the place of a
// run in its trace is unknown, it has nothing below it.
type Figures struct {
	// Rolled-up figures are stored under short names, because there are many.
	Runs     int          `json:"n"`
	Failed   int          `json:"f,omitempty"`
	Streamed int          `json:"s,omitempty"` // Runs with a first token.
	Ended    int          `json:"e,omitempty"`
	Seconds  float64      `json:"d,omitempty"` // That those took.
	Sum      usage.Totals `json:"sum"`         // Without the first token.

	LastStart time.Time `json:"-"` // Zero without runs.
	parts     []part
	distribution
}

// add adds the figures of other runs, none of which counts for any of these.
func (f *Figures) add(more *Figures) {
	f.Runs, f.Failed, f.Sum = f.Runs+more.Runs, f.Failed+more.Failed, f.Sum.Add(more.Sum)
	f.Streamed, f.Ended, f.Seconds = f.Streamed+more.Streamed, f.Ended+more.Ended, f.Seconds+more.Seconds
	f.parts = append(f.parts, more.parts...)
	if more.LastStart.After(f.LastStart) {
		f.LastStart = more.LastStart
	}
}

// figuresOf returns the figures of runs, without their sum and percentiles.
func figuresOf(runs []*member) *Figures {
	f, values := &Figures{Runs: len(runs)}, &samples{}
	for _, run := range runs {
		f.count(run, values)
	}
	f.parts = []part{{values: values}}
	return f
}

// count counts a run itself. Clients make up digits of the start time to distinguish runs, so a token can seem to precede it.
func (f *Figures) count(run *member, values *samples) {
	if run.Failed {
		f.Failed++
	}
	if run.StartTime.After(f.LastStart) || f.LastStart.IsZero() {
		f.LastStart = run.StartTime
	}
	if run.EndTime != nil {
		took := run.EndTime.Sub(run.StartTime)
		f.Ended, f.Seconds = f.Ended+1, f.Seconds+took.Seconds()
		values.add(latency, took.Seconds())
	}
	if first := run.totals.FirstTokenTime; first != nil {
		f.Streamed++
		values.add(firstToken, max(0, first.Sub(run.StartTime)).Seconds())
	}
	values.add(totalTokens, float64(run.totals.TotalTokens))
	values.add(promptTokens, float64(run.totals.PromptTokens))
	values.add(completionTokens, float64(run.totals.CompletionTokens))
	if cost := run.totals.TotalCost; cost != nil {
		values.add(totalCost, Float(*cost))
	}
}

func (s *samples) add(m measure, value float64) { s[m] = append(s[m], value) }

// LatencyMean returns the seconds that finished runs took on average; nil if there are none.
func (f *Figures) LatencyMean() *float64 {
	if f.Ended == 0 {
		return nil
	}
	return new(f.Seconds / float64(f.Ended))
}

// Summary are the figures that charts show.
type Summary struct {
	Runs, Errors                                int
	Sum                                         usage.Totals
	LatencyP50, LatencyP95, LatencyP99          *float64 // Seconds; nil if no run has any.
	FirstTokenP50, FirstTokenP95, FirstTokenP99 *float64
	LastStart                                   time.Time // Zero without runs.
	Approximate                                 bool      // Percentiles are estimated.
}

// Summary returns the figures that charts show.
func (f *Figures) Summary() Summary {
	return Summary{
		Runs: f.Runs, Errors: f.Failed, Sum: f.Sum, LastStart: f.LastStart, Approximate: f.approx != nil,
		LatencyP50: f.percentile(latency, 0.5), LatencyP95: f.percentile(latency, 0.95), LatencyP99: f.percentile(latency, 0.99),
		FirstTokenP50: f.percentile(firstToken, 0.5), FirstTokenP95: f.percentile(firstToken, 0.95), FirstTokenP99: f.percentile(firstToken, 0.99),
	}
}

// finish makes percentiles available.
func (f *Figures) finish() (err error) {
	f.distribution, err = distributionOf(f.parts, f.Runs)
	return err
}

// Together returns the figures of all of some steps in which no run counts twice.
func Together(steps []*Figures) (*Figures, error) {
	all := &Figures{}
	for _, step := range steps {
		all.add(step)
	}
	err := all.finish()
	return all, err
}

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
	stats.ErrorRate, stats.StreamingRate = f.share(f.Failed), f.share(f.Streamed)
	stats.LastRunStartTime = new(f.LastStart.UTC().Format(timestamp.Layout))
	stats.MedianTokens, stats.TokensP99 = whole(f.percentile(totalTokens, 0.5)), whole(f.percentile(totalTokens, 0.99))
	stats.PromptTokensP50, stats.PromptTokensP99 = whole(f.percentile(promptTokens, 0.5)), whole(f.percentile(promptTokens, 0.99))
	stats.CompletionTokensP50, stats.CompletionTokensP99 = whole(f.percentile(completionTokens, 0.5)), whole(f.percentile(completionTokens, 0.99))
	stats.CostP50, stats.CostP99 = rounded(f.percentile(totalCost, 0.5)), rounded(f.percentile(totalCost, 0.99))
	return stats
}

// share returns n divided by the number of runs.
func (f *Figures) share(n int) *float64 {
	return new(float64(n) / float64(f.Runs))
}

// Float returns the nearest float.
func Float(d decimal.Decimal) float64 {
	n, _ := strconv.ParseFloat(d.String(), 64) // A decimal is always a valid float.
	return n
}

func exact(d *decimal.Decimal) *json.Number { return api.Converted(d, decimal.Decimal.Number) }

// whole rounds a percentile of tokens. Clients decode it as an integer, and discard all figures if it has a fraction.
func whole(value *float64) *float64 { return api.Converted(value, math.Round) }

// rounded rounds a percentile of costs, which is not exact if it is interpolated. A float64 is exact to 15 digits; further
// digits are noise.
func rounded(value *float64) *json.Number {
	return api.Converted(value, func(cost float64) json.Number { return json.Number(strconv.FormatFloat(cost, 'g', 15, 64)) })
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
	return new(sorted[below] + (at-math.Floor(at))*(sorted[above]-sorted[below]))
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
	return new(sum / float64(len(values)))
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

// Facet is a property that runs share, with a filter that finds them.
type Facet struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Query string `json:"query"`
	N     int    `json:"n"`
	// Below reports whether the property belongs to runs below the requested root runs, and that these are counted.
	Below bool `json:"-"`
}

// byModel groups runs by the model that they call, and byTag by their tags.
var (
	byModel = store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Key: store.ModelKey}}
	byTag   = store.RunGroup{Labels: &store.LabelGroup{}}
)

// facetKind is a kind of facets: how its filters start and end.
type facetKind struct {
	key, before, after string
	by                 store.RunGroup
}

var (
	nameFacets   = facetKind{"name", "eq(name, ", ")", store.RunGroup{Column: store.ByName}}
	typeFacets   = facetKind{"run_type", "eq(run_type, ", ")", store.RunGroup{Column: store.ByRunType}}
	tagFacets    = facetKind{"tag", "has(tags, ", ")", byTag}
	statusFacets = facetKind{"status", "eq(status, ", ")", store.RunGroup{Column: store.ByStatus}}
	modelFacets  = facetKind{"model", `and(eq(metadata_key, "` + store.ModelKey + `"), eq(metadata_value, `, "))", byModel}
	// metadataEntries are another kind: each has a key of its own.
	metadataEntries = store.RunGroup{Labels: &store.LabelGroup{Kind: store.Metadata, Pairs: true}}
)

// of returns the facets of groups, of which those with the most runs come first.
func (k facetKind) of(groups []store.GroupCount) (all []Facet) {
	for _, g := range groups[:min(len(groups), limits.Facets)] {
		all = append(all, Facet{Key: k.key, Value: g.Group, Query: k.before + strconv.Quote(g.Group) + k.after, N: g.Runs})
	}
	return all
}

// CommonFacets returns the names, types and tags of the matching runs that are the most common ones.
func CommonFacets(tx *store.Tx, f store.RunFilter) ([]Facet, error) {
	all := []Facet{}
	for _, kind := range []facetKind{nameFacets, typeFacets, tagFacets} {
		groups, err := tx.CountGroups(f, kind.by, math.MaxInt, limits.Facets)
		if err != nil {
			return nil, err
		}
		all = append(all, kind.of(groups)...)
	}
	return all, nil
}

// Facets returns common properties of the newest matching runs, and keys of their metadata.
func Facets(tx *store.Tx, f store.RunFilter, newest int) (all []Facet, keys []string, err error) {
	kinds := []facetKind{statusFacets, typeFacets, modelFacets, nameFacets, tagFacets}
	var by []store.RunGroup
	for _, kind := range kinds {
		by = append(by, kind.by)
	}
	by = append(by, metadataEntries)
	// The most common metadata entries are often constants of the client, behind which other keys would be missed.
	counts, err := tx.CountFacets(f, by, newest, 10*limits.Facets)
	if err != nil {
		return nil, nil, err
	}
	for i, kind := range kinds {
		// Models are usually called below the root of a trace.
		below := kind.key == modelFacets.key && len(counts[i]) == 0 && f.Root != nil && *f.Root
		if below {
			calls := f
			calls.Root = nil
			if counts[i], err = tx.CountGroups(calls, kind.by, newest, limits.Facets); err != nil {
				return nil, nil, err
			}
		}
		for _, one := range kind.of(counts[i]) {
			one.Below = below
			all = append(all, one)
		}
	}
	entries, keys, err := entryFacets(counts[len(kinds)])
	return append(all, entries...), keys, err
}

// entryFacets returns the most common metadata entries, and keys: first those with several values, because one value makes one group.
func entryFacets(groups []store.GroupCount) (all []Facet, keys []string, _ error) {
	values := map[string]int{}
	for _, g := range groups {
		var pair [2]string
		if err := json.Unmarshal([]byte(g.Group), &pair); err != nil {
			return nil, nil, err
		}
		key, value := pair[0], pair[1]
		if key == store.ModelKey {
			continue
		}
		if values[key]++; values[key] == 1 {
			keys = append(keys, key)
		}
		if len(all) < limits.Facets {
			all = append(all, Facet{
				Key: "metadata", Value: key + ": " + value, N: g.Runs,
				Query: "and(eq(metadata_key, " + strconv.Quote(key) + "), eq(metadata_value, " + strconv.Quote(value) + "))",
			})
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(min(2, values[b]), min(2, values[a])) })
	return all, keys[:min(len(keys), limits.Facets)], nil
}
