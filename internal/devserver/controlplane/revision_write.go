package controlplane

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	. "github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// revisionRequest is the body of POST …/revisions, of which no full description is published. A revision_source is
// ignored like every unknown key: a revision has the source of its deployment.
type revisionRequest struct {
	SourceConfig         api.Optional[api.SourceConfigRequest]         `json:"source_config,omitzero"`
	SourceRevisionConfig api.Optional[api.SourceRevisionConfigRequest] `json:"source_revision_config,omitzero"`
	Secrets              api.Optional[[]api.Secret]                    `json:"secrets,omitzero"`
	SecretReferences     api.Optional[[]api.SecretReference]           `json:"secret_references,omitzero"`
}

// createRevision is a patch that makes a revision whatever it changes, and answers that revision.
func (s *ControlPlane) createRevision(c *Call) (Answer, error) {
	row, err := s.deployment(c, NewParams(c.Request))
	if err != nil {
		return Answer{}, err
	}
	request, err := DecodeBody[revisionRequest](c)
	if err != nil {
		return Answer{}, err
	}
	row, err = s.change(c, row, api.DeploymentPatchRequest{
		SourceConfig:         request.SourceConfig,
		SourceRevisionConfig: request.SourceRevisionConfig,
		Secrets:              request.Secrets,
		SecretReferences:     request.SecretReferences,
	}, true)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Status: http.StatusCreated, Body: newRevision(row.Latest)}, nil
}

// interruptRevision stops a rollout where it is. What becomes of it is not defined.
func (s *ControlPlane) interruptRevision(c *Call) (Answer, error) {
	row, err := s.revision(c, NewParams(c.Request))
	if err != nil {
		return Answer{}, err
	}
	if row.FinishedAt != nil {
		return Answer{}, BadRequest("Revision ID %s is %s and can't be interrupted.", row.ID, row.Status)
	}
	row.Status, row.UpdatedAt, row.FinishedAt = string(api.RevisionInterrupted), c.Now, &c.Now
	return Answer{Status: http.StatusNoContent}, c.Tx.UpdateRevision(row)
}
