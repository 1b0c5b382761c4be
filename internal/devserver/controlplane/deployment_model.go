package controlplane

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// maskedValue replaces values in responses if Config.MaskSecrets is set.
const maskedValue = "********"

// newDeployment returns the deployment as requested, including secret values.
func (s *Service) newDeployment(row store.Deployment) (api.Deployment, error) {
	d := api.Deployment{
		Secrets:              []api.Secret{},
		Name:                 row.Name,
		Source:               api.Source(row.Source),
		SourceRevisionConfig: newDeploymentConfig(row),
		SourceConfig: api.SourceConfig{
			IntegrationID:  row.IntegrationID,
			RepoURL:        row.RepoURL,
			DeploymentType: (*api.DeploymentType)(row.DeploymentType),
			BuildOnPush:    row.BuildOnPush,
			CustomURL:      row.CustomURL,
			ListenerID:     row.ListenerID,
			InstallCommand: row.InstallCommand,
			BuildCommand:   row.BuildCommand,
			TemplateID:     row.TemplateID,
		},
		ID:                  row.ID,
		CreatedAt:           form.DateTime(row.CreatedAt),
		UpdatedAt:           form.DateTime(row.UpdatedAt),
		Status:              api.DeploymentStatus(row.Status),
		LatestRevisionID:    api.NonEmpty(row.Latest.ID),
		DisplayName:         row.DisplayName,
		Shareable:           &row.Shareable,
		RouteThroughGateway: &row.RouteThroughGateway,
		DeploymentTier:      (*api.DeploymentTier)(row.DeploymentTier),
		ComputeTier:         (*api.DeploymentTier)(row.ComputeTier),
		DatabaseTier:        (*api.DeploymentTier)(row.DatabaseTier),
		ActiveRevisionID:    row.ActiveRevisionID,
		ImageVersion:        row.ImageVersion,
	}
	if row.AgentID != nil {
		d.Agent = &api.AgentRef{AgentID: *row.AgentID, Environment: api.AgentEnvironment(*row.AgentEnvironment)}
	}
	if row.K8sNamespace != nil {
		d.SourceConfig.ListenerConfig = &api.ListenerConfig{K8sNamespace: row.K8sNamespace}
	}
	var secrets *string
	var err error
	if row.SealedSecrets != nil {
		secrets = new(string)
		*secrets, err = s.cfg.Key.Open(seal.DeploymentSecrets+row.ID, row.SealedSecrets)
	}
	err = errors.Join(err, readColumn(secrets, &d.Secrets), readColumn(row.SecretReferences, &d.SecretReferences),
		readColumn(row.ResourceSpec, &d.SourceConfig.ResourceSpec))
	if err != nil {
		err = fmt.Errorf("decode deployment %s: %w", row.ID, err)
	}
	return d, err
}

// readColumn decodes what newColumn has encoded; null changes nothing.
func readColumn(column *string, into any) error {
	if column == nil {
		return nil
	}
	return json.Unmarshal([]byte(*column), into)
}

// newColumn encodes a value of which all parts can be encoded.
func newColumn(value any) *string {
	text, _ := json.Marshal(value)
	return new(string(text))
}

// newDeploymentConfig is that of the latest revision.
func newDeploymentConfig(row store.Deployment) api.SourceRevisionConfig {
	config := newSourceRevisionConfig(row.Latest)
	if row.Latest.ID == "" {
		config.GraphConfigPath = row.GraphConfigPath
	}
	return config
}

// fill copies the settings of d that a create or a patch can set to the row.
func (s *Service) fill(row *store.Deployment, d api.Deployment) {
	config := d.SourceConfig
	row.IntegrationID = config.IntegrationID
	row.RepoURL = config.RepoURL
	row.DeploymentType = (*string)(config.DeploymentType)
	row.BuildOnPush = config.BuildOnPush
	row.CustomURL = config.CustomURL
	row.ListenerID = config.ListenerID
	row.InstallCommand = config.InstallCommand
	row.BuildCommand = config.BuildCommand
	row.TemplateID = config.TemplateID
	row.GraphConfigPath = d.SourceRevisionConfig.GraphConfigPath
	row.TrackedPackages = packagesColumn(d.SourceRevisionConfig.TrackedPackages)
	row.DisplayName = d.DisplayName
	row.Shareable = d.Shareable != nil && *d.Shareable
	row.RouteThroughGateway = d.RouteThroughGateway != nil && *d.RouteThroughGateway
	if config.ListenerConfig != nil {
		row.K8sNamespace = config.ListenerConfig.K8sNamespace
	}
	row.SealedSecrets = nil
	if len(d.Secrets) > 0 {
		row.SealedSecrets = s.cfg.Key.Seal(seal.DeploymentSecrets+row.ID, *newColumn(d.Secrets))
	}
	if d.SecretReferences != nil {
		row.SecretReferences = newColumn(d.SecretReferences)
	}
	if config.ResourceSpec != nil {
		row.ResourceSpec = newColumn(config.ResourceSpec)
	}
}

// agentServers is below which the deployments in the service's cloud have their URLs.
const agentServers = "/agent-servers"

// noAgent answers in their place.
func noAgent(*rest.Call) (rest.Answer, error) {
	return rest.Answer{}, form.Missing("No agent answers here: the dev server runs no containers.")
}

// Response returns the deployment as it appears in responses.
func (s *Service) Response(c *rest.Call, row store.Deployment) (api.Deployment, error) {
	d, err := s.newDeployment(row)
	if err != nil {
		return d, err
	}
	if err := inDialect(c, &d, row); err != nil {
		return d, err
	}
	if d.SourceConfig.ResourceSpec != nil && !s.cfg.EchoResourceSpec {
		full := withDefaults(*d.SourceConfig.ResourceSpec, form.Extended(c.Dialect, api.DerivedFields, api.ExtendedDerivedFields))
		d.SourceConfig.ResourceSpec = &full
	}
	switch {
	case s.cfg.OmitSecrets:
		d.Secrets = []api.Secret{}
	case s.cfg.MaskSecrets:
		for i := range d.Secrets {
			d.Secrets[i].Value = maskedValue
		}
	}
	return d, nil
}

// setByService sets what the service chooses for a new deployment in its cloud.
func (s *Service) setByService(c *rest.Call, d *api.Deployment) {
	if !inCloud(d.Source) {
		return
	}
	base := s.cfg.Address // For fixtures.
	if c.Request != nil {
		base = rest.ClientURL(c.Request)
	}
	if base != "" {
		url := base + agentServers + "/" + d.ID
		d.SourceConfig.CustomURL = &url
	}
	if d.SourceConfig.DeploymentType == nil {
		prod := api.DeploymentTypeProd
		d.SourceConfig.DeploymentType = &prod
	}
	if d.SourceConfig.BuildOnPush == nil && d.Source == api.SourceGitHost {
		d.SourceConfig.BuildOnPush = new(bool)
	}
}
