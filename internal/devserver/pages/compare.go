package pages

import (
	"io"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// showComparison shows two runs side by side, and the differences in their contents.
func (s *Service) showComparison(c *rest.Call, frame web.Frame) (rendering, error) {
	view := web.ComparisonView{Frame: frame}
	for _, one := range []struct {
		name string
		run  *web.ComparedRun
	}{{"a", &view.A}, {"b", &view.B}} {
		id, err := uuid.Parse(c.Request.URL.Query().Get(one.name))
		if err != nil {
			return nil, form.Missing("The URL must name two runs by ID, as a and b.")
		}
		row, err := run.Read(c.Tx, c.WorkspaceID, id.String())
		if err != nil {
			return nil, err
		}
		full, err := s.runView(c, frame, row, nil)
		if err != nil {
			return nil, err
		}
		if one.name == "a" {
			view.ProjectID, view.ProjectName = full.ProjectID, full.ProjectName
		}
		*one.run = web.ComparedRun{
			ID: row.ID, TraceID: row.TraceID,
			Name: row.Name, Status: row.Status, Model: full.Run.Model(), Error: full.Run.Error,
			StartTime: row.StartTime, Latency: full.Run.Latency, FirstToken: full.Run.FirstToken,
			TotalTokens: full.Run.TotalTokens, TotalCost: full.Run.TotalCost,
			Inputs: full.Inputs.Raw, Outputs: full.Outputs.Raw, Metadata: full.Metadata,
		}
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Comparison(w, view) }, nil
}
