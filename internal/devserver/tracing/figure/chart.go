package figure

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Summary are the figures of a project's traces that started within a time span.
type Summary struct {
	Runs, Errors                                         int
	Sum                                                  usage.Totals
	LatencyP50, LatencyP99, FirstTokenP50, FirstTokenP99 *float64  // Seconds; nil if no run has any.
	LastStart                                            time.Time // Zero without runs.
}

// spanValues are the values from which figures are computed.
type spanValues struct {
	runs, failed           int
	sum                    usage.Totals
	latencies, firstTokens []float64
	last                   time.Time
}

func newSpanValues(m *Group) spanValues {
	if m == nil || len(m.Runs) == 0 {
		return spanValues{}
	}
	return spanValues{runs: len(m.Runs), failed: m.Failed(), sum: m.Sum, latencies: m.Latencies(), firstTokens: m.firstTokens(), last: m.lastStart()}
}

// add returns the sum; neither operand is changed.
func (f spanValues) add(more spanValues) spanValues {
	f.runs, f.failed, f.sum = f.runs+more.runs, f.failed+more.failed, f.sum.Add(more.sum)
	f.latencies = append(slices.Clip(f.latencies), more.latencies...)
	f.firstTokens = append(slices.Clip(f.firstTokens), more.firstTokens...)
	if more.last.After(f.last) {
		f.last = more.last
	}
	return f
}

func (f spanValues) summary() Summary {
	return Summary{
		Runs: f.runs, Errors: f.failed, Sum: f.sum, LastStart: f.last,
		LatencyP50: Percentile(f.latencies, 0.5), LatencyP99: Percentile(f.latencies, 0.99),
		FirstTokenP50: Percentile(f.firstTokens, 0.5), FirstTokenP99: Percentile(f.firstTokens, 0.99),
	}
}

// span is a step of a chart.
type span struct {
	start time.Time
	step  time.Duration
}

// Charts are the figures of projects that are being viewed.
type Charts struct {
	cache  figuresCache
	groups groupsCache
}

// Unviewed says that nothing has been viewed, so that no change needs to be noted.
func (c *Charts) Unviewed() bool { return c.cache.empty() }

// Forget forgets what is known of the moments of runs that are now durable; with unknown, also what is being added up. commits is the
// number of write transactions.
func (c *Charts) Forget(moments []Moment, unknown bool, commits int64) {
	c.cache.forget(moments, unknown, commits)
}

// figuresCache caches the figures of projects that are being viewed, because adding them up takes a moment for many runs.
// Logging runs invalidates the spans to which they belong. Values passed in and out are never shared with the cache.
//
// Figures are added up on a snapshot while others log runs. So the cache is told about runs after they are durable, and
// doesn't keep sums that lack them.
type figuresCache struct {
	mu       sync.Mutex
	projects map[string]map[span]spanValues
	adding   map[*addition]struct{}
	// logged is the number of write transactions when runs were last logged.
	logged int64
}

// addition tracks the adding up of a project's spans.
type addition struct {
	projectID string
	outdated  []time.Time // Start times of traces that have changed since.
	lost      bool        // What has changed is unknown.
}

// Moment is where a run counts: in the project of its trace's root, at the root's start time.
type Moment struct {
	ProjectID string
	Began     time.Time
}

// maxSpans limits what is cached for a project.
const maxSpans = 1000

// read returns the cached values among some spans of a project.
func (f *figuresCache) read(projectID string, spans []span) map[span]spanValues {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := make(map[span]spanValues, len(spans))
	for _, s := range spans {
		if values, is := f.projects[projectID][s]; is {
			known[s] = values
		}
	}
	return known
}

// add starts to add up spans of a project on a snapshot.
func (f *figuresCache) add(projectID string, snapshot int64) *addition {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &addition{projectID: projectID, lost: snapshot < f.logged}
	if f.adding == nil {
		f.adding = map[*addition]struct{}{}
	}
	f.adding[a] = struct{}{}
	return a
}

// added ends an addition. Without values, it has failed.
func (f *figuresCache) added(a *addition, values map[span]spanValues) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.adding, a)
	if a.lost || len(values) == 0 {
		return
	}
	if f.projects == nil {
		f.projects = map[string]map[span]spanValues{}
	}
	if f.projects[a.projectID] == nil || len(f.projects[a.projectID]) > maxSpans {
		f.projects[a.projectID] = map[span]spanValues{}
	}
	maps.Copy(f.projects[a.projectID], values)
	for _, began := range a.outdated {
		f.drop(Moment{a.projectID, began})
	}
}

// empty says whether nothing has been viewed.
func (f *figuresCache) empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.projects) == 0 && len(f.adding) == 0
}

// forget invalidates the spans of runs that are now durable; runs with unknown moments invalidate everything that is being
// added up.
func (f *figuresCache) forget(moments []Moment, unknown bool, commits int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logged = max(f.logged, commits)
	for a := range f.adding {
		a.lost = a.lost || unknown
		for _, m := range moments {
			if m.ProjectID == a.projectID {
				a.outdated = append(a.outdated, m.Began)
			}
		}
	}
	for _, m := range moments {
		f.drop(m)
	}
}

func (f *figuresCache) drop(m Moment) {
	for s := range f.projects[m.ProjectID] {
		if !m.Began.Before(s.start) && m.Began.Before(s.start.Add(s.step)) {
			delete(f.projects[m.ProjectID], s)
		}
	}
}

// Snapshot is a Reader that says what it reads.
type Snapshot interface {
	Reader
	// Snapshot is the number of write transactions that reads include.
	Snapshot() int64
}

// Summaries returns the figures of a project in a time range, in total and per step; the end is exclusive.
func (c *Charts) Summaries(
	r Snapshot, workspaceID, projectID string, from, to time.Time, step time.Duration,
) (all Summary, steps []Summary, _ error) {
	spans, err := c.spans(r, workspaceID, projectID, from, to, step)
	if err != nil {
		return all, nil, err
	}
	var sum spanValues
	for _, span := range spans {
		sum = sum.add(span)
		steps = append(steps, span.summary())
	}
	return sum.summary(), steps, nil
}

// spans returns the values of a project's time steps; the end is exclusive.
func (c *Charts) spans(r Snapshot, workspaceID, projectID string, from, to time.Time, step time.Duration) ([]spanValues, error) {
	var wanted []span
	for at := from; at.Before(to); at = at.Add(step) {
		wanted = append(wanted, span{at, step})
	}
	known := c.cache.read(projectID, wanted)
	first, last := to, from // The unknown values are between these.
	for _, w := range wanted {
		if _, is := known[w]; !is {
			first, last = minTime(first, w.start), w.start.Add(step)
		}
	}
	if first.Before(last) {
		addition := c.cache.add(projectID, r.Snapshot())
		root := true
		f := store.RunFilter{WorkspaceID: workspaceID, ProjectIDs: []string{projectID}, Root: &root, From: &first, To: &last}
		steps, err := Measure(r, f, store.RunGroup{}, false, func(run store.RunTiming) int { return int(run.StartTime.Sub(first) / step) })
		if err != nil {
			c.cache.added(addition, nil)
			return nil, err
		}
		for at, i := first, 0; at.Before(last); at, i = at.Add(step), i+1 {
			known[span{at, step}] = newSpanValues(steps[i])
		}
		c.cache.added(addition, known)
	}
	all := make([]spanValues, len(wanted))
	for i, w := range wanted {
		all[i] = known[w]
	}
	return all, nil
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
