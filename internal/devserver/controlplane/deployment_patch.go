package controlplane

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

func (s *Service) patchDeployment(c *rest.Call, row store.Deployment, request api.DeploymentPatchRequest) (rest.Answer, error) {
	row, err := s.change(c, row, request, false)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.respond(c, row)
}

// change applies a patch; with always, it makes a revision even if nothing in the patch requires one.
func (s *Service) change(c *rest.Call, row store.Deployment, request api.DeploymentPatchRequest, always bool) (store.Deployment, error) {
	if going(row) {
		return row, form.Broken("Deployment ID %s is being deleted and can't be changed.", row.ID)
	}
	if secrets, sent := request.Secrets.Get(); sent && len(secrets) == 0 && c.Dialect.KeepsLastSecret {
		request.Secrets = api.Optional[[]api.Secret]{}
	}
	current, err := s.newDeployment(row)
	if err != nil {
		return row, err
	}
	if source, sent := request.RevisionSource.Get(); sent && source != current.Source {
		return row, form.Broken("'revision_source' must be '%s', the source of deployment ID %s: the dev server makes no revision from another one.",
			current.Source, row.ID)
	}
	current.SourceRevisionConfig = trackedConfig(row)
	wanted, err := patched(current, request, c.Dialect)
	if err != nil {
		return row, err
	}
	row.UpdatedAt = c.Now
	s.fill(&row, wanted)
	if config, _ := request.SourceRevisionConfig.Get(); config.RepoRef.Value != nil {
		row.TrackedRepoRef = nil // The new revision's.
	}
	api.Keep(&row.TrackedRepoRef, request.TrackedRepoRef)
	if tier, sent := request.DeploymentTier.Get(); sent {
		setTier(&row, tier)
	}
	if err := c.Tx.UpdateDeployment(row); err != nil {
		return row, err
	}
	if always && !buildable(wanted) {
		return row, form.Broken("Deployment ID %s has no source to make a revision from: set 'source_revision_config'.", row.ID)
	}
	if always || makesRevision(request, c.Dialect) && buildable(wanted) {
		if err := s.insertRevision(c, row, wanted.SourceRevisionConfig); err != nil {
			return row, err
		}
	}
	return c.Tx.Deployment(c.WorkspaceID, row.ID)
}

// patched returns the deployment after a patch, or the reason to refuse the patch.
func patched(
	current api.Deployment, request api.DeploymentPatchRequest, dialect *api.Dialect,
) (api.Deployment, error) {
	if err := validatePatch(dialect, request); err != nil {
		return current, err
	}
	config, _ := request.SourceConfig.Get()
	revisionConfig, _ := request.SourceRevisionConfig.Get()
	if err := checkSource(dialect, current.Source, config, revisionConfig); err != nil {
		return current, err
	}
	if ref, sent := request.TrackedRepoRef.Get(); sent {
		if current.Source != api.SourceGitHost {
			return current, form.Broken("'tracked_repo_ref' applies to source '%s' only, not to '%s'.", api.SourceGitHost, current.Source)
		}
		tracking := current
		tracking.SourceRevisionConfig.RepoRef = &ref
		api.Keep(&tracking.SourceConfig.BuildOnPush, config.BuildOnPush)
		if err := checkNewRef(current, tracking); err != nil {
			return current, err
		}
		if err := checkConstraints(tracking); err != nil {
			return current, err
		}
	}
	wanted := merge(current, config, revisionConfig)
	api.Set(&wanted.Name, request.Name)
	api.Set(&wanted.Source, request.Source)
	api.Set(&wanted.Secrets, request.Secrets)
	api.Keep(&wanted.DisplayName, request.DisplayName)
	api.Set(&wanted.SecretReferences, request.SecretReferences)
	api.Keep(&wanted.RouteThroughGateway, request.RouteThroughGateway)
	api.Set(&wanted.SourceRevisionConfig.TrackedPackages, request.TrackedPackages)
	if err := checkImmutable(current, wanted); err != nil {
		return current, err
	}
	if err := checkConstraints(wanted); err != nil {
		return current, err
	}
	if err := checkNewRef(current, wanted); err != nil {
		return current, err
	}
	return wanted, checkVariables(dialect, wanted)
}

// merge applies the non-null fields of a request to a deployment; absent and null fields keep the current value.
func merge(
	d api.Deployment, config api.SourceConfigRequest, revisionConfig api.SourceRevisionConfigRequest,
) api.Deployment {
	c := &d.SourceConfig
	api.Keep(&c.IntegrationID, asText(config.IntegrationID))
	api.Keep(&c.RepoURL, config.RepoURL)
	api.Keep(&c.DeploymentType, config.DeploymentType)
	api.Keep(&c.BuildOnPush, config.BuildOnPush)
	api.Keep(&c.CustomURL, config.CustomURL)
	if spec, sent := config.ResourceSpec.Get(); sent {
		spec = spec.Rounded()
		c.ResourceSpec = &spec
	}
	api.Keep(&c.ListenerID, asText(config.ListenerID))
	api.Keep(&c.InstallCommand, config.InstallCommand)
	api.Keep(&c.BuildCommand, config.BuildCommand)
	api.Keep(&c.TemplateID, config.TemplateID)
	if listenerConfig, sent := config.ListenerConfig.Get(); sent && listenerConfig.K8sNamespace != nil {
		c.ListenerConfig = &listenerConfig
	}
	r := &d.SourceRevisionConfig
	api.Keep(&r.RepoRef, revisionConfig.RepoRef)
	api.Keep(&r.GraphConfigPath, revisionConfig.GraphConfigPath)
	api.Keep(&r.ImageURI, revisionConfig.ImageURI)
	api.Keep(&r.SourceTarballPath, revisionConfig.SourceTarballPath)
	return d
}

// trackedConfig is what a new revision is made of if no request says otherwise.
func trackedConfig(row store.Deployment) api.SourceRevisionConfig {
	config := newDeploymentConfig(row)
	if row.TrackedRepoRef != nil {
		config.RepoRef = row.TrackedRepoRef
	}
	config.TrackedPackages = nil
	_ = readColumn(row.TrackedPackages, &config.TrackedPackages)
	return config
}

func asText(id api.Optional[api.UUID]) api.Optional[string] {
	return api.FromPtr((*string)(id.Value))
}

// makesRevision lists the fields that make a revision when they are sent, changed or not.
func makesRevision(request api.DeploymentPatchRequest, dialect *api.Dialect) bool {
	config, _ := request.SourceConfig.Get()
	revisionConfig, _ := request.SourceRevisionConfig.Get()
	if dialect.CommandsMakeRevision && (config.InstallCommand.Value != nil || config.BuildCommand.Value != nil) {
		return true
	}
	return request.Secrets.Value != nil ||
		request.SecretReferences.Value != nil ||
		config.ResourceSpec.Value != nil ||
		revisionConfig.RepoRef.Value != nil ||
		revisionConfig.GraphConfigPath.Value != nil ||
		revisionConfig.ImageURI.Value != nil ||
		revisionConfig.SourceTarballPath.Value != nil
}
