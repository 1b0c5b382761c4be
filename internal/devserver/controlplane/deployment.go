package controlplane

import (
	"cmp"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *Service) listDeployments(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	filter := store.DeploymentFilter{
		Name:         p.Text("name"),
		NameContains: p.Text("name_contains"),
		Status:       p.Text("status"),
		DeploymentType: p.OneOf("deployment_type",
			form.Texts(form.Extended(c.Dialect, api.DeploymentTypes, api.ExtendedDeploymentTypes))),
		ImageVersion: p.Text("image_version"),
		IDs:          p.IDs("deployment_ids"),
	}
	if c.Dialect.LangSmithAPI {
		filter.URL, filter.Reconciled = p.Text("url"), p.OptionalFlag("remote_reconciled")
		filter.AgentID, filter.AgentEnvironment = p.Text("agent_id"), p.Text("agent_environment")
		if p.List("tag_value_ids") != nil {
			filter.IDs = []string{} // No operation tags a deployment.
		}
	}
	window := p.Page()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.Deployments(c.WorkspaceID, filter, window)
	if err != nil {
		return rest.Answer{}, err
	}
	resources := make([]api.Deployment, len(rows))
	for i, row := range rows {
		if resources[i], err = s.Response(c, row); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(rest.ListOf(c.Dialect, resources, window)), nil
}

func (s *Service) createDeployment(c *rest.Call) (rest.Answer, error) {
	request, err := decodeCreation(c)
	if err != nil {
		return rest.Answer{}, err
	}
	wanted, err := wantedDeployment(c, request)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := s.insertDeployment(c, wanted); err != nil {
		return rest.Answer{}, err
	}
	row, err := c.Tx.DeploymentNamed(c.WorkspaceID, wanted.Name)
	if err != nil {
		return rest.Answer{}, err
	}
	created, err := s.Response(c, row)
	return rest.Created(created), err
}

// creationWithoutSecrets is a creation by a command-line client that pushes an image, which sends no secrets where there are none.
type creationWithoutSecrets struct {
	api.DeploymentCreateRequest
	Secrets struct{} `json:"-"`
}

func decodeCreation(c *rest.Call) (api.DeploymentCreateRequest, error) {
	var given struct {
		Source  api.Source      `json:"source"`
		Secrets json.RawMessage `json:"secrets"`
	}
	_ = json.Unmarshal(c.Body, &given) // Decoding says what is wrong.
	if !c.Dialect.LangSmithAPI || given.Source != api.SourceInternalContainer || given.Secrets != nil {
		return rest.DecodeBody[api.DeploymentCreateRequest](c)
	}
	request, err := rest.DecodeBody[creationWithoutSecrets](c)
	request.DeploymentCreateRequest.Secrets = []api.Secret{}
	return request.DeploymentCreateRequest, err
}

// wantedDeployment returns the deployment for a create request, or the reason to refuse it.
func wantedDeployment(c *rest.Call, request api.DeploymentCreateRequest) (api.Deployment, error) {
	wanted := merge(api.Deployment{Name: request.Name, Source: request.Source, Secrets: request.Secrets,
		Shareable:           request.Shareable.Value,
		RouteThroughGateway: request.RouteThroughGateway.Value}, request.SourceConfig, request.SourceRevisionConfig)
	api.Set(&wanted.SecretReferences, request.SecretReferences)
	wanted.Agent = request.Agent.Value
	if err := validateCreate(c.Dialect, request); err != nil {
		return wanted, err
	}
	if err := checkSource(c.Dialect, request.Source, request.SourceConfig, request.SourceRevisionConfig); err != nil {
		return wanted, err
	}
	if url := wanted.SourceConfig.CustomURL; url != nil && inCloud(wanted.Source) {
		return wanted, form.Broken("Source configuration error: 'source_config.custom_url' is set by the service "+
			"for source '%s': it can't be '%s'.", wanted.Source, *url)
	}
	if err := checkConstraints(wanted); err != nil {
		return wanted, err
	}
	if err := checkNewRef(api.Deployment{}, wanted); err != nil {
		return wanted, err
	}
	if err := checkExplicit(c.Dialect, wanted); err != nil {
		return wanted, err
	}
	if err := checkVariables(c.Dialect, wanted); err != nil {
		return wanted, err
	}
	if err := checkReferences(c, wanted); err != nil {
		return wanted, err
	}
	return wanted, checkNameIsFree(c, wanted.Name)
}

// checkNameIsFree refuses the name of another deployment or, where the dialect does, of a tracing project that isn't its own. A deployment that is being deleted keeps its name until it is gone.
func checkNameIsFree(c *rest.Call, name string) error {
	_, err := c.Tx.DeploymentNamed(c.WorkspaceID, name)
	if err := rest.OrTaken(err, "A deployment named '%s' already exists.", name); err != nil {
		return err
	}
	reserved, err := c.Tx.NameReserved(c.WorkspaceID, name)
	switch {
	case err != nil:
		return err
	case reserved:
		return form.Conflicting("The name '%s' can't be used again: its deployment was deleted with 'force'.", name)
	case !c.Dialect.ProjectsBlockNames:
		return nil
	}
	_, err = c.Tx.ProjectNamed(c.WorkspaceID, name)
	return rest.OrTaken(err, "A tracing project named '%s' already exists.", name)
}

// insertDeployment adds the deployment, its first revision and its tracing project.
func (s *Service) insertDeployment(c *rest.Call, wanted api.Deployment) error {
	wanted.ID = cmp.Or(wanted.ID, uuid.NewString())
	s.setByService(c, &wanted)
	ready := c.Now.Add(databaseTime(s.cfg.Rollout))
	row := store.Deployment{
		ID:          wanted.ID,
		WorkspaceID: c.WorkspaceID,
		Name:        wanted.Name,
		Source:      string(wanted.Source),
		Status:      string(api.DeploymentAwaitingDatabase),
		DueAt:       &ready,
		CreatedAt:   c.Now,
		UpdatedAt:   c.Now,
	}
	if s.cfg.Dialect.LangSmithAPI && inCloud(wanted.Source) {
		setTier(&row, defaultTier(*wanted.SourceConfig.DeploymentType))
	}
	if agent := wanted.Agent; agent != nil {
		row.AgentID, row.AgentEnvironment = &agent.AgentID, (*string)(&agent.Environment)
	}
	s.fill(&row, wanted)
	if err := c.Tx.InsertDeployment(row); err != nil {
		return err
	}
	if buildable(wanted) {
		if err := s.insertRevision(c, row, wanted.SourceRevisionConfig); err != nil {
			return err
		}
	}
	return c.Tx.EnsureProject(store.Project{ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, Name: wanted.Name, StartTime: c.Now})
}

// ofDeployment returns a handler of requests about the deployment that the path names.
func ofDeployment(work func(*rest.Call, store.Deployment) (rest.Answer, error)) rest.Handler {
	return rest.WithNamed(namedDeployment, work)
}

// changesDeployment is ofDeployment for requests with a body.
func changesDeployment[T any](work func(*rest.Call, store.Deployment, T) (rest.Answer, error)) rest.Handler {
	return rest.Changing(namedDeployment, work)
}

func namedDeployment(c *rest.Call) (store.Deployment, error) {
	return rest.Named(c, "deployment_id", ReadDeployment)
}

// deployment reads the deployment named by the path, after all parameters were validated.
func deployment(c *rest.Call, p *rest.Params) (store.Deployment, error) {
	id := p.PathID("deployment_id")
	if err := p.Err(); err != nil {
		return store.Deployment{}, err
	}
	return ReadDeployment(c.Tx, c.WorkspaceID, id)
}

// ReadDeployment reads a deployment.
func ReadDeployment(tx *store.Tx, workspaceID, id string) (store.Deployment, error) {
	row, err := tx.Deployment(workspaceID, id)
	return row, rest.OrMissing(err, noDeployment, id)
}

const noDeployment = "Deployment ID %s not found."

func (s *Service) respond(c *rest.Call, row store.Deployment) (rest.Answer, error) {
	body, err := s.Response(c, row)
	return rest.OK(body), err
}
