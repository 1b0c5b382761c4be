package controlplane

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
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
func (s *Service) createRevision(c *rest.Call) (rest.Answer, error) {
	row, err := s.deployment(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := rest.DecodeBody[revisionRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	row, err = s.change(c, row, api.DeploymentPatchRequest{
		SourceConfig:         request.SourceConfig,
		SourceRevisionConfig: request.SourceRevisionConfig,
		Secrets:              request.Secrets,
		SecretReferences:     request.SecretReferences,
	}, true)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: http.StatusCreated, Body: newRevision(row.Latest)}, nil
}

// interruptRevision stops a rollout where it is. What becomes of it is not defined.
func (s *Service) interruptRevision(c *rest.Call) (rest.Answer, error) {
	row, err := s.revision(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	if row.FinishedAt != nil {
		return rest.Answer{}, rest.BadRequest("Revision ID %s is %s and can't be interrupted.", row.ID, row.Status)
	}
	row.Status, row.UpdatedAt, row.FinishedAt = string(api.RevisionInterrupted), c.Now, &c.Now
	return rest.Answer{Status: http.StatusNoContent}, c.Tx.UpdateRevision(row)
}
