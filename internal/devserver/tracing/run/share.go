package run

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
)

// shareRequest shares a run. Clients of version 1 send the token; others identify the run.
type shareRequest struct {
	RunID      *api.UUID `json:"run_id,omitzero"`
	ShareToken *api.UUID `json:"share_token,omitzero"`
	SessionID  *api.UUID `json:"session_id,omitzero"`
	TraceID    *api.UUID `json:"trace_id,omitzero"`
}

// shareRun gives anybody with the token access to the run and all runs below it. If the run is already shared, it keeps its
// token.
func (s *Service) shareRun(c *rest.Call) (rest.Answer, error) {
	row, err := s.run(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := form.Known[shareRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	share, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	if err != nil {
		return rest.Answer{}, err
	}
	if share.Token == "" {
		share = store.RunShare{Token: uuid.NewString(), WorkspaceID: c.WorkspaceID, RunID: row.ID}
		if request.ShareToken != nil {
			share.Token = string(*request.ShareToken)
		}
		_, err := c.Tx.SharedRun(share.Token)
		if err == nil {
			return rest.Answer{}, refusal.Conflicting("The share token belongs to another run.")
		}
		if !store.Missing(&err) {
			return rest.Answer{}, err
		}
		if err := c.Tx.SaveRunShare(share); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(shareAnswer(share)), nil
}

func shareAnswer(share store.RunShare) map[string]string {
	return map[string]string{"run_id": share.RunID, "share_token": share.Token}
}

// getShare returns null for a run that isn't shared.
func (s *Service) getShare(c *rest.Call) (rest.Answer, error) {
	row, err := s.run(c)
	if err != nil {
		return rest.Answer{}, err
	}
	share, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	if err != nil || share.Token == "" {
		return rest.OK((*string)(nil)), err
	}
	return rest.OK(shareAnswer(share)), nil
}

func (s *Service) unshareRun(c *rest.Call) (rest.Answer, error) {
	row, err := s.run(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(map[string]string{"message": "Run unshared"}), c.Tx.DeleteRunShare(c.WorkspaceID, row.ID)
}

// shared finds the runs to which the token in the path gives access: the shared run, and all below it. It switches the call
// to their workspace.
func (s *Service) shared(c *rest.Call) ([]store.Run, error) {
	share, err := c.Tx.SharedRun(strings.ToLower(c.Request.PathValue("share_token")))
	if store.Missing(&err) {
		err = refusal.Missing("No run is shared with this token.")
	}
	if err != nil {
		return nil, err
	}
	c.WorkspaceID = share.WorkspaceID
	top, err := s.Run(c, share.RunID)
	if err != nil {
		return nil, err
	}
	all, err := c.Tx.TraceRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: top.TraceID})
	return slices.DeleteFunc(all, func(row store.Run) bool { return !row.IsBelow(top.ID) }), err
}

// listSharedRuns returns a bare array. One client omits the question mark, so its parameters are part of the path. The URLs
// for people end in r and return the same.
func (s *Service) listSharedRuns(c *rest.Call) (rest.Answer, error) {
	query := c.Request.Clone(c.Request.Context())
	name := c.Request.PathValue("runs")
	switch glued, is := strings.CutPrefix(name, "runs"); {
	case !is && name != "r":
		return rest.Answer{}, rest.PathNotServed()
	case glued != "" && is:
		query.URL.RawQuery = glued
	}
	p := rest.NewParams(query)
	ids := p.UUIDs("id", p.Values("id"))
	page := store.Page{Limit: p.Integer("limit", math.MaxInt32, 1, math.MaxInt32), Offset: p.Integer("offset", 0, 0, 0)}
	p.Text("share_token")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := s.shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	if len(ids) > 0 {
		rows = slices.DeleteFunc(rows, func(row store.Run) bool { return !slices.Contains(ids, row.ID) })
	}
	runs, err := s.answers(c, rest.Window(rows, page), runFields, Subtree)
	return rest.OK(runs), err
}

// getSharedRun returns the run named by the path.
func (s *Service) getSharedRun(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	id, fields := p.PathID("run_id"), readSelects(p)
	p.Text("start_time")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := s.shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.Run) bool { return row.ID != id })
	if len(rows) == 0 {
		return rest.Answer{}, runNotFound()
	}
	runs, err := s.AnswersV2(c, rows, fields, itself)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(runs[0]), nil
}

// querySharedRuns returns them in pages. The cursor is the number of runs on previous pages.
func (s *Service) querySharedRuns(c *rest.Call) (rest.Answer, error) {
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
	fields, unknown := chosen(append(request.Selects, "ID"), FieldsV2)
	if len(unknown) > 0 {
		v.Report(notFields(form.Loc(body, "selects"), unknown, FieldsV2))
	}
	listed := store.Page{Limit: limits.LongPage} // The maximum page: some clients don't request a second one.
	if request.PageSize != nil {
		listed.Limit = int(*request.PageSize)
		v.Bounds(*request.PageSize, limits.LongPage, form.Loc(body, "page_size"))
	}
	if cursor := CursorOf(c, request.Cursor); cursor != "" {
		if listed.Offset, err = strconv.Atoi(cursor); err != nil || listed.Offset < 0 {
			return rest.Answer{}, invalidCursor(cursor)
		}
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := s.shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	var page ItemsAnswer
	if page.Items, err = s.AnswersV2(c, rest.Window(rows, listed), fields, itself); err != nil {
		return rest.Answer{}, err
	}
	if end := listed.Offset + len(page.Items); end < len(rows) && len(page.Items) > 0 {
		page.NextCursor = strconv.Itoa(end)
	}
	return PageAnswer(c, page), nil
}

// listSharedFeedback returns the feedback on the shared runs.
func (s *Service) listSharedFeedback(c *rest.Call) (rest.Answer, error) {
	rows, err := s.shared(c)
	if err != nil {
		return rest.Answer{}, err
	}
	all := []map[string]any{}
	err = feedback.Each(c.Tx, c.WorkspaceID, rows, func(one store.Feedback) error {
		answer, err := feedback.Answer(c, one)
		all = append(all, answer)
		return err
	})
	return rest.OK(all), err
}
