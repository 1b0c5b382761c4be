package controlplane

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// revisionRequest is the body of POST …/revisions, of which no full description is published.
type revisionRequest struct {
	RevisionSource       api.Optional[api.Source]                      `json:"revision_source,omitzero"`
	SourceConfig         api.Optional[api.SourceConfigRequest]         `json:"source_config,omitzero"`
	SourceRevisionConfig api.Optional[api.SourceRevisionConfigRequest] `json:"source_revision_config,omitzero"`
	Secrets              api.Optional[[]api.Secret]                    `json:"secrets,omitzero"`
	SecretReferences     api.Optional[[]api.SecretReference]           `json:"secret_references,omitzero"`
}

// createRevision is a patch that makes a revision whatever it changes, and returns that revision.
func (s *Service) createRevision(c *rest.Call, row store.Deployment, request revisionRequest) (rest.Answer, error) {
	row, err := s.change(c, row, api.DeploymentPatchRequest{
		RevisionSource:       request.RevisionSource,
		SourceConfig:         request.SourceConfig,
		SourceRevisionConfig: request.SourceRevisionConfig,
		Secrets:              request.Secrets,
		SecretReferences:     request.SecretReferences,
	}, true)
	return rest.Created(newRevision(row.Latest)), err
}

// interruptRevision stops a rollout in its current state. The service doesn't document what happens to it afterwards.
func interruptRevision(c *rest.Call, row store.Revision) (rest.Answer, error) {
	if row.FinishedAt != nil {
		return rest.Answer{}, form.Broken("Revision ID %s is %s and can't be interrupted.", row.ID, row.Status)
	}
	row.Status, row.UpdatedAt, row.DueAt, row.FinishedAt = string(api.RevisionInterrupted), c.Now, nil, &c.Now
	return rest.NoContent(), c.Tx.UpdateRevision(row)
}

func (s *Service) redeployRevision(c *rest.Call) (rest.Answer, error) {
	d, err := s.redeploy(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.respond(c, d)
}

// Redeploy does what redeployRevision does, and returns the ID of the new revision.
func (s *Service) Redeploy(c *rest.Call) (revisionID string, _ error) {
	d, err := s.redeploy(c)
	return d.Latest.ID, err
}

// redeploy makes a revision from the same commit as an earlier one, wherever its branch points now. Environment and resources belong
// to the deployment and are unchanged.
func (s *Service) redeploy(c *rest.Call) (store.Deployment, error) {
	source, err := namedRevision(c)
	if err != nil {
		return store.Deployment{}, err
	}
	d, err := c.Tx.Deployment(c.WorkspaceID, source.DeploymentID)
	if err != nil {
		return store.Deployment{}, err
	}
	if going(d) {
		return store.Deployment{}, form.Broken("Deployment ID %s is being deleted and can't be changed.", d.ID)
	}
	if err := s.insertBuiltRevision(c, d, newSourceRevisionConfig(source)); err != nil {
		return store.Deployment{}, err
	}
	d.UpdatedAt = c.Now
	if err := c.Tx.UpdateDeployment(d); err != nil {
		return store.Deployment{}, err
	}
	return c.Tx.Deployment(c.WorkspaceID, d.ID)
}
