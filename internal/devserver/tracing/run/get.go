package run

import (
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// run reads the run named by the path.
func (s *Service) run(c *rest.Call) (store.Run, error) {
	return rest.Named(c, "run_id", s.Run)
}

// Run reads a run.
func (s *Service) Run(c *rest.Call, id string) (store.Run, error) {
	row, err := c.Tx.Run(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, runNotFound()
	}
	return row, err
}

// getRun returns every field.
func (s *Service) getRun(c *rest.Call) (rest.Answer, error) {
	row, err := s.run(c)
	if err != nil {
		return rest.Answer{}, err
	}
	all, err := s.answers(c, []store.Run{row}, runFields, Subtree)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(all[0]), nil
}

// runOfProject is run for API version 2, where the project must be the run's if it is given.
func (s *Service) runOfProject(c *rest.Call) (store.Run, error) {
	p := rest.NewParams(c.Request)
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

// getRunV2 returns only the ID unless fields are selected. Figures are those of the run alone, which is the default of this
// version; the other option doesn't exist here.
func (s *Service) getRunV2(c *rest.Call) (rest.Answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return rest.Answer{}, err
	}
	p := rest.NewParams(c.Request)
	fields := readSelects(p)
	p.Text("project_id")
	p.Text("start_time") // The service can use it to find runs faster.
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	all, err := s.AnswersV2(c, []store.Run{row}, fields, itself)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(all[0]), nil
}

// readSelects returns the requested fields, each once.
func readSelects(p *rest.Params) map[string]Field {
	fields, unknown := chosen(append(p.Values("selects"), "ID"), FieldsV2)
	if len(unknown) > 0 {
		p.Report(notFields(rest.InQuery("selects"), unknown, FieldsV2))
	}
	return fields
}

// getRunURL returns the URL of the run's page.
func (s *Service) getRunURL(c *rest.Call) (rest.Answer, error) {
	row, err := s.runOfProject(c)
	if err != nil {
		return rest.Answer{}, err
	}
	a := runAnswer{row: row}
	return rest.Answer{Status: http.StatusOK, Body: map[string]string{"url": rest.BaseURL(c.Request) + a.appPath()}}, nil
}
