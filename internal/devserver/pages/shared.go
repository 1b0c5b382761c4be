package pages

import (
	"io"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/share"
)

// sharedRun shows a run to anybody who has the link to it, without what the link gives no access to.
func (s *Service) sharedRun(w http.ResponseWriter, r *http.Request) {
	frame := web.Frame{Base: pagesBase, Origin: rest.BaseURL(r)}
	token := strings.ToLower(r.PathValue("share_token"))
	var workspaceID string // What reads and renders the run takes counts for its workspace.
	err := s.look(r, "", s.rest.Glance, func(c *rest.Call) error {
		found, err := share.Find(c.Tx, token)
		workspaceID = found.WorkspaceID
		return err
	})
	s.show(w, r, frame, workspaceID, err, s.rest.Look, func(c *rest.Call, frame web.Frame) (rendering, error) {
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
