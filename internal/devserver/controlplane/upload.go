package controlplane

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

type pushToken struct {
	Token       string `json:"token"`
	RegistryURL string `json:"registry_url"`
}

// createPushToken returns credentials for docker login. There is no registry behind it.
func (s *Service) createPushToken(c *rest.Call) (rest.Answer, error) {
	row, err := s.deployment(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	if row.Source != string(api.SourceInternalContainer) {
		return rest.Answer{}, refusal.Broken("push token is only available for 'internal_container' source deployments")
	}
	return rest.OK(pushToken{Token: uuid.NewString(), RegistryURL: "registry.agents.localhost/" + row.ID}), nil
}

type uploadURL struct {
	UploadURL  string `json:"upload_url"`
	ObjectPath string `json:"object_path"`
}

// createUploadURL returns the URL for uploading an archive. There is no storage behind it.
func (s *Service) createUploadURL(c *rest.Call) (rest.Answer, error) {
	row, err := s.deployment(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	if row.Source != string(api.SourceInternalSource) {
		return rest.Answer{}, refusal.Broken("upload url is only available for 'internal_source' source deployments")
	}
	path := row.ID + "/" + uuid.NewString() + ".tar.gz"
	return rest.OK(uploadURL{UploadURL: "https://storage.agents.localhost/" + path, ObjectPath: path}), nil
}
