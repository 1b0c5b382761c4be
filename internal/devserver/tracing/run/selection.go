package run

import (
	"encoding/json"
	"strings"

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
}

// noDifference are fields of queries that have no effect here: how the service pages, and where it searches.
type noDifference struct {
	SkipPagination        *bool   `json:"skip_pagination,omitzero"`
	SkipPrevCursor        *bool   `json:"skip_prev_cursor,omitzero"`
	UseExperimentalSearch *bool   `json:"use_experimental_search,omitzero"`
	DataSourceType        *string `json:"data_source_type,omitzero"`

	SearchFilter json.RawMessage `json:"search_filter,omitzero"`
}

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

// check refuses values that no run can have.
func (s Selection) check() error {
	var v form.Validator
	checkListed(&v, "session", s.Session)
	checkListed(&v, "id", s.ID)
	checkListed(&v, "reference_example", s.ReferenceExample)
	checkRunType(&v, s.RunType)
	if s.ExecutionOrder != nil && *s.ExecutionOrder != 1 {
		v.Add(form.Body("execution_order"), form.EnumError, "Input should be 1, which selects the root runs")
	}
	return v.Err()
}

// RunFilter converts the selection for the store, within a workspace.
func (s Selection) RunFilter(workspaceID string) (store.RunFilter, error) {
	if err := s.check(); err != nil {
		return store.RunFilter{}, err
	}
	f := store.RunFilter{WorkspaceID: workspaceID, RunType: strings.ToLower(api.OrEmpty(s.RunType)), Root: (*bool)(s.IsRoot), Failed: (*bool)(s.Error),
		Subtrees: true} // As these queries return them.
	// An empty list means none, and null means all.
	if s.SessionID != nil {
		s.Session = append(s.Session, *s.SessionID)
	}
	if s.Session != nil {
		f.ProjectIDs = form.Texts(s.Session)
	}
	if s.ID != nil {
		f.IDs = form.Texts(s.ID)
	}
	if s.Trace != nil {
		f.TraceID = string(*s.Trace)
	}
	if s.ParentRun != nil {
		f.ParentRunID = string(*s.ParentRun)
	}
	if s.ExecutionOrder != nil {
		root := true
		f.Root = &root
	}
	var err error
	if f.From, err = form.Time("start_time", s.StartTime); err != nil {
		return f, err
	}
	if f.To, err = form.Time("end_time", s.EndTime); err != nil {
		return f, err
	}
	if s.ReferenceExample != nil {
		f.Examples = form.Texts(s.ReferenceExample)
	}
	if err := (Filters{s.Filter, s.TraceFilter, s.TreeFilter}).Apply(&f); err != nil {
		return f, err
	}
	if text := api.OrEmpty(s.Query); text != "" {
		f.Where = Both(f.Where, filter.Search{Text: text})
	}
	return f, nil
}
