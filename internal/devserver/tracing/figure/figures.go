package figure

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Figures are those of some runs.
//
// The number of runs, failures and latencies are those of the runs themselves. Tokens, costs and the first token of a run
// include all runs below it: a root run has those of its trace, and its first token is the earliest of any llm run in the
// trace, relative to the start of the root. The sums count no run twice, even if one of the runs is below another. While the place of a
// run in its trace is unknown, it has nothing below it.
type Figures struct {
	Runs, Failed int
	Sum          usage.Totals // Without the first token.
	LastStart    time.Time    // Zero without runs.

	streamed int // Runs with a first token.
	ended    int
	seconds  float64 // That those took.
	parts    []part
	distribution
}

// add adds the figures of other runs, none of which counts for any of these.
func (f *Figures) add(more *Figures) {
	f.Runs, f.Failed, f.Sum = f.Runs+more.Runs, f.Failed+more.Failed, f.Sum.Add(more.Sum)
	f.streamed, f.ended, f.seconds = f.streamed+more.streamed, f.ended+more.ended, f.seconds+more.seconds
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
		f.ended, f.seconds = f.ended+1, f.seconds+took.Seconds()
		values.add(latency, took.Seconds())
	}
	if first := run.totals.FirstTokenTime; first != nil {
		f.streamed++
		values.add(firstToken, max(0, first.Sub(run.StartTime)).Seconds())
	}
	values.add(totalTokens, float64(run.totals.TotalTokens))
	values.add(promptTokens, float64(run.totals.PromptTokens))
	values.add(completionTokens, float64(run.totals.CompletionTokens))
	if cost := run.totals.TotalCost; cost != nil {
		values.add(totalCost, floatOf(*cost))
	}
}

func (s *samples) add(m measure, value float64) { s[m] = append(s[m], value) }

// LatencyMean returns the seconds that finished runs took on average; nil if there are none.
func (f *Figures) LatencyMean() *float64 {
	if f.ended == 0 {
		return nil
	}
	return new(f.seconds / float64(f.ended))
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
