package deployment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// sourceRule lists the sources for which an attribute is allowed, and those that require it.
type sourceRule struct {
	attribute         string
	sources, required []api.Source
	value             attr.Value
}

// The sources, grouped by what their deployments are made of.
var (
	repositories = []api.Source{api.SourceGitHost}
	ownImages    = []api.Source{api.SourceExternalContainer}
	images       = []api.Source{api.SourceExternalContainer, api.SourceInternalContainer}
	archives     = []api.Source{api.SourceInternalSource}
	built        = slices.Concat(repositories, archives)
	templates    = []api.Source{api.SourceInternalTemplate}
	// inCloud are the sources that the service itself runs.
	inCloud = []api.Source{
		api.SourceGitHost, api.SourceInternalContainer, api.SourceInternalSource, api.SourceInternalTemplate,
	}
)

func (c sourceConfigModel) bySource() []sourceRule {
	return []sourceRule{
		{"integration_id", repositories, repositories, c.IntegrationID},
		{"repo_url", repositories, repositories, c.RepoURL},
		{"deployment_type", inCloud, nil, c.DeploymentType},
		{"build_on_push", repositories, nil, c.BuildOnPush},
		{"resource_spec", ownImages, nil, c.ResourceSpec},
		{"listener_id", ownImages, nil, c.ListenerID},
		{"listener_config", ownImages, nil, c.ListenerConfig},
		{"template_id", templates, templates, c.TemplateID},
	}
}

func (c sourceRevisionConfigModel) bySource() []sourceRule {
	return []sourceRule{
		{"repo_ref", repositories, repositories, c.RepoRef},
		{"graph_config_path", built, repositories, c.GraphConfigPath},
		{"image_uri", images, images, c.ImageURI},
		{"source_tarball_path", archives, archives, c.SourceTarballPath},
	}
}

// takes reports whether a setting applies to deployments of the source.
func takes(rules []sourceRule, attribute string, source api.Source) bool {
	i := slices.IndexFunc(rules, func(rule sourceRule) bool { return rule.attribute == attribute })
	return i < 0 || slices.Contains(rules[i].sources, source)
}

// either lists the possible sources.
func either(sources []api.Source) string {
	quoted := make([]string, len(sources))
	for i, source := range sources {
		quoted[i] = fmt.Sprintf("%q", source)
	}
	return strings.Join(quoted, " or ")
}

// uploaded reports whether the code of the deployment is uploaded after its creation.
func uploaded(source types.String) bool {
	return slices.Contains([]api.Source{api.SourceInternalContainer, api.SourceInternalSource}, api.Source(source.ValueString()))
}
