package run

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// QueryV2 is the body of a query in API version 2. Queries for traces and threads have the same fields and more, and one project
// instead of several.
type QueryV2 struct {
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
	Selects           []string    `json:"selects,omitzero"`
	PageSize          *int64      `json:"page_size,omitzero"`
	Cursor            *string     `json:"cursor,omitzero"`
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

// Limits and defaults of version 2.
const (
	DefaultPageV2 = 100
	DefaultWindow = 24 * time.Hour
)

// ItemsAnswer is a page. The cursor is omitted on the last one.
type ItemsAnswer struct {
	Items      []map[string]any
	NextCursor string
}

// Body is the page in JSON.
func (a ItemsAnswer) Body() map[string]any {
	body := map[string]any{"items": a.Items, "has_more": a.NextCursor != ""}
	if a.NextCursor != "" {
		body["next_cursor"] = a.NextCursor
	}
	return body
}

// Read validates the query, and returns its page.
func (q QueryV2) Read() (fields map[string]Field, limit int, err error) {
	var v form.Validator
	fields, unknown := Chosen(append(q.Selects, "ID"), FieldsV2)
	if len(unknown) > 0 {
		v.Report(NotFields(form.Body("selects"), unknown, FieldsV2))
	}
	limit = DefaultPageV2
	if q.PageSize != nil {
		limit = int(*q.PageSize)
		v.Bounds(*q.PageSize, limits.LongPage, form.Body("page_size"))
	}
	v.Choice(q.SortOrder, []string{"ASC", "DESC"}, form.Body("sort_order"))
	checkRunType(&v, q.RunType)
	checkListed(&v, "project_ids", q.ProjectIDs)
	checkListed(&v, "ids", q.IDs)
	checkListed(&v, "reference_examples", q.ReferenceExamples)
	return fields, limit, v.Err()
}

func (q QueryV2) ascending() bool { return q.SortOrder != nil && *q.SortOrder == "ASC" }

// RunFilter converts the query for the store. Without a start, it covers the last day, like the service, unless it names runs
// or a trace.
func (q QueryV2) RunFilter(workspaceID string, now time.Time) (store.RunFilter, error) {
	f := store.RunFilter{WorkspaceID: workspaceID, RunType: strings.ToLower(api.OrEmpty(q.RunType)), Root: (*bool)(q.IsRoot), Failed: (*bool)(q.HasError),
		Subtrees: q.IncludeSubtreeUsage != nil && bool(*q.IncludeSubtreeUsage)}
	if q.ProjectID != nil {
		q.ProjectIDs = append(q.ProjectIDs, *q.ProjectID)
	}
	if q.ProjectIDs != nil {
		f.ProjectIDs = form.Texts(q.ProjectIDs)
	}
	if q.IDs != nil {
		f.IDs = form.Texts(q.IDs)
	}
	if q.TraceID != nil {
		f.TraceID = string(*q.TraceID)
	}
	var err error
	if f.From, err = form.Time("min_start_time", q.MinStartTime); err != nil {
		return f, err
	}
	if f.To, err = form.Time("max_start_time", q.MaxStartTime); err != nil {
		return f, err
	}
	if f.From == nil && f.IDs == nil && f.TraceID == "" {
		dayAgo := now.Add(-DefaultWindow)
		f.From = &dayAgo
	}
	if q.ReferenceExamples != nil {
		f.Examples = form.Texts(q.ReferenceExamples)
	}
	if err := (Filters{q.Filter, q.TraceFilter, q.TreeFilter}).Apply(&f); err != nil {
		return f, err
	}
	err = q.boundFeedback(&f)
	return f, err
}

// boundFeedback restricts the feedback to which the filters apply. Without a condition on feedback, that would have no
// effect.
func (q QueryV2) boundFeedback(f *store.RunFilter) (err error) {
	if f.FeedbackFrom, err = form.Time("min_feedback_modified_at", q.MinFeedbackModifiedAt); err != nil {
		return err
	}
	if f.FeedbackTo, err = form.Time("max_feedback_modified_at", q.MaxFeedbackModifiedAt); err != nil {
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

// pageStream is a page as a sequence of JSON patches to an empty document: one for each item, and one for the cursor.
type pageStream ItemsAnswer

// patchOperation is an operation of a JSON patch.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Send implements rest.Content.
func (p pageStream) Send(w io.Writer) error {
	operations := []patchOperation{{"replace", "", map[string]any{"items": []any{}, "next_cursor": nil}}}
	for _, item := range p.Items {
		operations = append(operations, patchOperation{"add", "/items/-", item})
	}
	operations = append(operations, patchOperation{"replace", "/next_cursor", api.NonEmpty(p.NextCursor)})
	for _, operation := range operations {
		text, err := json.Marshal([]patchOperation{operation})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, "data: "+string(text)+"\n\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "event: end\ndata: {}\n\n")
	return err
}
