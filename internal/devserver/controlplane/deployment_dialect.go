package controlplane

import (
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// inDialect converts a response to the dialect: it hides what the dialect doesn't report, replaces requested values by what
// was built, and adds fields that only the dialect has.
func inDialect(c *rest.Call, d *api.Deployment, row store.Deployment) error {
	dialect, config := c.Dialect, &d.SourceConfig
	if dialect.HidesSettings {
		config.ListenerConfig, config.InstallCommand, config.BuildCommand = nil, nil, nil
	}
	if dialect.EchoesDefaults && d.Source == api.SourceExternalContainer {
		config.DeploymentType, config.BuildOnPush = new(api.DeploymentTypeProd), new(bool)
	}
	if built := &d.SourceRevisionConfig; dialect.ResolvesRepoRef && d.Source == api.SourceGitHost && built.RepoRef != nil {
		if tracked := trackedConfig(row).RepoRef; !strings.HasPrefix(*tracked, tagPrefix) {
			config.RepoBranch = tracked
		}
		if built.RepoCommitSHA != nil {
			built.RepoRef = built.RepoCommitSHA
		}
		if slices.Contains(afterBuild, api.RevisionStatus(row.Latest.Status)) {
			image := "registry.agents.localhost/" + d.ID + ":" + row.Latest.ID
			built.ImageURI = &image
		}
	}
	if !dialect.LangSmithAPI {
		return nil
	}
	d.TenantID = &row.WorkspaceID
	if d.SecretReferences == nil {
		d.SecretReferences = []api.SecretReference{}
	}
	if inCloud(d.Source) && d.ActiveRevisionID != nil {
		d.URL = config.CustomURL
	}
	project, err := c.Tx.ProjectNamed(c.WorkspaceID, d.Name)
	store.Missing(&err) // It was deleted.
	d.TracerSessionID = api.NonEmpty(project.ID)
	return err
}

// afterBuild are the states in which the revision has an image.
var afterBuild = []api.RevisionStatus{
	api.RevisionAwaitingDeploy, api.RevisionDeploying, api.RevisionDeployed, api.RevisionDeployFailed,
}
