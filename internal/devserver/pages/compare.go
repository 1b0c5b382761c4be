package pages

import (
	"slices"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
)

// comparedProject and comparedGroup are the parameters of the query that name a project and two of the groups of its figures.
const (
	comparedProject = "project"
	comparedGroup   = "group"
)

// showComparison shows two runs side by side, and the differences in their contents.
func (s *Service) showComparison(c *rest.Call, frame web.Frame) (web.View, error) {
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
		*one.run = web.ComparedRun{RunSummary: full.Run, Inputs: full.Inputs.Raw, Outputs: full.Outputs.Raw, Metadata: full.Metadata}
	}
	return view, nil
}

// compareGroups shows the figures of two groups of a project's runs side by side.
func compareGroups(c *rest.Call, frame web.Frame, newest int) (web.View, error) {
	query := c.Request.URL.Query()
	id, err := uuid.Parse(query.Get(comparedProject))
	names := query[comparedGroup]
	if err != nil || len(names) != 2 {
		return nil, form.Missing("Choose two groups of a project to compare them.")
	}
	row, err := session.Read(c.Tx, c.WorkspaceID, id.String())
	if err != nil {
		return nil, err
	}
	found, err := projectFigures(c, frame, row, newest)
	if err == nil && found.Problem != "" {
		err = form.Broken("%s", found.Problem)
	}
	if err != nil {
		return nil, err
	}
	view := web.GroupComparisonView{Frame: frame, ProjectID: row.ID, ProjectName: row.Name, RangeLabel: found.RangeLabel, GroupedBy: query.Get("by"), Newest: int64(newest)}
	for i, group := range []*web.ComparedGroup{&view.A, &view.B} {
		n := slices.IndexFunc(found.Figures.Groups, func(g web.FiguresGroup) bool { return g.Name == names[i] })
		if n < 0 {
			return nil, form.Missing("The group %q is not among the largest of this time range.", names[i])
		}
		*group = web.ComparedGroup{Name: names[i], URL: found.Figures.Groups[n].URL, Figures: found.Figures.Groups[n].Figures}
	}
	view.Counted = found.Figures.Columns[1].Label
	return view, nil
}
