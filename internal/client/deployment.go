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

var deploymentKind = kind{"a deployment", "name"}

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
	return parameters(map[string]string{
		"name": f.Name, "name_contains": cmp.Or(f.NameContains, f.Name), "status": string(f.Status),
		"deployment_type": string(f.DeploymentType), "image_version": f.ImageVersion, "deployment_ids": strings.Join(f.IDs, ","),
	})
}

func (f DeploymentFilter) match(d api.Deployment) bool {
	return (f.Name == "" || d.Name == f.Name) &&
		strings.Contains(strings.ToLower(d.Name), strings.ToLower(f.NameContains)) &&
		(f.Status == "" || d.Status == f.Status) &&
		(f.DeploymentType == "" || d.SourceConfig.DeploymentType != nil && *d.SourceConfig.DeploymentType == f.DeploymentType) &&
		(f.ImageVersion == "" || d.ImageVersion != nil && *d.ImageVersion == f.ImageVersion) &&
		(len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, func(id string) bool { return SameID(id, d.ID) }))
}

// Deployments are the deployments of the workspace. DeleteDeployment deletes one.
func (c *Client) Deployments() Collection[api.Deployment] {
	return Collection[api.Deployment]{
		client: c, kind: deploymentKind, path: deploymentsPath, id: func(d api.Deployment) string { return d.ID },
		listID: func(ctx context.Context, id string) iter.Seq2[api.Deployment, error] {
			return c.ListDeployments(ctx, DeploymentFilter{IDs: []string{id}})
		},
	}
}

// ListDeployments lists the deployments of the workspace that match f.
func (c *Client) ListDeployments(ctx context.Context, f DeploymentFilter) iter.Seq2[api.Deployment, error] {
	list := c.Deployments().Pages()
	list.query, list.match = f.query(), f.match
	return list.all(ctx)
}

// CreateDeployment creates a deployment and its first revision. adopted means that the reply was lost and the deployment was found. A
// create that may have been processed is never repeated.
func (c *Client) CreateDeployment(ctx context.Context, req api.DeploymentCreateRequest) (created *api.Deployment, adopted bool, err error) {
	if req.Secrets == nil {
		req.Secrets = []api.Secret{} // The service refuses null.
	}
	return creation[api.Deployment]{
		Collection: c.Deployments(), name: req.Name,
		named: func(ctx context.Context) iter.Seq2[api.Deployment, error] {
			return c.ListDeployments(ctx, DeploymentFilter{Name: req.Name})
		},
		request: request{
			method: http.MethodPost, path: deploymentsPath, body: req, merges: maxMerges,
			secrets: append(secretValues(req.Secrets), containerValues(req.SourceConfig)...),
		},
		accept: func(d *api.Deployment) error { return checkName(deploymentKind, req.Name, d.ID, d.Name) },
		// A deployment that is being deleted existed before, and can't be imported.
		match: func(d api.Deployment) bool { return !d.Status.BeingDeleted() },
		shown: func(d api.Deployment) any { return asRequested(c.Dialect(), req, d) },
	}.create(ctx)
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

// PatchDeploymentTier sets the fixed tier of a deployment. It makes no revision. Its results are those of PatchDeployment.
func (c *Client) PatchDeploymentTier(ctx context.Context, id string, tier api.DeploymentTier) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "deployment-tier", api.DeploymentTierUpdateRequest{DeploymentTier: tier})
}

// PatchResourceTiers changes the tiers of compute and database that are set in req. It makes no revision. Its results are those of
// PatchDeployment.
func (c *Client) PatchResourceTiers(
	ctx context.Context, id string, req api.DeploymentResourceTiersUpdateRequest,
) (*api.Deployment, error) {
	return c.patchTiers(ctx, id, "resource-tiers", req)
}

func (c *Client) patchTiers(ctx context.Context, id, operation string, body any) (*api.Deployment, error) {
	return c.changeDeployment(ctx, id, request{
		method: http.MethodPatch, path: pathTo(deploymentsPath, id, operation), body: body, repeatable: true,
	})
}

// changeDeployment sends a change. A successful response that isn't the deployment proves nothing.
func (c *Client) changeDeployment(ctx context.Context, id string, r request) (*api.Deployment, error) {
	var changed *api.Deployment
	r.accept = func(body []byte) error {
		var d api.Deployment
		if changed = nil; decode(body, &d) == nil && checkID("deployment", id, d.ID) == nil {
			changed = &d
		}
		return nil
	}
	_, err := c.do(ctx, r)
	if IsAmbiguous(err) {
		return nil, &OutcomeUnknownError{Method: r.method, Path: r.path, ID: id, Err: err}
	}
	return changed, err
}

// DeleteDeployment starts the deletion, which continues after the response: the deployment is gone once reading it returns 404.
// withProject also deletes its tracing project with all traces, which only the LangSmith API can: otherwise the project reserves the name.
func (c *Client) DeleteDeployment(ctx context.Context, id string, withProject bool) error {
	r := c.Deployments().request(http.MethodDelete, id)
	if withProject {
		r.query = url.Values{"delete_tracing_project": {"true"}}
	}
	_, err := c.do(ctx, r)
	return err
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
