package run

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// runCursor is the end of a page of runs. It stays valid while other runs are logged.
type runCursor struct {
	Start     int64 `json:"t"` // Microseconds.
	Seq       int64 `json:"s"`
	Ascending bool  `json:"a,omitempty"`
}

// EncodeCursor encodes the end of a page.
func EncodeCursor[C any](at C) string {
	text, _ := json.Marshal(at) // Encoding numbers and strings never fails.
	return base64.RawURLEncoding.EncodeToString(text)
}

// InvalidCursor refuses a cursor that no list has returned.
func InvalidCursor(text string) error {
	return form.Broken("Invalid cursor '%s': use the cursor of the previous page, or none for the first page.", text)
}

// DecodeCursor returns nil for the first page.
func DecodeCursor[C comparable](text string) (*C, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	var at, none C
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields() // A cursor of another list is invalid here.
		err = d.Decode(&at)
	}
	if err != nil || at == none {
		return nil, InvalidCursor(text)
	}
	return &at, nil
}

// readRunCursor reads the cursor of a query with an order.
func readRunCursor(text string, ascending bool) (*store.RunCursor, error) {
	at, err := DecodeCursor[runCursor](text)
	switch {
	case err != nil || at == nil:
		return nil, err
	case at.Ascending != ascending:
		return nil, form.Broken("The cursor '%s' belongs to a list in the opposite order: continue in that order or start without a cursor.", text)
	}
	return &store.RunCursor{StartTime: time.UnixMicro(at.Start).UTC(), Seq: at.Seq}, nil
}

// Page reads a page, and the cursor of the next one; it is empty after the last run.
func Page(tx *store.Tx, f store.RunFilter, ascending bool, cursor string, limit int) ([]store.Run, string, error) {
	after, err := readRunCursor(cursor, ascending)
	if err != nil {
		return nil, "", err
	}
	rows, err := tx.Runs(f, ascending, after, limit+1)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	last := rows[limit-1]
	return rows[:limit], EncodeCursor(runCursor{last.StartTime.UnixMicro(), last.Seq, ascending}), nil
}

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

// PageRequestV2 contains the paging fields of queries in version 2.
type PageRequestV2 struct {
	Selects  []string `json:"selects,omitzero"`
	PageSize *int64   `json:"page_size,omitzero"`
	Cursor   *string  `json:"cursor,omitzero"`
}

// DefaultPageV2 is the number of items on a page of version 2.
const DefaultPageV2 = 100

// check returns the fields of a page, and its size, which has a default.
func (r PageRequestV2) check(v *form.Validator, size int) (map[string]Field, int) {
	fields, unknown := Chosen(append(r.Selects, "ID"), FieldsV2)
	if len(unknown) > 0 {
		v.Report(NotFields(form.Body("selects"), unknown, FieldsV2))
	}
	if r.PageSize != nil {
		size = int(*r.PageSize)
		v.Bounds(*r.PageSize, limits.LongPage, form.Body("page_size"))
	}
	return fields, size
}

// ReadPage validates the page, and returns it.
func (r PageRequestV2) ReadPage(size int) (fields map[string]Field, limit int, err error) {
	var v form.Validator
	fields, limit = r.check(&v, size)
	return fields, limit, v.Err()
}

// Read validates the query, and returns its page.
func (q QueryV2) Read() (fields map[string]Field, limit int, err error) {
	var v form.Validator
	fields, limit = q.check(&v, DefaultPageV2)
	v.Choice(q.SortOrder, []string{"ASC", "DESC"}, form.Body("sort_order"))
	checkRunType(&v, q.RunType)
	checkListed(&v, "project_ids", q.ProjectIDs)
	checkListed(&v, "ids", q.IDs)
	checkListed(&v, "reference_examples", q.ReferenceExamples)
	return fields, limit, v.Err()
}

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

// patchOperation is an operation of a JSON patch.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Send implements rest.Content: a page is a sequence of JSON patches to an empty document, one for each item, and one for the cursor.
func (a ItemsAnswer) Send(w io.Writer) error {
	operations := []patchOperation{{"replace", "", map[string]any{"items": []any{}, "next_cursor": nil}}}
	for _, item := range a.Items {
		operations = append(operations, patchOperation{"add", "/items/-", item})
	}
	operations = append(operations, patchOperation{"replace", "/next_cursor", api.NonEmpty(a.NextCursor)})
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
