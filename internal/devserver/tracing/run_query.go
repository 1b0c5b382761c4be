package tracing

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// runPageRequest is what a query of the first version of the API says of the page that it wants.
type runPageRequest struct {
	Cursor *string  `json:"cursor,omitzero"`
	Limit  *int64   `json:"limit,omitzero"`
	Select []string `json:"select,omitzero"`
	Order  *string  `json:"order,omitzero"`
}

// read is the page with its defaults: every field, the newest first.
func (r runPageRequest) read() (fields map[string]runField, ascending bool, limit int, err error) {
	var v rest.BodyValidator
	body := []api.LocStep{api.Key("body")}
	fields, limit = runFields, limits.Page
	if r.Select != nil {
		var unknown []string
		if fields, unknown = chosen(r.Select, runFields); len(unknown) > 0 {
			v.Report(notFields(rest.Loc(body, "select"), unknown, runFields))
		}
		for of, details := range detailsOf {
			if _, selected := fields[of]; selected {
				fields[details] = runFields[details]
			}
		}
	}
	if r.Limit != nil {
		// Clients ask for as many as their users want at most, and go on until they have them.
		limit = int(min(*r.Limit, limits.Page))
		v.Bounds(*r.Limit, math.MaxInt64, rest.Loc(body, "limit"))
	}
	if r.Order != nil {
		v.Choice(r.Order, []string{"asc", "desc"}, rest.Loc(body, "order"))
		ascending = *r.Order == "asc"
	}
	return fields, ascending, limit, v.Err()
}

// detailsOf are the fields that come along with others: clients that select tokens and costs and know details of them don't
// select these.
var detailsOf = map[string]string{ //nolint:gosec // The tokens are those of models.
	"prompt_tokens": "prompt_token_details", "completion_tokens": "completion_token_details",
	"prompt_cost": "prompt_cost_details", "completion_cost": "completion_cost_details",
}

// notFields names what was asked for and isn't there.
func notFields(loc []api.LocStep, unknown []string, fields map[string]runField) api.ValidationError {
	return api.ValidationError{Loc: loc, Type: rest.EnumError, Msg: fmt.Sprintf("%s: no field of a run; the fields are %s",
		strings.Join(unknown, ", "), strings.Join(rest.SortedKeys(fields), ", "))}
}

// runQueryAnswer has the cursor of the next page, null on the last one.
type runQueryAnswer struct {
	Runs          []map[string]any   `json:"runs"`
	Cursors       map[string]*string `json:"cursors"`
	SearchCursors *struct{}          `json:"search_cursors"`
	ParsedQuery   *string            `json:"parsed_query"`
}

// queryRuns answers runs by their start, newest first unless it is told otherwise. A query that names no project is about
// all of the workspace.
func (s *Service) queryRuns(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeKnown[struct {
		runSelection
		runPageRequest
		noDifference
	}](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	fields, ascending, limit, err := request.read()
	if err != nil {
		return rest.Answer{}, err
	}
	f, err := request.filter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := s.RunPage(c, f, ascending, cursorOf(c, request.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := s.answers(c, rows, fields, subtree)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: http.StatusOK, Body: runQueryAnswer{Runs: runs, Cursors: map[string]*string{"next": rest.NonEmpty(next), "prev": nil}}}, nil
}
