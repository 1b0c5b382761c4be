package pages

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// showFeedback lists the feedback on a project and on its runs in a time range.
func (s *Service) showFeedback(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	path := frame.Paths().Feedback(row.ID)
	view := web.FeedbackView{Frame: frame, ProjectID: row.ID, ProjectName: row.Name}
	chosen := chosenRange(c)
	view.Range = rangeMenu(c, frame, path, chosen)
	from, to := chosen.bounds(c.Now)
	p, page := paged(c, path)
	found, err := c.Tx.ListFeedback(c.WorkspaceID, store.FeedbackFilter{ProjectIDs: []string{row.ID}, From: &from, To: &to}, page)
	if err != nil {
		return nil, err
	}
	found, view.Paging = window(p, found)
	view.Feedback = form.Collect(found, func(f store.Feedback) web.ListedFeedback {
		return web.ListedFeedback{RunID: api.OrEmpty(f.RunID), Feedback: feedbackView(f)}
	})
	return view, nil
}
