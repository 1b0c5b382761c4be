package devserver

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *controlPlane) listDeployments(c *call) (answer, error) {
	p := newParams(c.request)
	filter := store.DeploymentFilter{
		Name:         p.text("name"),
		NameContains: p.text("name_contains"),
		Status:       p.text("status"),
		DeploymentType: p.oneOf("deployment_type",
			texts(extended(c.dialect, api.DeploymentTypes, api.ExtendedDeploymentTypes))),
		ImageVersion: p.text("image_version"),
		IDs:          p.ids("deployment_ids"),
	}
	window := p.page()
	if err := p.err(); err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Deployments(c.workspaceID, filter, window)
	if err != nil {
		return answer{}, err
	}
	resources := make([]api.Deployment, len(rows))
	for i, row := range rows {
		if resources[i], err = s.Shown(c, row); err != nil {
			return answer{}, err
		}
	}
	return ok(listOf(c.dialect, resources, window)), nil
}

func (s *controlPlane) createDeployment(c *call) (answer, error) {
	request, err := decodeBody[api.DeploymentCreateRequest](c)
	if err != nil {
		return answer{}, err
	}
	wanted, err := s.created(c, request)
	if err != nil {
		return answer{}, err
	}
	if err := s.insertDeployment(c, wanted); err != nil {
		return answer{}, err
	}
	row, err := c.tx.DeploymentNamed(c.workspaceID, wanted.Name)
	if err != nil {
		return answer{}, err
	}
	return s.show(c, http.StatusCreated, row)
}

// created is the deployment that a request asks for, or the reason why it can't be.
func (s *controlPlane) created(c *call, request api.DeploymentCreateRequest) (api.Deployment, error) {
	wanted := merge(api.Deployment{Name: request.Name, Source: request.Source, Secrets: request.Secrets,
		Shareable: request.Shareable.Value}, request.SourceConfig, request.SourceRevisionConfig)
	set(&wanted.SecretReferences, request.SecretReferences)
	if err := checkCreateForm(request); err != nil {
		return wanted, err
	}
	if err := checkSource(c.dialect, request.Source, request.SourceConfig, request.SourceRevisionConfig); err != nil {
		return wanted, err
	}
	if url := wanted.SourceConfig.CustomURL; url != nil && inCloud(wanted.Source) {
		return wanted, badRequest("Source configuration error: 'source_config.custom_url' is set by the service "+
			"for source '%s': it can't be '%s'.", wanted.Source, *url)
	}
	if err := checkRules(wanted); err != nil {
		return wanted, err
	}
	if err := checkExplicit(c.dialect, wanted); err != nil {
		return wanted, err
	}
	if err := checkVariables(c.dialect, wanted); err != nil {
		return wanted, err
	}
	if err := checkReferences(c, wanted); err != nil {
		return wanted, err
	}
	return wanted, s.checkNameIsFree(c, wanted.Name)
}

// checkNameIsFree refuses a taken name. A deployment that is being deleted holds its name until it is gone.
func (s *controlPlane) checkNameIsFree(c *call, name string) error {
	_, err := c.tx.DeploymentNamed(c.workspaceID, name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.checkProjectIsFree(c, name)
	case err != nil:
		return err
	default:
		return conflict("A deployment named '%s' already exists.", name)
	}
}

// insertDeployment adds the deployment, its first revision and its tracing project.
func (s *controlPlane) insertDeployment(c *call, wanted api.Deployment) error {
	wanted.ID = uuid.NewString()
	setByService(&wanted)
	ready := c.now.Add(databaseTime(s.cfg.Rollout))
	row := store.Deployment{
		ID:          wanted.ID,
		WorkspaceID: c.workspaceID,
		Name:        wanted.Name,
		Source:      string(wanted.Source),
		Status:      string(api.DeploymentAwaitingDatabase),
		DueAt:       &ready,
		CreatedAt:   c.now,
		UpdatedAt:   c.now,
	}
	if err := fill(&row, wanted); err != nil {
		return err
	}
	if err := c.tx.InsertDeployment(row); err != nil {
		return err
	}
	if buildable(wanted) {
		if err := s.insertRevision(c, row, wanted.SourceRevisionConfig); err != nil {
			return err
		}
	}
	return s.cfg.Projects.EnsureProject(c.tx, c.workspaceID, wanted.Name, c.now)
}

func (s *controlPlane) getDeployment(c *call) (answer, error) {
	row, err := s.deployment(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	return s.show(c, http.StatusOK, row)
}

// deployment reads the deployment that the path names, once all parameters are known to be right.
func (s *controlPlane) deployment(c *call, p *params) (store.Deployment, error) {
	id := p.pathID("deployment_id")
	if err := p.err(); err != nil {
		return store.Deployment{}, err
	}
	return s.Deployment(c, id)
}

// Deployment reads a deployment.
func (s *controlPlane) Deployment(c *call, id string) (store.Deployment, error) {
	row, err := c.tx.Deployment(c.workspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, deploymentNotFound(id)
	}
	return row, err
}

func (s *controlPlane) show(c *call, status int, row store.Deployment) (answer, error) {
	body, err := s.Shown(c, row)
	return answer{status: status, body: body}, err
}

func deploymentNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Deployment ID %s not found.", id)
}
