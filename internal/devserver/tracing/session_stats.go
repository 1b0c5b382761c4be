package tracing

import (
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// sessionStats says that statistics are wanted, and of which runs.
type sessionStats struct{ from *time.Time }

// readSessionStats reads the parameters; nil when no statistics are wanted.
func readSessionStats(p *rest.Params) *sessionStats {
	stats := sessionStats{from: timeParam(p, "stats_start_time")}
	if !p.Flag("include_stats") {
		return nil
	}
	return &stats
}

// start is when the runs began that statistics are about, nil for all.
func (s *sessionStats) start() *time.Time {
	if s == nil {
		return nil
	}
	return s.from
}

// timeParam reads a time; nil when the parameter is absent or empty.
func timeParam(p *rest.Params, name string) *time.Time {
	text := p.Text(name)
	if text == nil || *text == "" {
		return nil
	}
	at, err := timestamp.Parse(*text)
	if err != nil {
		p.Add(name, "datetime_parsing", "Input should be a valid datetime, "+err.Error())
	}
	return &at
}

// newTracingProject is a project without statistics.
func newTracingProject(row store.Project) api.TracingProject {
	p := api.TracingProject{
		ID: row.ID, TenantID: row.WorkspaceID, Name: row.Name, StartTime: rest.DateTime(row.StartTime), Description: row.Description,
		ReferenceDatasetID: row.ReferenceDatasetID,
	}
	if row.EndTime != nil {
		ended := rest.DateTime(*row.EndTime)
		p.EndTime = &ended
	}
	if row.Extra != nil {
		_ = json.Unmarshal([]byte(*row.Extra), &p.Extra) // An object was stored.
	}
	return p
}

// newSession is a project as it is answered. The keys of statistics are there only when there are any.
func newSession(row store.Project, s *api.RunStats) map[string]any {
	fields, _ := rest.Complete(reflect.ValueOf(newTracingProject(row)), api.Neutral).(map[string]any) // That is what a struct becomes.
	if s == nil {
		return fields
	}
	maps.Copy(fields, map[string]any{
		"run_count": s.RunCount, "last_run_start_time": s.LastRunStartTime, "error_rate": s.ErrorRate, "streaming_rate": s.StreamingRate,
		"latency_p50": s.LatencyP50, "latency_p99": s.LatencyP99, "first_token_p50": s.FirstTokenP50, "first_token_p99": s.FirstTokenP99,
		"total_tokens": s.TotalTokens, "prompt_tokens": s.PromptTokens, "completion_tokens": s.CompletionTokens,
		// Texts, unlike the costs in the figures of runs.
		"total_cost": (*string)(s.TotalCost), "prompt_cost": (*string)(s.PromptCost), "completion_cost": (*string)(s.CompletionCost),
		// Nothing here ever knows any.
		"feedback_stats": nil, "session_feedback_stats": nil, "run_facets": nil, "test_run_number": nil,
	})
	return fields
}

// sessionFigures are the figures of a project's root runs, which stand for their traces.
func (s *Service) sessionFigures(c *rest.Call, row store.Project, from *time.Time) (*api.RunStats, error) {
	root := true
	m, err := s.figures(c, store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, Root: &root, From: from}, false)
	if err != nil {
		return nil, err
	}
	stats := m.answer()
	return &stats, nil
}
