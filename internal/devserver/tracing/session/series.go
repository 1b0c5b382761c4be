package session

import (
	"fmt"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// bucket contains the figures of root runs that started in a project within a time step. Their tokens, costs and first
// tokens are those of their traces: later runs also count where their trace started.
type bucket struct {
	Start            string         `json:"start"`
	Runs             int            `json:"runs"`
	Errors           int            `json:"errors"`
	PromptTokens     int64          `json:"prompt_tokens"`
	CompletionTokens int64          `json:"completion_tokens"`
	TotalTokens      int64          `json:"total_tokens"`
	TotalCost        *usage.Decimal `json:"total_cost"` // US dollars; nil if nothing has a cost.

	// Seconds; nil if no run has ended, or none has a token.
	LatencyP50    *float64 `json:"latency_p50"`
	LatencyP99    *float64 `json:"latency_p99"`
	FirstTokenP50 *float64 `json:"first_token_p50"`
	FirstTokenP99 *float64 `json:"first_token_p99"`
}

// The defaults of a series' parameters.
const (
	defaultStep    = time.Hour
	defaultBuckets = 24
)

// seriesAnswer contains the buckets of a series, oldest first.
type seriesAnswer struct {
	SessionID string   `json:"session_id"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	Step      string   `json:"step"`
	Buckets   []bucket `json:"buckets"`
}

// sessionSeries returns a project's figures over time: by default, for each of the last 24 hours.
func (s *Service) sessionSeries(c *rest.Call) (rest.Answer, error) {
	row, err := s.session(c)
	if err != nil {
		return rest.Answer{}, err
	}
	p := rest.NewParams(c.Request)
	from, to, step := readWindow(p, c.Now)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	buckets, err := s.series(c, row.ID, from, to, step)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(seriesAnswer{SessionID: row.ID, From: form.DateTime(from), To: form.DateTime(to), Step: step.String(), Buckets: buckets}), nil
}

// readWindow reads the parameters of a series.
func readWindow(p *rest.Params, now time.Time) (from, to time.Time, step time.Duration) {
	step, to = defaultStep, now
	if text := p.Text("step"); text != nil {
		var err error
		if step, err = time.ParseDuration(*text); err != nil || step <= 0 {
			p.Add("step", "time_delta_parsing", "Input should be a duration above zero, such as 5m or 1h")
			return from, to, step
		}
	}
	if at := p.AnyTime("to"); at != nil {
		to = *at
	}
	from = to.Add(-defaultBuckets * step)
	if at := p.AnyTime("from"); at != nil {
		from = *at
	}
	switch span := to.Sub(from); {
	case p.Err() != nil:
	case span <= 0:
		p.Add("from", "value_error", "Input should be before 'to', which is "+form.DateTime(to))
	case (span-1)/step >= limits.Buckets:
		p.Add("step", "value_error", fmt.Sprintf("Input should be longer: %s of %s are more than %d steps", span, step, limits.Buckets))
	}
	return from, to, step
}

// series returns the figures of a project's root runs in a time range, in steps; the end is exclusive. The last step may be
// cut short. Empty steps are included.
func (s *Service) series(c *rest.Call, projectID string, from, to time.Time, step time.Duration) ([]bucket, error) {
	root := true
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}, Root: &root, From: &from, To: &to}
	steps, err := run.Measure(c, f, store.RunGroup{}, false, func(run store.RunTiming) int { return int(run.StartTime.Sub(from) / step) })
	if err != nil {
		return nil, err
	}
	all := make([]bucket, 0, 1+to.Sub(from)/step)
	for at := from; at.Before(to); at = at.Add(step) {
		m := steps[len(all)]
		if m == nil {
			m = &run.Measured{Group: &figure.Group{}}
		}
		all = append(all, newBucket(at, m))
	}
	return all, nil
}

func newBucket(start time.Time, m *run.Measured) bucket {
	s := m.Answer()
	return bucket{
		Start: form.DateTime(start), Runs: len(m.Runs), Errors: m.Failed(),
		PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens, TotalTokens: s.TotalTokens, TotalCost: m.Sum.TotalCost,
		LatencyP50: s.LatencyP50, LatencyP99: s.LatencyP99, FirstTokenP50: s.FirstTokenP50, FirstTokenP99: s.FirstTokenP99,
	}
}
