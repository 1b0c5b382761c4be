package share

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// shareRequest shares a run. Clients of version 1 send the token; others identify the run.
type shareRequest struct {
	RunID      *api.UUID `json:"run_id,omitzero"`
	ShareToken *api.UUID `json:"share_token,omitzero"`
	SessionID  *api.UUID `json:"session_id,omitzero"`
	TraceID    *api.UUID `json:"trace_id,omitzero"`
}

// put shares a run. If it is already shared, it keeps its token.
func put(c *rest.Call, row store.Run, request shareRequest) (rest.Answer, error) {
	shared, err := Share(c.Tx, row, request.ShareToken)
	return rest.OK(shareAnswer(shared)), err
}

func shareAnswer(share store.RunShare) map[string]string {
	return map[string]string{"run_id": share.RunID, "share_token": share.Token}
}

// get returns null for a run that isn't shared.
func get(c *rest.Call, row store.Run) (rest.Answer, error) {
	share, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	if share.Token == "" {
		return rest.OK((*string)(nil)), err
	}
	return rest.OK(shareAnswer(share)), err
}

func remove(c *rest.Call, row store.Run) (rest.Answer, error) {
	return rest.OK(map[string]string{"message": "Run unshared"}), c.Tx.DeleteRunShare(c.WorkspaceID, row.ID)
}

func token(c *rest.Call) string { return strings.ToLower(c.Request.PathValue("share_token")) }

// Find finds the share of a token.
func Find(tx *store.Tx, token string) (store.RunShare, error) {
	share, err := tx.SharedRun(token)
	return share, rest.OrMissing(err, "No run is shared with this token.")
}

// owner finds the workspace of the run that is shared with the token in the path.
func owner(c *rest.Call) (workspaceID string, err error) {
	share, err := Find(c.Tx, token(c))
	return share.WorkspaceID, err
}

// shared finds the runs to which the token in the path gives access, and what is seen with it: their workspace.
func shared(c *rest.Call) (run.View, []store.Run, error) {
	view := run.ViewOf(c)
	workspaceID, rows, err := Runs(c.Tx, token(c))
	view.WorkspaceID = workspaceID
	return view, rows, err
}

// list returns a bare array. One client omits the question mark, so its parameters are part of the path.
func list(c *rest.Call) (rest.Answer, error) {
	glued, is := strings.CutPrefix(c.Request.PathValue("runs"), "runs")
	if !is {
		return nothingElse(c)
	}
	if glued != "" {
		c.Request = c.Request.Clone(c.Request.Context())
		c.Request.URL.RawQuery = glued
	}
	p := c.Params()
	ids := p.UUIDs("id", p.Values("id"))
	page := store.Page{Limit: p.Integer("limit", math.MaxInt32, 1, math.MaxInt32), Offset: p.Integer("offset", 0, 0, 0)}
	p.Ignore("share_token")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := run.Answers(view, store.Window(withIDs(rows, ids), page), run.FieldsV1, run.Subtree)
	return rest.OK(runs), err
}

// withIDs returns those of some runs that have one of the IDs, or all of them if no IDs are given.
func withIDs(rows []store.Run, ids []string) []store.Run {
	return slices.DeleteFunc(rows, func(row store.Run) bool { return ids != nil && !slices.Contains(ids, row.ID) })
}

// nothingElse refuses what a token gives no access to.
func nothingElse(*rest.Call) (rest.Answer, error) {
	return rest.Answer{}, form.Missing("A share token gives access to runs and their feedback only.")
}

// getShared returns the run that was shared.
func getShared(c *rest.Call) (rest.Answer, error) {
	row, err := Run(c.Tx, token(c))
	if err != nil {
		return rest.Answer{}, err
	}
	view := run.ViewOf(c)
	view.WorkspaceID = row.WorkspaceID
	return run.First(run.Answers(view, []store.Run{row}, run.FieldsV1, run.Subtree))
}

// getRun returns the run named by the path.
func getRun(c *rest.Call) (rest.Answer, error) {
	view, rows, err := named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return run.First(run.Answers(view, rows, run.FieldsV1, run.Subtree))
}

// getRunV2 returns only the ID unless fields are selected.
func getRunV2(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	fields := run.ReadSelects(p)
	p.Ignore("start_time")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return run.First(run.AnswersV2(view, rows, fields, run.Itself))
}

// named finds the shared run that the path names, as a list.
func named(c *rest.Call) (run.View, []store.Run, error) {
	p := c.Params()
	id := p.PathID("run_id")
	if err := p.Err(); err != nil {
		return run.View{}, nil, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return view, nil, err
	}
	if rows = withIDs(rows, []string{id}); len(rows) == 0 {
		return view, nil, run.NotFound()
	}
	return view, rows, nil
}

// sharedQuery is the body of a query for shared runs.
type sharedQuery struct {
	run.PageRequest
	ID form.OneOrMany[api.UUID] `json:"id,omitzero"`
}

// query returns them in pages. The cursor is the number of runs on previous pages.
func query(c *rest.Call, q sharedQuery) (rest.Answer, error) {
	fields, _, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if q.ID != nil {
		rows = withIDs(rows, form.Texts(q.ID))
	}
	rows, next, err := pageOf(rows, run.CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	runs, err := run.Answers(view, rows, fields, run.Subtree)
	return rest.OK(run.NewPage(runs, next)), err
}

// pageOf returns a page of runs, and the cursor of the next one, which is the number of runs before it.
func pageOf(rows []store.Run, cursor string, limit int) (page []store.Run, next string, err error) {
	before := 0
	if cursor != "" {
		if before, err = strconv.Atoi(cursor); err != nil || before < 0 {
			return nil, "", run.InvalidCursor(cursor)
		}
	}
	page = store.Window(rows, store.Page{Limit: limit, Offset: before})
	if end := before + len(page); end < len(rows) && len(page) > 0 {
		next = strconv.Itoa(end)
	}
	return page, next, nil
}

// queryV2 is query in API version 2. By default, a page has the maximum size: some clients don't request a second one.
func queryV2(c *rest.Call, q run.PageRequestV2) (rest.Answer, error) {
	fields, limit, err := q.ReadPage(limits.LongPage)
	if err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	var page run.ItemsAnswer
	if rows, page.NextCursor, err = pageOf(rows, run.CursorOf(c, q.Cursor), limit); err != nil {
		return rest.Answer{}, err
	}
	page.Items, err = run.AnswersV2(view, rows, fields, run.Itself)
	return run.PageAnswer(c, page), err
}

// listFeedback returns the feedback on the shared runs, newest first.
func listFeedback(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	f, page := feedback.ReadFilter(p)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	said, err := Feedback(c.Tx, view.WorkspaceID, withIDs(rows, f.RunIDs), f)
	if err != nil {
		return rest.Answer{}, err
	}
	return feedback.Answers(c.Tx, view.WorkspaceID, store.Window(said, page))
}

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func Version1() []rest.Endpoint {
	return append(
		public(
			rest.Endpoint{Path: "/public/{share_token}/{runs}", Methods: rest.Methods{http.MethodGet: list}},
			rest.Endpoint{Path: "/public/{share_token}/run", Methods: rest.Methods{http.MethodGet: getShared}},
			rest.Endpoint{Path: "/public/{share_token}/run/{run_id}", Methods: rest.Methods{http.MethodGet: getRun}},
			rest.Endpoint{Path: "/public/{share_token}/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(query)}},
			rest.Endpoint{Path: "/public/{share_token}/feedbacks", Methods: rest.Methods{http.MethodGet: listFeedback}},
		),
		rest.Endpoint{Path: "/runs/{run_id}/share", Methods: rest.Methods{
			http.MethodGet: rest.WithNamed(run.Named, get), http.MethodPut: rest.Changing(run.Named, put), http.MethodDelete: rest.WithNamed(run.Named, remove),
		}},
		rest.Endpoint{
			Path: "/public/{share_token}/{rest...}", Public: true,
			Methods: rest.Methods{http.MethodGet: nothingElse, http.MethodPost: nothingElse},
		},
	)
}

// Version2 is Version1 for version 2.
func Version2() []rest.Endpoint {
	return append(
		public(
			rest.Endpoint{Path: "/public/{share_token}/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(queryV2)}},
			rest.Endpoint{Path: "/public/{share_token}/run/{run_id}", Methods: rest.Methods{http.MethodGet: getRunV2}},
		),
		rest.Endpoint{Path: "/runs/{run_id}/share", Methods: rest.Methods{
			http.MethodPost: rest.Changing(run.Named, put), http.MethodDelete: rest.WithNamed(run.Named, remove),
		}},
	)
}

// public returns endpoints that need a token and no key, and count for the workspace of the run.
func public(endpoints ...rest.Endpoint) []rest.Endpoint {
	for i := range endpoints {
		endpoints[i].Public, endpoints[i].Owner = true, owner
	}
	return endpoints
}
