package session

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// dashboard returns a project's figures over time, in the sections that the service is documented to have.
func dashboard(c *rest.Call, row store.Project) (rest.Answer, error) {
	request, err := rest.DecodeTolerant[dashboardRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	steps, err := request.steps(c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	answer := dashboardAnswer{ID: chartID(row, "dashboard"), SessionID: row.ID, Title: row.Name, Charts: []chart{}}
	for i, wanted := range dashboardSections {
		runs, err := readChartRuns(c.Tx, row, wanted, request, steps)
		if err != nil {
			return rest.Answer{}, err
		}
		section := dashboardSection{
			ID: chartID(row, wanted.title), Title: wanted.title, Description: wanted.description, Index: i, Charts: []chart{},
		}
		for i, plan := range wanted.plans(runs) {
			section.Charts = append(section.Charts, runs.draw(row, wanted, plan, i))
		}
		answer.SubSections = append(answer.SubSections, section)
	}
	return rest.OK(answer), nil
}
