package devserver

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

type pushToken struct {
	Token       string `json:"token"`
	RegistryURL string `json:"registry_url"`
}

// createPushToken gives what docker would log in with. There is no registry behind it.
func (s *controlPlane) createPushToken(c *call) (answer, error) {
	row, err := s.deployment(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	if row.Source != string(api.SourceInternalContainer) {
		return answer{}, badRequest("push token is only available for 'internal_container' source deployments")
	}
	return ok(pushToken{Token: uuid.NewString(), RegistryURL: "registry.agents.localhost/" + row.ID}), nil
}

type uploadURL struct {
	UploadURL  string `json:"upload_url"`
	ObjectPath string `json:"object_path"`
}

// createUploadURL gives the address that an archive would be sent to. There is no storage behind it.
func (s *controlPlane) createUploadURL(c *call) (answer, error) {
	row, err := s.deployment(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	if row.Source != string(api.SourceInternalSource) {
		return answer{}, badRequest("upload url is only available for 'internal_source' source deployments")
	}
	path := row.ID + "/" + uuid.NewString() + ".tar.gz"
	return ok(uploadURL{UploadURL: "https://storage.agents.localhost/" + path, ObjectPath: path}), nil
}
