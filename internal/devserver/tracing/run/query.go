package run

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// Selection contains the fields common to queries in API version 1 that select runs. Clients send null for fields that
// they don't set.
type Selection struct {
	Session   []api.UUID  `json:"session,omitzero"`
	SessionID *api.UUID   `json:"session_id,omitzero"` // One more session, from clients that name it like everything else.
	ID        []api.UUID  `json:"id,omitzero"`
	Trace     *api.UUID   `json:"trace,omitzero"`
	ParentRun *api.UUID   `json:"parent_run,omitzero"`
	RunType   *string     `json:"run_type,omitzero"`
	StartTime *string     `json:"start_time,omitzero"`
	EndTime   *string     `json:"end_time,omitzero"`
	Error     *form.Truth `json:"error,omitzero"`
	IsRoot    *form.Truth `json:"is_root,omitzero"`
	// ExecutionOrder is 1 for the root runs.
	ExecutionOrder   *int64                   `json:"execution_order,omitzero"`
	ReferenceExample form.OneOrMany[api.UUID] `json:"reference_example,omitzero"`
	// ReferenceDatasetID selects the experiments of a dataset, unless sessions are named.
	ReferenceDatasetID *api.UUID `json:"reference_dataset_id,omitzero"`
	Query              *string   `json:"query,omitzero"`
	Filter             *string   `json:"filter,omitzero"`
	TraceFilter        *string   `json:"trace_filter,omitzero"`
	TreeFilter         *string   `json:"tree_filter,omitzero"`
	noDifference
}

// noDifference are fields of queries that have no effect here: how the service pages, and where it searches.
type noDifference struct {
	SkipPagination        *bool   `json:"skip_pagination,omitzero"`
	SkipPrevCursor        *bool   `json:"skip_prev_cursor,omitzero"`
	UseExperimentalSearch *bool   `json:"use_experimental_search,omitzero"`
	DataSourceType        *string `json:"data_source_type,omitzero"`

	SearchFilter json.RawMessage `json:"search_filter,omitzero"`
}

// QueryV2 is the body of a query in API version 2. Queries for traces and threads have the same fields and more, and one project
// instead of several.
type QueryV2 struct {
	PageRequestV2
	ProjectIDs        []api.UUID  `json:"project_ids,omitzero"`
	ProjectID         *api.UUID   `json:"project_id,omitzero"`
	IDs               []api.UUID  `json:"ids,omitzero"`
	TraceID           *api.UUID   `json:"trace_id,omitzero"`
	RunType           *string     `json:"run_type,omitzero"`
	IsRoot            *form.Truth `json:"is_root,omitzero"`
	ReferenceExamples []api.UUID  `json:"reference_examples,omitzero"`
	HasError          *form.Truth `json:"has_error,omitzero"`
	MinStartTime      *string     `json:"min_start_time,omitzero"`
	MaxStartTime      *string     `json:"max_start_time,omitzero"`
	Filter            *string     `json:"filter,omitzero"`
	TraceFilter       *string     `json:"trace_filter,omitzero"`
	TreeFilter        *string     `json:"tree_filter,omitzero"`
	SortOrder         *string     `json:"sort_order,omitzero"`
	// IncludeSubtreeUsage requests figures of a run with all runs below it, in responses and in filters, instead of its
	// own.
	IncludeSubtreeUsage *form.Truth `json:"include_subtree_usage,omitzero"`
	// These restrict the feedback in filters by the time of its last change.
	MinFeedbackModifiedAt *string `json:"min_feedback_modified_at,omitzero"`
	MaxFeedbackModifiedAt *string `json:"max_feedback_modified_at,omitzero"`
	// ReferenceDatasetID selects the experiments of a dataset, unless projects are named.
	ReferenceDatasetID *api.UUID `json:"reference_dataset_id,omitzero"`
}

// DefaultWindow is the time that queries of version 2 without a start cover: the last day, as in the service.
const DefaultWindow = 24 * time.Hour

// checkListed refuses lists of IDs that are too long.
func checkListed(v *form.Validator, name string, ids []api.UUID) {
	if len(ids) > limits.ListedIDs {
		v.Add(form.Body(name), "too_long",
			"List should have at most %d items after validation, not %d: send several requests", limits.ListedIDs, len(ids))
	}
}

// checkRunType requires a valid type. The API versions use different case, and both are accepted.
func checkRunType(v *form.Validator, name *string) {
	if name != nil {
		v.Choice(new(strings.ToLower(*name)), Types, form.Body("run_type"))
	}
}

// Types lists the valid types.
var Types = []string{
	string(llmrun.RunTypeLLM), string(llmrun.RunTypeChain), string(llmrun.RunTypeTool), string(llmrun.RunTypeRetriever),
	string(llmrun.RunTypeEmbedding), string(llmrun.RunTypePrompt), string(llmrun.RunTypeParser),
}

// RunFilter converts the selection for the store, within a workspace.
func (s Selection) RunFilter(tx *store.Tx, workspaceID string) (store.RunFilter, error) {
	var v form.Validator
	checkListed(&v, "session", s.Session)
	checkListed(&v, "id", s.ID)
	checkListed(&v, "reference_example", s.ReferenceExample)
	checkRunType(&v, s.RunType)
	if s.ExecutionOrder != nil {
		s.IsRoot = new(form.Truth(true))
		if *s.ExecutionOrder != 1 {
			v.Add(form.Body("execution_order"), form.EnumError, "Input should be 1, which selects the root runs")
		}
	}
	if err := v.Err(); err != nil {
		return store.RunFilter{}, err
	}
	f, err := QueryV2{
		ProjectIDs: s.Session, ProjectID: s.SessionID, IDs: s.ID, TraceID: s.Trace, RunType: s.RunType, IsRoot: s.IsRoot, HasError: s.Error,
		ReferenceExamples: s.ReferenceExample, ReferenceDatasetID: s.ReferenceDatasetID, Filter: s.Filter, TraceFilter: s.TraceFilter,
		TreeFilter: s.TreeFilter, IncludeSubtreeUsage: new(form.Truth(true)), // As these queries return it.
	}.conditions(tx, workspaceID)
	if err != nil {
		return f, err
	}
	if s.ParentRun != nil {
		f.ParentRunID = string(*s.ParentRun)
	}
	if f.From, f.To, err = Times("start_time", s.StartTime, "end_time", s.EndTime); err != nil {
		return f, err
	}
	if text := api.OrEmpty(s.Query); text != "" {
		f.Where = Both(f.Where, filter.Search{Text: text})
	}
	return f, nil
}

// RunFilter converts the query for the store. Without a start, it covers the last day, unless it names runs or a trace.
func (q QueryV2) RunFilter(tx *store.Tx, workspaceID string, now time.Time) (store.RunFilter, error) {
	f, err := q.conditions(tx, workspaceID)
	if err != nil {
		return f, err
	}
	if f.From, f.To, err = Times("min_start_time", q.MinStartTime, "max_start_time", q.MaxStartTime); err != nil {
		return f, err
	}
	if f.From == nil && f.IDs == nil && f.TraceID == "" {
		f.From = new(now.Add(-DefaultWindow))
	}
	err = q.boundFeedback(&f)
	return f, err
}

// Times reads the bounds of a time range from two members of a body; nil for none.
func Times(fromName string, from *string, toName string, to *string) (begin, end *time.Time, err error) {
	if begin, err = form.Time(fromName, from); err == nil {
		end, err = form.Time(toName, to)
	}
	return begin, end, err
}

// conditions are those of both versions, without times. A list without elements means none, and nil means all.
func (q QueryV2) conditions(tx *store.Tx, workspaceID string) (store.RunFilter, error) {
	f := store.RunFilter{
		WorkspaceID: workspaceID, RunType: strings.ToLower(api.OrEmpty(q.RunType)), Root: (*bool)(q.IsRoot), Failed: (*bool)(q.HasError),
		Subtrees: q.IncludeSubtreeUsage != nil && bool(*q.IncludeSubtreeUsage),
	}
	if q.TraceID != nil {
		f.TraceID = string(*q.TraceID)
	}
	if q.ProjectID != nil {
		q.ProjectIDs = append(q.ProjectIDs, *q.ProjectID)
	}
	for to, ids := range map[*[]string][]api.UUID{&f.ProjectIDs: q.ProjectIDs, &f.IDs: q.IDs, &f.Examples: q.ReferenceExamples} {
		if ids != nil {
			*to = form.Texts(ids)
		}
	}
	if q.ReferenceDatasetID != nil && f.ProjectIDs == nil {
		rows, err := tx.Projects(workspaceID, store.ProjectFilter{ReferenceDatasetIDs: []string{string(*q.ReferenceDatasetID)}})
		if err != nil {
			return f, err
		}
		f.ProjectIDs = form.Collect(rows, func(row store.Project) string { return row.ID })
	}
	err := Filters{q.Filter, q.TraceFilter, q.TreeFilter}.Apply(&f)
	return f, err
}

// boundFeedback restricts the feedback to which the filters apply. Without a condition on feedback, that would have no
// effect.
func (q QueryV2) boundFeedback(f *store.RunFilter) (err error) {
	f.FeedbackFrom, f.FeedbackTo, err = Times("min_feedback_modified_at", q.MinFeedbackModifiedAt, "max_feedback_modified_at", q.MaxFeedbackModifiedAt)
	if err != nil {
		return err
	}
	if aboutFeedback(f.Where) || aboutFeedback(f.RootWhere) || aboutFeedback(f.TreeWhere) {
		return nil
	}
	var v form.Validator
	for _, of := range []struct {
		name string
		at   *time.Time
	}{{"min_feedback_modified_at", f.FeedbackFrom}, {"max_feedback_modified_at", f.FeedbackTo}} {
		if of.at != nil {
			v.Add(form.Body(of.name), "value_error", "A filter should have a condition on feedback")
		}
	}
	return v.Err()
}

// Filters are the filters of a query: on the run, on the root of its trace, and on any run of its trace. Nil and empty
// ones match everything.
type Filters struct{ Own, Root, Tree *string }

// Apply adds the filters to a query of the store.
func (q Filters) Apply(f *store.RunFilter) (err error) {
	if f.Where, err = ParseFilter(q.Own, filter.Parse); err != nil {
		return err
	}
	if f.RootWhere, err = ParseFilter(q.Root, filter.Parse); err != nil {
		return err
	}
	f.TreeWhere, err = ParseFilter(q.Tree, filter.Parse)
	return err
}

// ParseFilter reads a filter in one of the languages of package filter; nil for none.
func ParseFilter(text *string, parse func(string) (filter.Expr, error)) (filter.Expr, error) {
	if strings.TrimSpace(api.OrEmpty(text)) == "" {
		return nil, nil
	}
	expression, err := parse(*text)
	if syntax, is := errors.AsType[*filter.SyntaxError](err); is {
		return nil, form.Broken("%s", syntax)
	}
	return expression, err
}

// aboutFeedback reports whether a filter has a condition on feedback.
func aboutFeedback(expression filter.Expr) bool {
	switch e := expression.(type) {
	case filter.And:
		return slices.ContainsFunc(e.Terms, aboutFeedback)
	case filter.Or:
		return slices.ContainsFunc(e.Terms, aboutFeedback)
	case filter.Not:
		return aboutFeedback(e.Term)
	default:
		return filter.EntriesOf(e) == filter.FeedbackKey
	}
}

// Both combines an optional filter with another one.
func Both(first, second filter.Expr) filter.Expr {
	if first == nil {
		return second
	}
	return filter.And{Terms: []filter.Expr{first, second}}
}

// Narrow adds a search to a filter: an expression of the filter language, or words that a run must all contain.
func Narrow(f *store.RunFilter, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	expression, err := ParseFilter(&text, filter.Parse)
	if operator, _, is := strings.Cut(text, "("); !is || !filter.IsOperator(operator) {
		words := strings.Fields(text)
		if len(words) > limits.FilterSearches {
			return form.Broken("A search can have at most %d words.", limits.FilterSearches)
		}
		expression, err = filter.And{Terms: form.Collect(words, func(word string) filter.Expr { return filter.Search{Text: word} })}, nil
	}
	if err != nil {
		return err
	}
	f.Where = Both(f.Where, expression)
	return nil
}

// NarrowTraces adds an expression of the filter language that must hold for any run of a trace.
func NarrowTraces(f *store.RunFilter, text string) error {
	expression, err := ParseFilter(&text, filter.Parse)
	if err == nil && expression != nil {
		f.TreeWhere = Both(f.TreeWhere, expression)
	}
	return err
}

// NewestNamed returns the newest matching runs with a name.
func NewestNamed(tx *store.Tx, f store.RunFilter, name string, limit int) ([]store.Run, error) {
	f.Where = Both(f.Where, filter.Compare{Op: filter.Equal, Field: filter.Name, Value: filter.Value{Text: &name}})
	return tx.Runs(f, false, nil, limit)
}
