package session

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// sessionStats reports which statistics are requested, and for which runs.
type sessionStats struct {
	from    *time.Time
	where   filter.Expr
	selects []string // All if empty.
	facets  bool
}

// newTracingProject returns a project without statistics.
func newTracingProject(row store.Project) api.TracingProject {
	p := api.TracingProject{
		ID: row.ID, TenantID: row.WorkspaceID, Name: row.Name, StartTime: form.DateTime(row.StartTime), Description: row.Description,
		ReferenceDatasetID: row.ReferenceDatasetID,
	}
	if row.EndTime != nil {
		ended := form.DateTime(*row.EndTime)
		p.EndTime = &ended
	}
	if row.Extra != nil {
		_ = json.Unmarshal([]byte(*row.Extra), &p.Extra) // An object was stored.
	}
	return p
}

// newSession returns a project for a response. The keys of statistics are present only if there are any.
func newSession(row store.Project, s *sessionFigures) map[string]any {
	fields, _ := form.Complete(reflect.ValueOf(newTracingProject(row)), api.Neutral).(map[string]any) // A struct always becomes an object.
	if row.TraceTier != nil {
		fields["trace_tier"] = *row.TraceTier
	}
	if s == nil {
		return fields
	}
	all := map[string]any{
		"run_count": s.RunCount, "last_run_start_time": s.LastRunStartTime, "error_rate": s.ErrorRate, "streaming_rate": s.StreamingRate,
		"latency_p50": s.LatencyP50, "latency_p99": s.LatencyP99, "first_token_p50": s.FirstTokenP50, "first_token_p99": s.FirstTokenP99,
		"total_tokens": s.TotalTokens, "prompt_tokens": s.PromptTokens, "completion_tokens": s.CompletionTokens,
		// Strings, unlike the costs in the figures of runs.
		"total_cost": (*string)(s.TotalCost), "prompt_cost": (*string)(s.PromptCost), "completion_cost": (*string)(s.CompletionCost),
		"feedback_stats": rawOrNil(s.FeedbackStats), "session_feedback_stats": rawOrNil(s.ownFeedback), "run_facets": s.facets, "test_run_number": nil,
	}
	if len(s.selects) > 0 {
		metrics := run.StatsRequest{Select: s.selects}.Metrics()
		all["cost_incomplete_run_count"], all["cost_unchecked_run_count"] = s.incomplete, s.unchecked // On request, as in the figures of runs.
		maps.DeleteFunc(all, func(name string, _ any) bool {
			return !slices.Contains(metrics, name) && (name != "run_facets" || s.facets == nil)
		})
	}
	maps.Copy(fields, all)
	return fields
}

// sessionFigures are the requested statistics of a project.
type sessionFigures struct {
	api.RunStats
	selects []string
	facets  []figure.Facet // Nil if they aren't requested.
	// incomplete and unchecked are the numbers of calls whose cost isn't all that the provider bills, or was stored before that was known.
	incomplete, unchecked int64
	// ownFeedback is the feedback on the project itself.
	ownFeedback json.RawMessage
}

// rawOrNil returns null without a value.
func rawOrNil(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return raw
}

// measureSession computes statistics over a project's root runs, which represent their traces. The request may be nil.
func measureSession(tx *store.Tx, row store.Project, wanted *sessionStats) (*sessionFigures, error) {
	if wanted == nil {
		wanted = &sessionStats{}
	}
	root := true
	f := store.RunFilter{
		WorkspaceID: row.WorkspaceID, ProjectIDs: []string{row.ID}, Root: &root, From: wanted.from, Where: wanted.where, Subtrees: true,
	}
	m, err := run.FiguresOf(tx, f, false)
	if err != nil {
		return nil, err
	}
	figures := &sessionFigures{
		RunStats: m.Answer(), selects: wanted.selects, incomplete: m.Sum.IncompleteRuns, unchecked: m.Sum.UncheckedRuns,
	}
	own, err := feedback.OnProject(tx, row.WorkspaceID, row.ID)
	if err != nil {
		return nil, err
	}
	figures.ownFeedback = own.OfMany()
	if wanted.facets {
		figures.facets, err = figure.CommonFacets(tx, f)
	}
	return figures, err
}
