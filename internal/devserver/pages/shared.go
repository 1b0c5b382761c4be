package pages

import (
	"io"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/share"
)

// sharedRun shows a run to anybody who has the link to it, without what the link gives no access to.
func (s *Service) sharedRun(w http.ResponseWriter, r *http.Request) {
	frame := web.Frame{Base: pagesBase, Origin: rest.BaseURL(r)}
	token := strings.ToLower(r.PathValue("share_token"))
	var workspaceID string // What reads and renders the run takes counts for its workspace.
	err := s.look(r, "", s.rest.Read, func(c *rest.Call) error {
		found, err := share.Find(c.Tx, token)
		workspaceID = found.WorkspaceID
		return err
	})
	s.show(w, r, frame, workspaceID, err, s.rest.ReadTraced, func(c *rest.Call, frame web.Frame) (rendering, error) {
		row, err := share.Run(c.Tx, token)
		if err != nil {
			return nil, err
		}
		c.WorkspaceID = row.WorkspaceID // It may have been shared again meanwhile.
		view, err := s.runView(c, frame, row, nil)
		if err != nil {
			return nil, err
		}
		view.Run.TraceID, view.ProjectID, view.ProjectName, view.ParentID, view.ThreadID = "", "", "", "", ""
		view.PriceName, view.Peers, view.RawSize = "", nil, 0 // A client that wants JSON sees the whole view.
		return func(pages *web.Pages, w io.Writer) error { return pages.SharedRun(w, view) }, nil
	})
}

// addShare adds the token of a run that is shared.
func addShare(c *rest.Call, row store.Run, view *web.RunView) error {
	found, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	view.ShareToken = found.Token
	return err
}

// showShares lists the shared runs of the workspace.
func (s *Service) showShares(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.SharesView{Frame: frame}
	p, page := paged(c, frame.Paths().Shares())
	rows, err := c.Tx.SharedRuns(c.WorkspaceID, page)
	rows, view.Paging = window(p, rows)
	view.Shares = form.Collect(rows, func(row store.SharedRun) web.Share {
		return web.Share{Token: row.Token, RunID: row.RunID, TraceID: row.TraceID, Name: row.Name, StartTime: row.StartTime}
	})
	return func(pages *web.Pages, w io.Writer) error { return pages.Shares(w, view) }, err
}

// shareRun shares a run, or no longer shares it, and sends the browser back to its page.
func (s *Service) shareRun(w http.ResponseWriter, r *http.Request) {
	frame, workspaceID, err := s.frame(r)
	if err == nil {
		err = s.readForm(w, r, "A run can't be shared")
	}
	if err == nil {
		err = s.rest.Outside(r, workspaceID, s.user(r)).Do(r.Context(), func(c *rest.Call) error {
			row, err := rest.Named(c, "run_id", run.Read)
			if err != nil {
				return err
			}
			if r.PostForm.Get("revoke") != "" {
				return c.Tx.DeleteRunShare(c.WorkspaceID, row.ID)
			}
			_, err = share.Share(c.Tx, row, nil)
			return err
		})
	}
	if err != nil {
		s.errorPage(w, r, frame, err)
		return
	}
	http.Redirect(w, r, frame.Paths().Run(r.PathValue("run_id"))+"#share", http.StatusSeeOther) //nolint:gosec // A path of this server.
}
