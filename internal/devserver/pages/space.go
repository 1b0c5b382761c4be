package pages

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

func (s *Service) showSpace(c *rest.Call, frame web.Frame) (web.View, error) {
	rows, err := c.Tx.ProjectSpaces(c.WorkspaceID)
	if err != nil {
		return nil, err
	}
	view := web.SpaceView{Frame: frame}
	if view.FileSize, view.Free, err = c.Tx.FileSpace(); err != nil {
		return nil, err
	}
	if view.Taken, view.Limit, err = s.tracing.Space(c.Tx, c.WorkspaceID); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Deleted {
			continue
		}
		view.Projects = append(view.Projects, web.ProjectSpace{
			ID: row.ID, Name: row.Name, Runs: row.Runs, Rows: row.Rows, Bodies: row.Bodies, Labels: row.Labels, Attachments: row.Attachments, All: row.Bytes(),
		})
	}
	return view, nil
}
