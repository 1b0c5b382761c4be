package run

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// PageRequest contains the paging fields of queries in API version 1.
type PageRequest struct {
	Cursor *string  `json:"cursor,omitzero"`
	Limit  *int64   `json:"limit,omitzero"`
	Select []string `json:"select,omitzero"`
	Order  *string  `json:"order,omitzero"`
}

// Read returns the page with its defaults: every field, newest first.
func (r PageRequest) Read() (fields map[string]Field, ascending bool, limit int, err error) {
	var v form.Validator
	fields, limit = FieldsV1, limits.Page
	if r.Select != nil {
		var unknown []string
		if fields, unknown = Chosen(r.Select, FieldsV1); len(unknown) > 0 {
			v.Report(NotFields(form.Body("select"), unknown, FieldsV1))
		}
		for of, details := range detailsOf {
			if _, selected := fields[of]; selected {
				fields[details] = FieldsV1[details]
			}
		}
		if _, selected := fields["s3_urls"]; !selected {
			fields["s3_urls"] = attached
		}
	}
	if r.Limit != nil {
		// Clients ask for the maximum that their users want, and continue until they have it.
		limit = int(min(*r.Limit, limits.Page))
		v.Bounds(*r.Limit, math.MaxInt64, form.Body("limit"))
	}
	if r.Order != nil {
		v.Choice(r.Order, []string{"asc", "desc"}, form.Body("order"))
		ascending = *r.Order == "asc"
	}
	return fields, ascending, limit, v.Err()
}

// detailsOf maps fields to those that accompany them: clients that select tokens and costs and support details don't select
// the details.
var detailsOf = map[string]string{ //nolint:gosec // These are the token counts of model calls.
	"prompt_tokens": "prompt_token_details", "completion_tokens": "completion_token_details",
	"prompt_cost": "prompt_cost_details", "completion_cost": "completion_cost_details",
}

// NotFields lists requested fields that don't exist.
func NotFields(loc []api.LocStep, unknown []string, fields map[string]Field) api.ValidationError {
	return api.ValidationError{Loc: loc, Type: form.EnumError, Msg: fmt.Sprintf("%s: not a field of a run; the fields are %s",
		strings.Join(unknown, ", "), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))}
}

// PageV1 is a page of API version 1. It contains the cursor of the next one, null on the last one.
type PageV1 struct {
	Runs          []map[string]any   `json:"runs"`
	Cursors       map[string]*string `json:"cursors"`
	SearchCursors *struct{}          `json:"search_cursors"`
	ParsedQuery   *string            `json:"parsed_query"`
}

// NewPage returns a page of runs with the cursor of the next one, which is empty on the last one.
func NewPage(runs []map[string]any, next string) PageV1 {
	return PageV1{Runs: runs, Cursors: map[string]*string{"next": api.NonEmpty(next), "prev": nil}}
}
