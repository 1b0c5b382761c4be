package run

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs", Streams: rest.Streams{http.MethodPost: s.ingestRun}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: getRun}},
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(queryRuns)}},
		{Path: "/runs/{run_id}", Streams: rest.Streams{http.MethodPatch: s.ingestPatch}},
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
		{Path: "/attachments/{attachment_id}", Public: true, Streams: rest.Streams{http.MethodGet: s.getAttachment}},
		{Path: "/runs/stats", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(runStats)}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(queryRunsV2)}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: getRunV2}},
		{Path: "/runs/{run_id}/url", Methods: rest.Methods{http.MethodGet: getRunURL}},
		{Path: "/traces/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(queryTraces)}},
		{Path: "/traces/{trace_id}/runs", Methods: rest.Methods{http.MethodGet: listTraceRuns}},
		// These appear only in the documentation.
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
	}
}

// ViewOf returns what a call sees.
func ViewOf(c *rest.Call) View {
	return View{Tx: c.Tx, WorkspaceID: c.WorkspaceID, Base: rest.BaseURL(c.Request)}
}

// Read reads a run.
func Read(tx *store.Tx, workspaceID, id string) (store.Run, error) {
	row, err := tx.Run(workspaceID, id)
	return row, rest.OrMissing(err, noRun)
}

// NotFound has the service's wording.
func NotFound() *form.Error { return form.Missing(noRun) }

const noRun = "Run not found"

// Named reads the run named by the path.
func Named(c *rest.Call) (store.Run, error) {
	return rest.Named(c, "run_id", Read)
}

// getRun returns every field.
func getRun(c *rest.Call) (rest.Answer, error) {
	row, err := runOfProject(c, "session_id")
	if err != nil {
		return rest.Answer{}, err
	}
	p := c.Params()
	fields := FieldsV1
	if p.Flag("exclude_serialized") {
		fields = maps.Clone(fields)
		fields["serialized"] = nothing
	}
	p.Ignore("start_time", "exclude_s3_stored_attributes", "include_messages")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return First(Answers(ViewOf(c), []store.Run{row}, fields, Subtree))
}

// First answers with the first of some runs.
func First(runs []map[string]any, err error) (rest.Answer, error) {
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(runs[0]), nil
}

// runOfProject is Named with a parameter that must name the run's project if it is given.
func runOfProject(c *rest.Call, parameter string) (store.Run, error) {
	p := c.Params()
	projectID := p.ID(parameter)
	if err := p.Err(); err != nil {
		return store.Run{}, err
	}
	row, err := Named(c)
	if err == nil && projectID != nil && *projectID != row.ProjectID {
		return row, NotFound()
	}
	return row, err
}

// getRunV2 returns only the ID unless fields are selected. Figures are those of the run alone, which is the default of this
// version; the other option doesn't exist here.
func getRunV2(c *rest.Call) (rest.Answer, error) {
	row, err := runOfProject(c, "project_id")
	if err != nil {
		return rest.Answer{}, err
	}
	p := c.Params()
	fields := ReadSelects(p)
	p.Ignore("start_time") // The service can use it to find runs faster.
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	return First(AnswersV2(ViewOf(c), []store.Run{row}, fields, Itself))
}

// ReadSelects returns the requested fields, each once.
func ReadSelects(p *rest.Params) map[string]Field {
	fields, unknown := Chosen(append(p.Values("selects"), "ID"), FieldsV2)
	if len(unknown) > 0 {
		p.Report(NotFields(rest.InQuery("selects"), unknown, FieldsV2))
	}
	return fields
}

// getRunURL returns the URL of the run's page.
func getRunURL(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	traceID := p.ID("trace_id")
	p.Ignore("start_time")
	row, err := runOfProject(c, "project_id")
	if err == nil && traceID != nil && *traceID != row.TraceID {
		err = NotFound()
	}
	if err := cmp.Or(p.Err(), err); err != nil {
		return rest.Answer{}, err
	}
	a := runAnswer{row: row}
	return rest.Answer{Status: http.StatusOK, Body: map[string]string{"url": rest.BaseURL(c.Request) + a.appPath()}}, nil
}

// CursorOf returns the cursor of a query. Some clients send the body of the first page with every page, and the cursor in
// the path.
func CursorOf(c *rest.Call, said *string) string {
	if inPath := c.Params().Text("cursor"); api.OrEmpty(inPath) != "" {
		return *inPath
	}
	return api.OrEmpty(said)
}

// PageAnswer returns a page, as an event stream to clients that accept nothing else.
func PageAnswer(c *rest.Call, page ItemsAnswer) rest.Answer {
	if !strings.Contains(c.Request.Header.Get("Accept"), "text/event-stream") {
		return rest.OK(page.Body())
	}
	return rest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: rest.Values{Content: page}}
}

// queryV1 is the body of a query in version 1.
type queryV1 struct {
	Selection
	PageRequest
}

// queryRuns returns runs by start time, by default newest first. A query without a project covers the whole workspace.
func queryRuns(c *rest.Call, q queryV1) (rest.Answer, error) {
	fields, ascending, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, next, err := Page(c.Tx, f, ascending, CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := Answers(ViewOf(c), rows, fields, Subtree)
	return rest.OK(NewPage(runs, next)), err
}

func queryRunsV2(c *rest.Call, q QueryV2) (rest.Answer, error) {
	_, page, err := pageV2(c, q)
	return PageAnswer(c, page), err
}

// pageV2 returns a page of version 2, and the runs on it.
func pageV2(c *rest.Call, q QueryV2) (rows []store.Run, page ItemsAnswer, err error) {
	fields, limit, err := q.Read()
	if err != nil {
		return nil, page, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return nil, page, err
	}
	ascending := api.OrEmpty(q.SortOrder) == "ASC"
	if rows, page.NextCursor, err = Page(c.Tx, f, ascending, CursorOf(c, q.Cursor), limit); err != nil {
		return nil, page, err
	}
	page.Items, err = AnswersV2(ViewOf(c), rows, fields, scope(f.Subtrees))
	return rows, page, err
}

// tracesQuery is the body of a query for traces.
type tracesQuery struct {
	QueryV2
	TraceIDs []api.UUID `json:"trace_ids,omitzero"`
}

// queryTraces returns traces by their roots, each with the figures of all of its runs.
func queryTraces(c *rest.Call, q tracesQuery) (rest.Answer, error) {
	whole := form.Truth(true) // A trace has the figures of all of its runs.
	q.IsRoot, q.IncludeSubtreeUsage = &whole, &whole
	if q.TraceIDs != nil {
		q.IDs = q.TraceIDs // A trace has the ID of its root.
	}
	var v form.Validator
	checkListed(&v, "trace_ids", q.TraceIDs)
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, page, err := pageV2(c, q.QueryV2)
	if err != nil {
		return rest.Answer{}, err
	}
	below, err := figure.Summarize(c.Tx, c.WorkspaceID, rows)
	if err != nil {
		return rest.Answer{}, err
	}
	for i, row := range rows {
		page.Items[i] = map[string]any{"root_run": page.Items[i], "trace_aggregates": aggregates(below[row.ID].Totals)}
	}
	return PageAnswer(c, page), nil
}

func aggregates(t usage.Totals) map[string]any {
	all := map[string]any{"total_tokens": t.TotalTokens}
	if t.TotalCost != nil {
		all["total_cost"] = t.TotalCost.Number()
	}
	if t.FirstTokenTime != nil {
		all["first_token_time"] = Formatted(t.FirstTokenTime, timestamp.Layout)
	}
	return all
}

// listTraceRuns returns every run of a trace, each after its parent.
func listTraceRuns(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	traceID, fields := api.UUID(p.PathID("trace_id")), ReadSelects(p)
	q := QueryV2{
		TraceID: &traceID, ProjectID: (*api.UUID)(p.ID("project_id")), Filter: p.Text("filter"), MinStartTime: p.Text("min_start_time"),
		MaxStartTime: p.Text("max_start_time"),
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.TraceRuns(f)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := AnswersV2(ViewOf(c), rows, fields, Itself)
	return rest.OK(map[string]any{"items": runs}), err
}

// statsQuery is the body of a query for figures.
type statsQuery struct {
	Selection
	StatsRequest
}

// runStats returns the figures of runs, or of each group of them by name.
func runStats(c *rest.Call, q statsQuery) (rest.Answer, error) {
	if err := q.Check(); err != nil {
		return rest.Answer{}, err
	}
	f, err := q.RunFilter(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	if q.GroupBy == nil {
		m, err := FiguresOf(c.Tx, f, q.Details())
		if err != nil {
			return rest.Answer{}, err
		}
		return rest.OK(q.Chosen(m)), nil
	}
	groups, err := FiguresInGroups(c.Tx, f, q.GroupBy.RunGroup(), q.Details())
	if err != nil {
		return rest.Answer{}, err
	}
	if q.Groups != nil {
		maps.DeleteFunc(groups, func(name string, _ *Measured) bool { return !slices.ContainsFunc(q.Groups, isText(name)) })
	}
	all := map[string]any{}
	for _, name := range q.GroupBy.largest(groups) {
		all[name] = q.Chosen(groups[name])
	}
	return rest.OK(all), nil
}

// attachmentContent is a response body that is read from the store while it is sent.
type attachmentContent struct {
	row  store.Attachment
	next func(number int) ([]byte, error) // store.ErrNotFound after the last piece.
}

// Send implements rest.Content.
func (a attachmentContent) Send(w io.Writer) error {
	for number := 0; ; number++ {
		piece, err := a.next(number)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
}

// getAttachment serves an attachment to anyone who knows its ID, like the service's signed URLs.
func (s *Service) getAttachment(r *http.Request, _ string) (rest.Answer, error) {
	var row store.Attachment
	err := s.store.ReadTraced(r.Context(), func(tx *store.Tx) (err error) {
		row, err = tx.Attachment(r.PathValue("attachment_id"))
		return err
	})
	if err != nil {
		return rest.Answer{}, rest.OrMissing(err, "Attachment not found.")
	}
	ctx := r.Context()
	next := func(number int) (piece []byte, err error) {
		err = s.store.ReadTraced(ctx, func(tx *store.Tx) error {
			piece, err = tx.AttachmentPiece(row.Seq, number)
			return err
		})
		return piece, err
	}
	return rest.Answer{Status: http.StatusOK, Body: attachmentContent{row, next}, Header: http.Header{
		"Content-Type":        {row.MimeType},
		"Content-Length":      {strconv.FormatInt(row.Size, 10)},
		"Content-Disposition": {mime.FormatMediaType("inline", map[string]string{"filename": row.Name})},
		// An attachment may be a page with scripts, which must not run with this server's origin.
		"Content-Security-Policy": {"default-src 'none'; sandbox"},
		"X-Content-Type-Options":  {"nosniff"},
	}}, nil
}
