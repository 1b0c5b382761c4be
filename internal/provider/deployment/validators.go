package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Validators of single values. They refuse values that every service refuses, so that the plan can name the attribute.

func nameValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`), "must start with a letter and contain only letters, digits and dashes")
}

func secretKeyValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`),
		"must be a key of a Kubernetes secret: at most 253 letters, digits, dashes, dots and underscores")
}

// environmentNameValidator accepts what every version of Kubernetes accepts; the service accepts anything.
func environmentNameValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^[-._A-Za-z][-._A-Za-z0-9]*$`), "must be the name of an environment variable: letters, digits, "+
		"underscores, dashes and dots, not starting with a digit")
}

// repoRefValidator accepts bare branch names and full tag refs: the service would treat any other refs/… as the name of a
// branch, which is never intended.
func repoRefValidator() validator.String {
	noName := regexp.MustCompile(`^(refs/|/)|[\s~^:?*\[\\]|\.\.|/$|^$`)
	return framework.Check{Wanted: "a bare branch name (main) or a full tag ref (refs/tags/v1.2.3)", Problem: func(value string) error {
		if branch, full := strings.CutPrefix(value, "refs/heads/"); full && branch != "" {
			return fmt.Errorf("specify a branch by its bare name, without refs/heads/: %q", branch)
		}
		if noName.MatchString(strings.TrimPrefix(value, "refs/tags/")) {
			return errors.New("it is not a valid branch or tag name")
		}
		return nil
	}}
}

// sourceValidator accepts the neutral names of sources. Many configurations follow the documentation of a product with its
// own names: for these, the error names the value to write and the dialect to set.
type sourceValidator struct{ validator.String }

func newSourceValidator() validator.String {
	return sourceValidator{framework.OneOf(slices.Concat(api.Sources, api.ExtendedSources)...)}
}

func (v sourceValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !framework.ChecksValues(ctx) {
		return
	}
	for _, dialect := range api.Dialects {
		at := slices.Index(dialect.SourceNames(), req.ConfigValue.ValueString())
		if at < 0 || slices.Contains(api.Neutral.SourceNames(), req.ConfigValue.ValueString()) {
			continue
		}
		resp.Diagnostics.AddAttributeError(req.Path, "Name of another dialect", fmt.Sprintf("%s is %q. In the dialect %q, that is the name "+
			"of %q. Write source = %[4]q, and set dialect = %[3]q in the provider block (AGENTPLANE_DIALECT).",
			req.Path, req.ConfigValue.ValueString(), dialect.Name, api.Neutral.SourceNames()[at]))
		return
	}
	v.String.ValidateString(ctx, req, resp)
}

// scpForm is how git writes addresses for SSH: user@host:path.
var scpForm = regexp.MustCompile(`^([A-Za-z0-9._-]+@[A-Za-z0-9.-]+:|[A-Za-z0-9.-]+:[^/\s])[^\s]+$`)

// repoURLValidator accepts the network URLs that git can clone, as the service does. A password or a token would be shown
// in plans, and the integration provides access anyway.
func repoURLValidator() validator.String {
	return framework.Check{
		Wanted: "the URL of a repository, such as https://git.example.com/acme/agent or git@git.example.com:acme/agent.git",
		Secret: true,
		Problem: func(value string) error {
			if !strings.Contains(value, "://") {
				if !scpForm.MatchString(value) {
					return errors.New("it starts neither with https:// nor with a user and a host")
				}
				return nil
			}
			u, err := url.Parse(value)
			if err != nil {
				return errors.New("it can't be parsed")
			}
			_, password := u.User.Password()
			switch {
			case u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "ssh" || u.Host == "":
				return errors.New("it doesn't start with https:// or ssh:// and a host")
			case password, u.Scheme != "ssh" && u.User != nil:
				return errors.New("it contains credentials; remove them: the integration provides access")
			case strings.Trim(u.Path, "/") == "":
				return errors.New("it has no path, so it names no repository")
			}
			return nil
		},
	}
}

// sourceRule lists the sources for which an attribute is allowed, and those that require it.
type sourceRule struct {
	at                path.Path
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

// bySource returns the rules for the attributes of a configuration, without those of objects that aren't known.
func (m model) bySource() []sourceRule {
	rules := []sourceRule{{path.Root("secret_references"), ownImages, nil, m.SecretReferences}}
	if at, c := path.Root("source_config"), m.sourceConfig(); !m.SourceConfig.IsNull() && !m.SourceConfig.IsUnknown() {
		rules = append(rules, []sourceRule{
			{at.AtName("integration_id"), repositories, repositories, c.IntegrationID},
			{at.AtName("repo_url"), repositories, repositories, c.RepoURL},
			{at.AtName("deployment_type"), inCloud, nil, c.DeploymentType},
			{at.AtName("build_on_push"), repositories, nil, c.BuildOnPush},
			{at.AtName("resource_spec"), ownImages, nil, c.ResourceSpec},
			{at.AtName("listener_id"), ownImages, nil, c.ListenerID},
			{at.AtName("listener_config"), ownImages, nil, c.ListenerConfig},
			{at.AtName("template_id"), templates, templates, c.TemplateID},
		}...)
	}
	if at, c := path.Root("source_revision_config"), m.sourceRevisionConfig(); !m.SourceRevisionConfig.IsNull() && !m.SourceRevisionConfig.IsUnknown() {
		rules = append(rules, []sourceRule{
			{at.AtName("repo_ref"), repositories, repositories, c.RepoRef},
			{at.AtName("graph_config_path"), built, repositories, c.GraphConfigPath},
			{at.AtName("image_uri"), images, images, c.ImageURI},
			{at.AtName("source_tarball_path"), archives, archives, c.SourceTarballPath},
		}...)
	}
	return rules
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
