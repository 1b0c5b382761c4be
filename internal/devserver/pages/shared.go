package pages

import (
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/share"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/thread"
)

// shared serves a page to anybody who has the link with its token. What reading and rendering it takes counts for the workspace that owner
// returns.
func (s *Service) shared(owner func(tx *store.Tx, token string) (workspaceID string, err error), show pageHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		frame := web.Frame{Base: pagesBase, Origin: rest.BaseURL(r), Public: true}
		var workspaceID string
		err := s.look(r, "", s.rest.Read, func(c *rest.Call) (err error) {
			workspaceID, err = owner(c.Tx, tokenOf(c))
			return err
		})
		s.show(w, r, frame, workspaceID, err, s.rest.ReadTraced, show)
	}
}

// tokenOf returns the token in the path of a shared page.
func tokenOf(c *rest.Call) string { return strings.ToLower(c.Request.PathValue("share_token")) }

func runOwner(tx *store.Tx, token string) (workspaceID string, err error) {
	found, err := share.Find(tx, token)
	return found.WorkspaceID, err
}

// showSharedRun shows a run without what its link gives no access to.
func (s *Service) showSharedRun(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := share.Run(c.Tx, tokenOf(c))
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
	return web.SharedRunView{RunView: view}, nil
}

// sharedThread finds the conversation that is shared with a token.
func sharedThread(tx *store.Tx, token string) (store.ThreadShare, error) {
	found, err := tx.SharedThread(token)
	if store.Missing(&err) {
		err = form.Missing("No thread is shared with this token.")
	}
	return found, err
}

func threadOwner(tx *store.Tx, token string) (workspaceID string, err error) {
	found, err := sharedThread(tx, token)
	return found.WorkspaceID, err
}

// showSharedThread shows a conversation without what its link gives no access to.
func (s *Service) showSharedThread(c *rest.Call, frame web.Frame) (web.View, error) {
	found, err := sharedThread(c.Tx, tokenOf(c))
	if err != nil {
		return nil, err
	}
	c.WorkspaceID = found.WorkspaceID
	view, err := s.threadView(c, frame, addressOf(c, frame.Paths().SharedThread(found.Token)), found.ProjectID, found.ThreadID)
	if err != nil {
		return nil, err
	}
	view.ID, view.ProjectID, view.ShareToken = "", "", found.Token
	for i := range view.Shown {
		turn := &view.Shown[i]
		turn.Run.ID, turn.Run.TraceID = "", ""
		for k := range turn.Calls {
			turn.Calls[k].ID, turn.Calls[k].TraceID = "", ""
		}
	}
	return view, nil
}

// addShare adds the token of a run that is shared.
func addShare(c *rest.Call, row store.Run, view *web.RunView) error {
	found, err := c.Tx.RunShare(c.WorkspaceID, row.ID)
	view.ShareToken = found.Token
	return err
}

// showShares lists the shared runs and threads of the workspace.
func (s *Service) showShares(c *rest.Call, frame web.Frame) (web.View, error) {
	view := web.SharesView{Frame: frame}
	p, page := paged(c, frame.Paths().Shares())
	rows, err := c.Tx.Shares(c.WorkspaceID, page)
	rows, view.Paging = window(p, rows)
	view.Shares = form.Collect(rows, func(row store.Share) web.Share { return web.Share(row) })
	return view, err
}

// shareRun shares a run, or no longer shares it.
func shareRun(c *rest.Call, frame web.Frame) (back string, err error) {
	row, err := rest.Named(c, "run_id", run.Read)
	switch {
	case err != nil:
	case c.Request.PostForm.Get("revoke") != "":
		err = c.Tx.DeleteRunShare(c.WorkspaceID, row.ID)
	default:
		_, err = share.Share(c.Tx, row, nil)
	}
	return frame.Paths().Run(row.ID) + toShare, err
}

// shareThread shares a conversation, or no longer shares it.
func shareThread(c *rest.Call, frame web.Frame) (back string, err error) {
	row, err := rest.Named(c, "session_id", session.Read)
	id := c.Request.PostForm.Get("thread")
	switch {
	case err != nil:
	case c.Request.PostForm.Get("revoke") != "":
		err = c.Tx.UnshareThread(c.WorkspaceID, row.ID, id)
	default:
		_, err = thread.Share(c.Tx, c.WorkspaceID, row.ID, id)
	}
	return frame.Paths().Thread(row.ID, id) + toShare, err
}

// toShare leads to where a page says whether it is shared.
const toShare = "#share"
