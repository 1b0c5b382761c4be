package devserver

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
func (s *controlPlane) createRevision(c *call) (answer, error) {
	row, err := s.deployment(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	request, err := decodeBody[revisionRequest](c)
	if err != nil {
		return answer{}, err
	}
	row, err = s.change(c, row, api.DeploymentPatchRequest{
		SourceConfig:         request.SourceConfig,
		SourceRevisionConfig: request.SourceRevisionConfig,
		Secrets:              request.Secrets,
		SecretReferences:     request.SecretReferences,
	}, true)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: newRevision(row.Latest)}, nil
}

// interruptRevision stops a rollout where it is. What becomes of it is not defined.
func (s *controlPlane) interruptRevision(c *call) (answer, error) {
	row, err := s.revision(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	if row.FinishedAt != nil {
		return answer{}, badRequest("Revision ID %s is %s and can't be interrupted.", row.ID, row.Status)
	}
	row.Status, row.UpdatedAt, row.FinishedAt = string(api.RevisionInterrupted), c.now, &c.now
	return answer{status: http.StatusNoContent}, c.tx.UpdateRevision(row)
}
