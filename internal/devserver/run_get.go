package devserver

import (
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// run reads the run that the path names.
func (c *call) run() (store.Run, error) {
	p := newParams(c.request)
	id := p.pathID("run_id")
	if err := p.err(); err != nil {
		return store.Run{}, err
	}
	row, err := c.tx.Run(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, runNotFound()
	}
	return row, err
}

// getRun answers every field.
func getRun(c *call) (answer, error) {
	row, err := c.run()
	if err != nil {
		return answer{}, err
	}
	all, err := c.answers([]store.Run{row}, runFields)
	if err != nil {
		return answer{}, err
	}
	return ok(all[0]), nil
}

// runOfProject is run for the second version of the API, where the project has to be the run's if there is one.
func (c *call) runOfProject() (store.Run, error) {
	p := newParams(c.request)
	projectID := p.id("project_id")
	if err := p.err(); err != nil {
		return store.Run{}, err
	}
	row, err := c.run()
	if err == nil && projectID != nil && *projectID != row.ProjectID {
		return row, runNotFound()
	}
	return row, err
}

// getRunV2 answers the id alone unless fields are selected.
func getRunV2(c *call) (answer, error) {
	row, err := c.runOfProject()
	if err != nil {
		return answer{}, err
	}
	p := newParams(c.request)
	fields := p.selects()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	all, err := c.answersV2([]store.Run{row}, fields)
	if err != nil {
		return answer{}, err
	}
	return ok(all[0]), nil
}

// selects are the fields that a path asks for, once for each.
func (p *params) selects() map[string]runField {
	fields, unknown := chosen(append(p.query["selects"], "ID"), runFieldsV2)
	if len(unknown) > 0 {
		p.problems = append(p.problems, notFields(inQuery("selects"), unknown, runFieldsV2))
	}
	return fields
}

// getRunURL answers the address of the run's page.
func getRunURL(c *call) (answer, error) {
	row, err := c.runOfProject()
	if err != nil {
		return answer{}, err
	}
	a := runAnswer{row: row}
	return answer{status: http.StatusOK, body: map[string]string{"url": baseOf(c.request) + a.appPath()}}, nil
}
