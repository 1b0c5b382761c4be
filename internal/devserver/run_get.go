package devserver

import (
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// run reads the run that the path names.
func (s *tracing) run(c *call) (store.Run, error) {
	p := newParams(c.request)
	id := p.pathID("run_id")
	if err := p.err(); err != nil {
		return store.Run{}, err
	}
	return s.Run(c, id)
}

// Run reads a run.
func (s *tracing) Run(c *call, id string) (store.Run, error) {
	row, err := c.tx.Run(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, runNotFound()
	}
	return row, err
}

// getRun answers every field.
func (s *tracing) getRun(c *call) (answer, error) {
	row, err := s.run(c)
	if err != nil {
		return answer{}, err
	}
	all, err := s.answers(c, []store.Run{row}, runFields)
	if err != nil {
		return answer{}, err
	}
	return ok(all[0]), nil
}

// runOfProject is run for the second version of the API, where the project has to be the run's if there is one.
func (s *tracing) runOfProject(c *call) (store.Run, error) {
	p := newParams(c.request)
	projectID := p.id("project_id")
	if err := p.err(); err != nil {
		return store.Run{}, err
	}
	row, err := s.run(c)
	if err == nil && projectID != nil && *projectID != row.ProjectID {
		return row, runNotFound()
	}
	return row, err
}

// getRunV2 answers the id alone unless fields are selected.
func (s *tracing) getRunV2(c *call) (answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return answer{}, err
	}
	p := newParams(c.request)
	fields := readSelects(p)
	if err := p.err(); err != nil {
		return answer{}, err
	}
	all, err := s.answersV2(c, []store.Run{row}, fields)
	if err != nil {
		return answer{}, err
	}
	return ok(all[0]), nil
}

// readSelects are the fields that a path asks for, once for each.
func readSelects(p *params) map[string]runField {
	fields, unknown := chosen(append(p.values("selects"), "ID"), runFieldsV2)
	if len(unknown) > 0 {
		p.report(notFields(inQuery("selects"), unknown, runFieldsV2))
	}
	return fields
}

// getRunURL answers the address of the run's page.
func (s *tracing) getRunURL(c *call) (answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return answer{}, err
	}
	a := runAnswer{row: row}
	return answer{status: http.StatusOK, body: map[string]string{"url": baseOf(c.request) + a.appPath()}}, nil
}
