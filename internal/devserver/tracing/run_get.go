package tracing

import (
	"errors"
	"net/http"

	. "github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// run reads the run that the path names.
func (s *Tracing) run(c *Call) (store.Run, error) {
	p := NewParams(c.Request)
	id := p.PathID("run_id")
	if err := p.Err(); err != nil {
		return store.Run{}, err
	}
	return s.Run(c, id)
}

// Run reads a run.
func (s *Tracing) Run(c *Call, id string) (store.Run, error) {
	row, err := c.Tx.Run(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, runNotFound()
	}
	return row, err
}

// getRun answers every field.
func (s *Tracing) getRun(c *Call) (Answer, error) {
	row, err := s.run(c)
	if err != nil {
		return Answer{}, err
	}
	all, err := s.answers(c, []store.Run{row}, runFields)
	if err != nil {
		return Answer{}, err
	}
	return OK(all[0]), nil
}

// runOfProject is run for the second version of the API, where the project has to be the run's if there is one.
func (s *Tracing) runOfProject(c *Call) (store.Run, error) {
	p := NewParams(c.Request)
	projectID := p.ID("project_id")
	if err := p.Err(); err != nil {
		return store.Run{}, err
	}
	row, err := s.run(c)
	if err == nil && projectID != nil && *projectID != row.ProjectID {
		return row, runNotFound()
	}
	return row, err
}

// getRunV2 answers the id alone unless fields are selected.
func (s *Tracing) getRunV2(c *Call) (Answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return Answer{}, err
	}
	p := NewParams(c.Request)
	fields := readSelects(p)
	if err := p.Err(); err != nil {
		return Answer{}, err
	}
	all, err := s.answersV2(c, []store.Run{row}, fields)
	if err != nil {
		return Answer{}, err
	}
	return OK(all[0]), nil
}

// readSelects are the fields that a path asks for, once for each.
func readSelects(p *Params) map[string]runField {
	fields, unknown := chosen(append(p.Values("selects"), "ID"), runFieldsV2)
	if len(unknown) > 0 {
		p.Report(notFields(InQuery("selects"), unknown, runFieldsV2))
	}
	return fields
}

// getRunURL answers the address of the run's page.
func (s *Tracing) getRunURL(c *Call) (Answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return Answer{}, err
	}
	a := runAnswer{row: row}
	return Answer{Status: http.StatusOK, Body: map[string]string{"url": BaseURL(c.Request) + a.appPath()}}, nil
}
