package share

import (
	"math"
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
func put(c *rest.Call) (rest.Answer, error) {
	row, err := run.Named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := form.Known[shareRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	shared, err := Share(c.Tx, row, (*string)(request.ShareToken))
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(shareAnswer(shared)), nil
}

func shareAnswer(share store.RunShare) map[string]string {
	return map[string]string{"run_id": share.RunID, "share_token": share.Token}
}

// get returns null for a run that isn't shared.
func get(c *rest.Call) (rest.Answer, error) {
	row, err := run.Named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	share, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	if err != nil || share.Token == "" {
		return rest.OK((*string)(nil)), err
	}
	return rest.OK(shareAnswer(share)), nil
}

func remove(c *rest.Call) (rest.Answer, error) {
	row, err := run.Named(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]string{"message": "Run unshared"}), c.Tx.DeleteRunShare(c.WorkspaceID, row.ID)
}

// shared finds the runs to which the token in the path gives access, and what is seen with it: their workspace.
func shared(c *rest.Call) (run.View, []store.Run, error) {
	view := run.ViewOf(c)
	workspaceID, rows, err := Runs(c.Tx, strings.ToLower(c.Request.PathValue("share_token")))
	view.WorkspaceID = workspaceID
	return view, rows, err
}

// list returns a bare array. One client omits the question mark, so its parameters are part of the path. The URLs
// for people end in r and return the same.
func list(c *rest.Call) (rest.Answer, error) {
	asked := c.Request.Clone(c.Request.Context())
	name := c.Request.PathValue("runs")
	switch glued, is := strings.CutPrefix(name, "runs"); {
	case !is && name != "r":
		return rest.Answer{}, rest.PathNotServed()
	case glued != "" && is:
		asked.URL.RawQuery = glued
	}
	p := rest.NewParams(asked)
	ids := p.UUIDs("id", p.Values("id"))
	page := store.Page{Limit: p.Integer("limit", math.MaxInt32, 1, math.MaxInt32), Offset: p.Integer("offset", 0, 0, 0)}
	p.Text("share_token")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if len(ids) > 0 {
		rows = slices.DeleteFunc(rows, func(row store.Run) bool { return !slices.Contains(ids, row.ID) })
	}
	runs, err := run.Answers(view, store.Window(rows, page), run.FieldsV1, run.Subtree)
	return rest.OK(runs), err
}

// getRun returns the run named by the path.
func getRun(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	id, fields := p.PathID("run_id"), run.ReadSelects(p)
	p.Text("start_time")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.Run) bool { return row.ID != id })
	if len(rows) == 0 {
		return rest.Answer{}, run.NotFound()
	}
	runs, err := run.AnswersV2(view, rows, fields, run.Itself)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(runs[0]), nil
}

// query returns them in pages. The cursor is the number of runs on previous pages.
func query(c *rest.Call) (rest.Answer, error) {
	request, err := form.Known[struct {
		Selects  []string `json:"selects,omitzero"`
		PageSize *int64   `json:"page_size,omitzero"`
		Cursor   *string  `json:"cursor,omitzero"`
	}](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	var v form.Validator
	body := []api.LocStep{api.Key("body")}
	fields, unknown := run.Chosen(append(request.Selects, "ID"), run.FieldsV2)
	if len(unknown) > 0 {
		v.Report(run.NotFields(form.Loc(body, "selects"), unknown, run.FieldsV2))
	}
	listed := store.Page{Limit: limits.LongPage} // The maximum page: some clients don't request a second one.
	if request.PageSize != nil {
		listed.Limit = int(*request.PageSize)
		v.Bounds(*request.PageSize, limits.LongPage, form.Loc(body, "page_size"))
	}
	if cursor := run.CursorOf(c, request.Cursor); cursor != "" {
		if listed.Offset, err = strconv.Atoi(cursor); err != nil || listed.Offset < 0 {
			return rest.Answer{}, run.InvalidCursor(cursor)
		}
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	var page run.ItemsAnswer
	if page.Items, err = run.AnswersV2(view, store.Window(rows, listed), fields, run.Itself); err != nil {
		return rest.Answer{}, err
	}
	if end := listed.Offset + len(page.Items); end < len(rows) && len(page.Items) > 0 {
		page.NextCursor = strconv.Itoa(end)
	}
	return run.PageAnswer(c, page), nil
}

// listFeedback returns the feedback on the shared runs.
func listFeedback(c *rest.Call) (rest.Answer, error) {
	view, rows, err := shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	all := []map[string]any{}
	err = feedback.Each(c.Tx, view.WorkspaceID, rows, func(one store.Feedback) error {
		answer, err := feedback.Answer(c.Tx, view.WorkspaceID, one)
		all = append(all, answer)
		return err
	})
	return rest.OK(all), err
}
