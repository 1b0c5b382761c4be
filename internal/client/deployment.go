package client

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const deploymentsPath = "/v2/deployments"

// DeploymentFilter filters a list of deployments; empty fields match everything.
type DeploymentFilter struct {
	Name           string
	NameContains   string
	Status         api.DeploymentStatus
	DeploymentType api.DeploymentType
	ImageVersion   string
	IDs            []string
}

// query filters by an exact name with both parameters, because older installations only support name_contains.
func (f DeploymentFilter) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{
		"name": f.Name, "name_contains": cmp.Or(f.NameContains, f.Name), "status": string(f.Status),
		"deployment_type": string(f.DeploymentType), "image_version": f.ImageVersion, "deployment_ids": strings.Join(f.IDs, ","),
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

func (f DeploymentFilter) match(d api.Deployment) bool {
	return (f.Name == "" || d.Name == f.Name) &&
		strings.Contains(strings.ToLower(d.Name), strings.ToLower(f.NameContains)) &&
		(f.Status == "" || d.Status == f.Status) &&
		(f.DeploymentType == "" || d.SourceConfig.DeploymentType != nil && *d.SourceConfig.DeploymentType == f.DeploymentType) &&
		(f.ImageVersion == "" || d.ImageVersion != nil && *d.ImageVersion == f.ImageVersion) &&
		(len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, func(id string) bool { return SameID(id, d.ID) }))
}

// CreateDeployment creates a deployment and its first revision. Unless the request was provably not processed, a failure is followed by
// a search for the deployment by name, which is returned if it is provably the result of this call: adopted is then true. Otherwise, the
// error says what may have happened. CreateDeployment never repeats a create that may have been processed.
func (c *Client) CreateDeployment(ctx context.Context, req api.DeploymentCreateRequest) (created *api.Deployment, adopted bool, err error) {
	if req.Secrets == nil {
		req.Secrets = []api.Secret{} // The service refuses null.
	}
	created, err = create(ctx, c, request{
		method: http.MethodPost, path: deploymentsPath, body: req, merges: maxMerges,
		secrets: append(secretValues(req.Secrets), containerValues(req.SourceConfig)...),
	}, func(d *api.Deployment) error {
		return isCreated("deployment", "name", req.Name, d.ID, d.Name)
	}, creating[api.Deployment]{
		kind: deploymentKind, name: req.Name,
		list: c.deployments(DeploymentFilter{Name: req.Name}).all, whole: c.deployments(DeploymentFilter{}).all,
		// A deployment that is being deleted existed before, and can't be imported.
		match:   func(d api.Deployment) bool { return !d.Status.BeingDeleted() },
		id:      func(d api.Deployment) string { return d.ID },
		shown:   func(d api.Deployment) any { return asAsked(c.Dialect(), req, d) },
		adopted: &adopted,
	})
	return created, adopted, err
}

// GetDeployment reads one deployment.
func (c *Client) GetDeployment(ctx context.Context, id string) (*api.Deployment, error) {
	d, _, err := fetch(ctx, c, request{method: http.MethodGet, path: pathTo(deploymentsPath, id)}, isDeployment(id))
	return d, err
}

// FindDeployment is GetDeployment for callers that act on a missing deployment, for example by creating it again. A single wrong
// response must not cause that: the deployment counts as not found only if the list agrees.
func (c *Client) FindDeployment(ctx context.Context, id string) (*api.Deployment, error) {
	d, err := c.GetDeployment(ctx, id)
	if !IsNotFound(err) {
		return d, err
	}
	return confirm(err, c.ListDeployments(ctx, DeploymentFilter{IDs: []string{id}}), func(d api.Deployment) bool { return SameID(d.ID, id) })
}

// ListDeployments lists the deployments of the workspace that match f.
func (c *Client) ListDeployments(ctx context.Context, f DeploymentFilter) iter.Seq2[api.Deployment, error] {
	return c.deployments(f).all(ctx)
}

// PageDeployments reads the deployments of the workspace page by page.
func (c *Client) PageDeployments() *Pager[api.Deployment] {
	return c.deployments(DeploymentFilter{})
}

func (c *Client) deployments(f DeploymentFilter) *Pager[api.Deployment] {
	return &Pager[api.Deployment]{
		client: c, path: deploymentsPath, query: f.query(), size: pageSize, id: func(d api.Deployment) string { return d.ID },
		match: f.match,
	}
}

// PatchDeployment changes a deployment. The specification defines no body for the response, so the result is nil unless that is the
// deployment. No response proves the change: see package rollout.
func (c *Client) PatchDeployment(ctx context.Context, id string, req api.DeploymentPatchRequest) (*api.Deployment, error) {
	secrets, _ := req.Secrets.Get()
	config, _ := req.SourceConfig.Get()
	return c.changeDeployment(ctx, id, request{
		method: http.MethodPatch, path: pathTo(deploymentsPath, id), body: req, secrets: append(secretValues(secrets), containerValues(config)...),
	})
}

// changeDeployment sends a change. A successful response that isn't the deployment says nothing. If the reply is lost, the error is an
// *OutcomeUnknownError.
func (c *Client) changeDeployment(ctx context.Context, id string, r request) (*api.Deployment, error) {
	var answer *api.Deployment
	r.accept = func(body []byte) error {
		var d api.Deployment
		if answer = nil; decode(body, &d) == nil && isAsked("deployment", id, d.ID) == nil {
			answer = &d
		}
		return nil
	}
	_, err := c.do(ctx, r)
	if IsAmbiguous(err) {
		return nil, &OutcomeUnknownError{Method: r.method, Path: r.path, ID: id, Err: err}
	}
	return answer, err
}

// DeleteOption extends the deletion of a deployment.
type DeleteOption func(query url.Values)

// WithTracingProject also deletes the deployment's tracing project with all its traces. Otherwise the project stays and keeps its
// name reserved. Only with the LangSmith API.
func WithTracingProject() DeleteOption {
	return func(query url.Values) { query.Set("delete_tracing_project", "true") }
}

// DeleteDeployment starts the deletion, which continues after the response: the deployment is gone once reading it returns 404. If
// the deployment doesn't exist, that is an error, unless an earlier attempt of this call deleted it.
func (c *Client) DeleteDeployment(ctx context.Context, id string, options ...DeleteOption) error {
	query := url.Values{}
	for _, option := range options {
		option(query)
	}
	_, err := c.do(ctx, request{method: http.MethodDelete, path: pathTo(deploymentsPath, id), query: query})
	return err
}

// isDeployment checks that the response is the deployment with that ID.
func isDeployment(id string) func(*api.Deployment) error {
	return func(d *api.Deployment) error { return isAsked("deployment", id, d.ID) }
}

func secretValues(secrets []api.Secret) []string {
	values := make([]string, len(secrets))
	for i, s := range secrets {
		values[i] = s.Value
	}
	return values
}

// containerValues returns the values of containers' environment variables, which may also be secrets.
func containerValues(config api.SourceConfigRequest) []string {
	spec, _ := config.ResourceSpec.Get()
	var values []string
	for _, container := range slices.Concat(spec.InitContainers, spec.Sidecars) {
		for _, variable := range container.Env {
			if variable.Value != nil {
				values = append(values, *variable.Value)
			}
		}
	}
	return values
}
