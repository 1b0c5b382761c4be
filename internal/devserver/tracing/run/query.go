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
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
)

// runPageRequest contains the paging fields of queries in API version 1.
type runPageRequest struct {
	Cursor *string  `json:"cursor,omitzero"`
	Limit  *int64   `json:"limit,omitzero"`
	Select []string `json:"select,omitzero"`
	Order  *string  `json:"order,omitzero"`
}

// read returns the page with its defaults: every field, newest first.
func (r runPageRequest) read() (fields map[string]Field, ascending bool, limit int, err error) {
	var v form.Validator
	body := []api.LocStep{api.Key("body")}
	fields, limit = FieldsV1, limits.Page
	if r.Select != nil {
		var unknown []string
		if fields, unknown = Chosen(r.Select, FieldsV1); len(unknown) > 0 {
			v.Report(NotFields(form.Loc(body, "select"), unknown, FieldsV1))
		}
		for of, details := range detailsOf {
			if _, selected := fields[of]; selected {
				fields[details] = FieldsV1[details]
			}
		}
	}
	if r.Limit != nil {
		// Clients ask for the maximum that their users want, and continue until they have it.
		limit = int(min(*r.Limit, limits.Page))
		v.Bounds(*r.Limit, math.MaxInt64, form.Loc(body, "limit"))
	}
	if r.Order != nil {
		v.Choice(r.Order, []string{"asc", "desc"}, form.Loc(body, "order"))
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
	return api.ValidationError{Loc: loc, Type: refusal.EnumError, Msg: fmt.Sprintf("%s: not a field of a run; the fields are %s",
		strings.Join(unknown, ", "), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))}
}

// runQueryAnswer contains the cursor of the next page, null on the last one.
type runQueryAnswer struct {
	Runs          []map[string]any   `json:"runs"`
	Cursors       map[string]*string `json:"cursors"`
	SearchCursors *struct{}          `json:"search_cursors"`
	ParsedQuery   *string            `json:"parsed_query"`
}
