package session

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// Service manages projects, which the API calls sessions, and returns their figures.
type Service struct {
	store *store.Store
	now   func() time.Time // Called inside transactions.
	inUse sync.Map         // The IDs of workspaces that have had a project.
}

// New returns a service on a database.
func New(db *store.Store, now func() time.Time) *Service { return &Service{store: db, now: now} }

// ensureDefault creates the first project of a workspace: clients query a project to determine their workspace.
func (s *Service) ensureDefault(ctx context.Context, workspaceID string) error {
	if _, known := s.inUse.Load(workspaceID); known {
		return nil
	}
	empty := false
	err := s.store.ReadTraced(ctx, func(tx *store.Tx) error {
		all, err := tx.Projects(workspaceID, store.ProjectFilter{})
		empty = len(all) == 0
		return err
	})
	if err == nil && empty {
		err = s.store.Do(ctx, func(tx *store.Tx) error {
			return tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: workspaceID, Name: run.DefaultProject, StartTime: s.now()})
		})
	}
	if err == nil {
		s.inUse.Store(workspaceID, true)
	}
	return err
}

// Read reads a project.
func Read(tx *store.Tx, workspaceID, id string) (store.Project, error) {
	row, err := tx.Project(workspaceID, id)
	if store.Missing(&err) {
		err = form.Missing("Session ID %s not found.", id)
	}
	return row, err
}

// sessionPatch changes the fields that are not null.
type sessionPatch struct {
	Name        *string         `json:"name,omitzero"`
	EndTime     *string         `json:"end_time,omitzero"`
	Description *string         `json:"description,omitzero"`
	Extra       json.RawMessage `json:"extra,omitzero"`
	TraceTier   *string         `json:"trace_tier,omitzero"`
	TTLDays     *int64          `json:"longlived_ttl_days,omitzero"`
	noEffect
}

// noEffect are fields of projects that have no effect here: what experiments are going to do, tags and users.
type noEffect struct {
	DefaultDatasetID json.RawMessage `json:"default_dataset_id,omitzero"`
	NumExamples      json.RawMessage `json:"num_examples,omitzero"`
	NumRepetitions   json.RawMessage `json:"num_repetitions,omitzero"`
	EvaluatorKeys    json.RawMessage `json:"evaluator_keys,omitzero"`
	TagValueIDs      json.RawMessage `json:"tag_value_ids,omitzero"`
	KickedOffBy      json.RawMessage `json:"kicked_off_by,omitzero"`
}

// sessionCreation is the body for creating a project. Clients send null for fields that they don't set.
type sessionCreation struct {
	ID                 *api.UUID       `json:"id,omitzero"`
	Name               string          `json:"name"`
	StartTime          *string         `json:"start_time,omitzero"`
	EndTime            *string         `json:"end_time,omitzero"`
	Description        *string         `json:"description,omitzero"`
	Extra              json.RawMessage `json:"extra,omitzero"`
	ReferenceDatasetID *api.UUID       `json:"reference_dataset_id,omitzero"`
	TraceTier          *string         `json:"trace_tier,omitzero"`
	TTLDays            *int64          `json:"longlived_ttl_days,omitzero"`
	noEffect
}

// changes returns the fields of a creation that also apply to an existing project.
func (r sessionCreation) changes() sessionPatch {
	return sessionPatch{
		Name: &r.Name, EndTime: r.EndTime, Description: r.Description, Extra: r.Extra, TraceTier: r.TraceTier, TTLDays: r.TTLDays,
	}
}

// The tiers in which a project's traces are kept.
const (
	ShortLived = "shortlived"
	LongLived  = "longlived"
)

const (
	shortLife = 14 * 24 * time.Hour
	longLife  = 400 * 24 * time.Hour
)

// KeptFor returns how long the traces of a project are kept, on a server that deletes old ones: as long as the service keeps
// those of its tier.
func KeptFor(p store.Project, withoutTier time.Duration) time.Duration {
	switch {
	case p.TraceTier == nil && p.LonglivedTTLDays == nil:
		return withoutTier
	case p.TraceTier != nil && *p.TraceTier == ShortLived:
		return shortLife
	case p.LonglivedTTLDays != nil:
		return time.Duration(*p.LonglivedTTLDays) * 24 * time.Hour
	}
	return longLife
}

func sessionExists() *form.Error { return form.Conflicting("Session already exists.") }

// apply applies the non-null fields to a project.
func (p sessionPatch) apply(row *store.Project) error {
	ended, err := form.Time("end_time", p.EndTime)
	if err != nil {
		return err
	}
	if ended != nil {
		row.EndTime = ended
	}
	var v form.Validator
	if p.Name != nil {
		row.Name = *p.Name
		switch {
		case row.Name == "":
			v.Add(form.Body("name"), "string_too_short", "String should have at least 1 character")
		case len(row.Name) > limits.ProjectName:
			v.Add(form.Body("name"), "string_too_long", "String should have at most %d bytes", limits.ProjectName)
		}
	}
	if p.Description != nil {
		row.Description = p.Description
	}
	if extra := string(p.Extra); extra != "" && extra != "null" {
		row.Extra = &extra
		if extra[0] != '{' {
			v.Add(form.Body("extra"), "dict_type", "Input should be a valid dictionary")
		}
	}
	if p.TraceTier != nil {
		row.TraceTier = p.TraceTier
		v.Choice(p.TraceTier, []string{ShortLived, LongLived}, form.Body("trace_tier"))
	}
	if p.TTLDays != nil {
		row.LonglivedTTLDays = p.TTLDays
		v.Bounds(*p.TTLDays, limits.TTLDays, form.Body("longlived_ttl_days"))
	}
	return v.Err()
}

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
