package session

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
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
	ID                 *api.UUID `json:"id,omitzero"`
	Name               string    `json:"name"` // Required, unlike that of a patch.
	StartTime          *string   `json:"start_time,omitzero"`
	ReferenceDatasetID *api.UUID `json:"reference_dataset_id,omitzero"`
	sessionPatch
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

const sessionExists = "Session already exists."

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
		v.NotEmpty(row.Name, form.Body("name"))
		if len(row.Name) > limits.ProjectName {
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
		ReferenceDatasetID: row.ReferenceDatasetID, EndTime: api.Converted(row.EndTime, form.DateTime),
	}
	if row.Extra != nil {
		_ = json.Unmarshal([]byte(*row.Extra), &p.Extra) // An object was stored.
	}
	return p
}

// sessionMetrics are the statistics of a project, unless others are selected.
var sessionMetrics = []string{
	"run_count", "last_run_start_time", "error_rate", "streaming_rate", "latency_p50", "latency_p99", "first_token_p50", "first_token_p99",
	"total_tokens", "prompt_tokens", "completion_tokens", "total_cost", "prompt_cost", "completion_cost", "feedback_stats", ownFeedback,
}

// ownFeedback is the feedback on the project itself.
const ownFeedback = "session_feedback_stats"

// newSession returns a project for a response. The keys of statistics are present only if there are any.
func newSession(row store.Project, s *sessionFigures) map[string]any {
	fields, _ := form.Complete(reflect.ValueOf(newTracingProject(row)), api.Neutral).(map[string]any) // A struct always becomes an object.
	if row.TraceTier != nil {
		fields["trace_tier"] = *row.TraceTier
	}
	if s == nil {
		return fields
	}
	metrics := s.selects
	if len(metrics) == 0 {
		metrics = sessionMetrics
		fields["run_facets"], fields["test_run_number"] = nil, nil
	}
	for name, value := range (run.StatsRequest{Select: metrics}).Chosen(s.measured) {
		if cost, is := value.(json.Number); is && strings.HasSuffix(name, "_cost") {
			value = string(cost) // Unlike the costs in the figures of runs.
		}
		if name == ownFeedback {
			value = s.own.OfMany()
		}
		fields[name] = value
	}
	if s.facets != nil {
		fields["run_facets"] = s.facets
	}
	return fields
}

// sessionFigures are the requested statistics of a project.
type sessionFigures struct {
	api.RunStats
	measured *run.Measured
	own      feedback.Ratings // On the project itself.
	selects  []string
	facets   []figure.Facet // Nil if they aren't requested.
}

// measureSession computes statistics over a project's root runs, which represent their traces. The request may be nil.
func measureSession(tx *store.Tx, row store.Project, wanted *sessionStats) (*sessionFigures, error) {
	if wanted == nil {
		wanted = &sessionStats{}
	}
	f := store.RunFilter{
		WorkspaceID: row.WorkspaceID, ProjectIDs: []string{row.ID}, Root: new(true), From: wanted.from, Where: wanted.where, Subtrees: true,
	}
	m, err := run.FiguresOf(tx, f, len(wanted.selects) > 0 && run.StatsRequest{Select: wanted.selects}.Details())
	if err != nil {
		return nil, err
	}
	figures := &sessionFigures{RunStats: m.Answer(), measured: m, selects: wanted.selects}
	if figures.own, err = feedback.OnProject(tx, row.WorkspaceID, row.ID); err != nil {
		return nil, err
	}
	if wanted.facets {
		figures.facets, err = figure.CommonFacets(tx, f)
	}
	return figures, err
}
