package tracing

import (
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Figures are the figures of the traces that began in a project within a span of time.
type Figures struct {
	Runs, Errors                                         int
	Sum                                                  usage.Totals
	LatencyP50, LatencyP99, FirstTokenP50, FirstTokenP99 *float64  // Seconds; nil when no run has any.
	LastStart                                            time.Time // Zero without any runs.
}

// spanValues are what figures are made of.
type spanValues struct {
	runs, failed           int
	sum                    usage.Totals
	latencies, firstTokens []float64
	last                   time.Time
}

func newSpanValues(m *measured) spanValues {
	if m == nil || len(m.runs) == 0 {
		return spanValues{}
	}
	return spanValues{runs: len(m.runs), failed: m.failed(), sum: m.sum, latencies: m.latencies(), firstTokens: m.firstTokens(), last: m.lastStart()}
}

// add is the sum; neither operand is changed.
func (f spanValues) add(more spanValues) spanValues {
	f.runs, f.failed, f.sum = f.runs+more.runs, f.failed+more.failed, f.sum.Add(more.sum)
	f.latencies = append(slices.Clip(f.latencies), more.latencies...)
	f.firstTokens = append(slices.Clip(f.firstTokens), more.firstTokens...)
	if more.last.After(f.last) {
		f.last = more.last
	}
	return f
}

func (f spanValues) figures() Figures {
	return Figures{
		Runs: f.runs, Errors: f.failed, Sum: f.sum, LastStart: f.last,
		LatencyP50: percentile(f.latencies, 0.5), LatencyP99: percentile(f.latencies, 0.99),
		FirstTokenP50: percentile(f.firstTokens, 0.5), FirstTokenP99: percentile(f.firstTokens, 0.99),
	}
}

// span is a step of a chart.
type span struct {
	start time.Time
	step  time.Duration
}

// lookedAt remembers the figures of projects that people look at, which takes a moment to add up for many runs. Runs that
// are logged make it forget the spans that they belong to. Everybody who uses it is in a transaction, and these come one
// after the other.
type lookedAt struct {
	mu       sync.Mutex
	projects map[string]map[span]spanValues
}

// maxSpans bounds what is remembered of a project.
const maxSpans = 1000

// of are the remembered spans of a project. Whoever asks may add to them.
func (l *lookedAt) of(projectID string) map[span]spanValues {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.projects == nil {
		l.projects = map[string]map[span]spanValues{}
	}
	if l.projects[projectID] == nil || len(l.projects[projectID]) > maxSpans {
		l.projects[projectID] = map[span]spanValues{}
	}
	return l.projects[projectID]
}

// empty says that nobody has looked at anything.
func (l *lookedAt) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.projects) == 0
}

// forget drops the spans of a project that a trace belongs to that began at a time.
func (l *lookedAt) forget(projectID string, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.projects[projectID] {
		if !began.Before(s.start) && began.Before(s.start.Add(s.step)) {
			delete(l.projects[projectID], s)
		}
	}
}

// Figures are those of a project from a time on and before another, in all and in steps.
func (s *Service) Figures(
	c *rest.Call, projectID string, from, to time.Time, step time.Duration,
) (all Figures, steps []Figures, _ error) {
	spans, err := s.spans(c, projectID, from, to, step)
	if err != nil {
		return all, nil, err
	}
	var sum spanValues
	for _, span := range spans {
		sum = sum.add(span)
	}
	return sum.figures(), rest.Collect(spans, spanValues.figures), nil
}

// spans are the values of a project's steps of time, from a time on and before another.
func (s *Service) spans(c *rest.Call, projectID string, from, to time.Time, step time.Duration) ([]spanValues, error) {
	known := s.lookedAt.of(projectID)
	first, last := to, from // What isn't known lies between.
	for at := from; at.Before(to); at = at.Add(step) {
		if _, is := known[span{at, step}]; !is {
			first, last = minTime(first, at), at.Add(step)
		}
	}
	if first.Before(last) {
		root := true
		f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}, Root: &root, From: &first, To: &last}
		steps, err := measure(c, f, store.RunGroup{}, false, func(run store.RunTiming) int { return int(run.StartTime.Sub(first) / step) })
		if err != nil {
			return nil, err
		}
		for at, i := first, 0; at.Before(last); at, i = at.Add(step), i+1 {
			known[span{at, step}] = newSpanValues(steps[i])
		}
	}
	var all []spanValues
	for at := from; at.Before(to); at = at.Add(step) {
		all = append(all, known[span{at, step}])
	}
	return all, nil
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// forgetSpans is for a run that is saved. What it said before may have counted elsewhere, and it counts where the root of
// its trace is, which may be in another project.
func (l *logging) forgetSpans(row store.Run, before *store.Run) {
	if l.service.lookedAt.empty() {
		return
	}
	for _, r := range []*store.Run{&row, before} {
		if r == nil {
			continue
		}
		root := *r
		if r.ParentRunID != nil {
			var err error
			if root, err = l.tx.Run(l.workspaceID, r.TraceID); err != nil {
				continue // A trace doesn't count before its root is there.
			}
		}
		l.service.lookedAt.forget(root.ProjectID, root.StartTime)
	}
}
