package session

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
)

// bucket contains the figures of root runs that started in a project within a time step. Their tokens, costs and first
// tokens are those of their traces: later runs also count where their trace started.
type bucket struct {
	Start            string           `json:"start"`
	Runs             int              `json:"runs"`
	Errors           int              `json:"errors"`
	PromptTokens     int64            `json:"prompt_tokens"`
	CompletionTokens int64            `json:"completion_tokens"`
	TotalTokens      int64            `json:"total_tokens"`
	TotalCost        *decimal.Decimal `json:"total_cost"` // US dollars; nil if nothing has a cost.

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

// series returns the figures of a project's root runs in a time range, in steps; the end is exclusive. The last step may be
// cut short. Empty steps are included.
func series(tx *store.Tx, project store.Project, from, to time.Time, step time.Duration) ([]bucket, error) {
	f := store.RunFilter{WorkspaceID: project.WorkspaceID, ProjectIDs: []string{project.ID}, Root: new(true), From: &from, To: &to}
	starts := figure.Starts(from, to, step)
	steps, err := figure.InSteps(tx, f, starts, false)
	if err != nil {
		return nil, err
	}
	all := make([]bucket, len(starts))
	for i, m := range steps {
		all[i] = newBucket(starts[i], m)
	}
	return all, nil
}

func newBucket(start time.Time, m *figure.Figures) bucket {
	s := m.Stats()
	return bucket{
		Start: form.DateTime(start), Runs: m.Runs, Errors: m.Failed,
		PromptTokens: s.PromptTokens, CompletionTokens: s.CompletionTokens, TotalTokens: s.TotalTokens, TotalCost: m.Sum.TotalCost,
		LatencyP50: s.LatencyP50, LatencyP99: s.LatencyP99, FirstTokenP50: s.FirstTokenP50, FirstTokenP99: s.FirstTokenP99,
	}
}
