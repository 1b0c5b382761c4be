package client

import (
	"cmp"
	"context"
	"fmt"
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

// match repeats the filter in the client, because a service ignores query parameters that it doesn't know.
func (f DeploymentFilter) match(d api.Deployment) bool {
	return (f.Name == "" || d.Name == f.Name) &&
		strings.Contains(strings.ToLower(d.Name), strings.ToLower(f.NameContains)) &&
		(f.Status == "" || d.Status == f.Status) &&
		(f.DeploymentType == "" || d.SourceConfig.DeploymentType != nil && *d.SourceConfig.DeploymentType == f.DeploymentType) &&
		(f.ImageVersion == "" || d.ImageVersion != nil && *d.ImageVersion == f.ImageVersion) &&
		(len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, func(id string) bool { return sameID(id, d.ID) }))
}

// CreateDeployment creates a deployment and its first revision. If the reply is lost, it looks for the deployment by name and
// returns it if it is provably the result of this call; otherwise the error is an *OutcomeUnknownError. It never repeats a
// create that may have been processed.
func (c *Client) CreateDeployment(ctx context.Context, req api.DeploymentCreateRequest) (*api.Deployment, error) {
	if req.Secrets == nil {
		req.Secrets = []api.Secret{} // The service refuses null.
	}
	return create(ctx, c, request{
		method: http.MethodPost, path: deploymentsPath, body: req,
		secrets: append(secretValues(req.Secrets), containerValues(req.SourceConfig)...),
	}, func(d *api.Deployment) error {
		if err := hasID("deployment", d.ID); err != nil {
			return err
		}
		return isNamed("deployment", "name", req.Name, d.Name)
	}, creation[api.Deployment]{
		kind: deploymentKind, name: req.Name,
		list: func(ctx context.Context) iter.Seq2[page[api.Deployment], error] {
			return c.deploymentPages(ctx, DeploymentFilter{Name: req.Name})
		},
		match: func(d api.Deployment) bool {
			// A deployment that is being deleted existed before, and can't be imported.
			return DeploymentFilter{Name: req.Name}.match(d) && !d.Status.BeingDeleted()
		},
		identify: func(d api.Deployment) (string, string) { return d.ID, d.CreatedAt },
		differs:  func(d api.Deployment) string { return deploymentDiffers(c.Dialect(), req, d) },
	})
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
	return confirm(err, c.ListDeployments(ctx, DeploymentFilter{IDs: []string{id}}), func(d api.Deployment) bool { return sameID(d.ID, id) })
}

// ListDeployments lists the deployments of the workspace that match f.
func (c *Client) ListDeployments(ctx context.Context, f DeploymentFilter) iter.Seq2[api.Deployment, error] {
	return items(c.deploymentPages(ctx, f), f.match)
}

// PageDeployments reads the deployments of the workspace page by page.
func (c *Client) PageDeployments() *Pager[api.Deployment] {
	return &Pager[api.Deployment]{client: c, path: deploymentsPath, size: pageSize, id: deploymentID}
}

func deploymentID(d api.Deployment) string { return d.ID }

func (c *Client) deploymentPages(ctx context.Context, f DeploymentFilter) iter.Seq2[page[api.Deployment], error] {
	return pages(ctx, c, deploymentsPath, f.query(), pageSize, deploymentID)
}

// PatchDeployment changes a deployment. If the reply is lost, the error is an *OutcomeUnknownError.
func (c *Client) PatchDeployment(
	ctx context.Context, id string, req api.DeploymentPatchRequest,
) (*api.Deployment, error) {
	path := pathTo(deploymentsPath, id)
	secrets, _ := req.Secrets.Get()
	config, _ := req.SourceConfig.Get()
	var patched api.Deployment
	_, err := c.do(ctx, request{
		method: http.MethodPatch, path: path, body: req, secrets: append(secretValues(secrets), containerValues(config)...),
		accept: func(body []byte) error {
			patched = api.Deployment{}
			if len(body) == 0 {
				return nil
			}
			if err := decode(body, &patched); err != nil || patched.ID == "" {
				return err
			}
			return isAsked("deployment", id, patched.ID)
		},
	})
	switch {
	case IsAmbiguous(err):
		return nil, &OutcomeUnknownError{Method: http.MethodPatch, Path: path, ID: id, Err: err}
	case err != nil:
		return nil, err
	case patched.ID == "":
		return c.readPatched(ctx, path, id, req)
	}
	return &patched, nil
}

// readPatched reads the deployment after a change that was accepted without returning it. The specification defines no body for
// that, so a body that isn't the deployment may come from the service, or from a proxy that changed nothing.
func (c *Client) readPatched(ctx context.Context, path, id string, req api.DeploymentPatchRequest) (*api.Deployment, error) {
	d, err := c.GetDeployment(ctx, id)
	if err != nil {
		return nil, err
	}
	if different := patchDiffers(c.Dialect(), req, *d); different != "" {
		err := fmt.Errorf("the change was accepted, but %s", different)
		return nil, &OutcomeUnknownError{Method: http.MethodPatch, Path: path, ID: id, Err: err}
	}
	return d, nil
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
