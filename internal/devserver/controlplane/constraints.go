package controlplane

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// tagPrefix is the prefix of a repo_ref that is a tag.
const tagPrefix = "refs/tags/"

// fieldConstraint says to which sources a field applies.
type fieldConstraint struct {
	field   string
	sources []api.Source
}

// fieldConstraints lists the fields that don't apply to every source. custom_url is not among them: for git_host, the
// service sets it, and a patch may send it unchanged.
var fieldConstraints = []fieldConstraint{
	{"source_config.integration_id", []api.Source{api.SourceGitHost}},
	{"source_config.repo_url", []api.Source{api.SourceGitHost}},
	{"source_config.deployment_type", []api.Source{
		api.SourceGitHost, api.SourceInternalContainer, api.SourceInternalSource, api.SourceInternalTemplate,
	}},
	{"source_config.build_on_push", []api.Source{api.SourceGitHost}},
	{"source_config.resource_spec", []api.Source{api.SourceExternalContainer}},
	{"source_config.listener_id", []api.Source{api.SourceExternalContainer}},
	{"source_config.listener_config", []api.Source{api.SourceExternalContainer}},
	{"source_config.install_command", []api.Source{api.SourceGitHost, api.SourceInternalSource}},
	{"source_config.build_command", []api.Source{api.SourceGitHost, api.SourceInternalSource}},
	{"source_config.template_id", []api.Source{api.SourceInternalTemplate}},
	{"source_revision_config.repo_ref", []api.Source{api.SourceGitHost}},
	{"source_revision_config.graph_config_path", []api.Source{api.SourceGitHost, api.SourceInternalSource}},
	{"source_revision_config.image_uri", []api.Source{api.SourceExternalContainer, api.SourceInternalContainer}},
	{"source_revision_config.source_tarball_path", []api.Source{api.SourceInternalSource}},
}

// requiredFields lists the fields that a deployment of each source requires.
var requiredFields = map[api.Source][]string{
	api.SourceGitHost: {
		"source_config.integration_id", "source_config.repo_url",
		"source_revision_config.repo_ref", "source_revision_config.graph_config_path",
	},
	api.SourceExternalContainer: {"source_revision_config.image_uri"},
	api.SourceInternalTemplate:  {"source_config.template_id"},
}

// inCloud reports whether the service itself runs the deployments of a source.
func inCloud(source api.Source) bool { return source != api.SourceExternalContainer }

// immutableFields can't be changed once the deployment exists.
var immutableFields = []string{
	"name", "source",
	"source_config.integration_id", "source_config.repo_url", "source_config.deployment_type",
	"source_config.listener_id", "source_config.listener_config.k8s_namespace", "source_config.template_id",
}

// checkSource refuses fields that apply to other sources.
func checkSource(
	dialect *api.Dialect, source api.Source, config api.SourceConfigRequest, revisionConfig api.SourceRevisionConfigRequest,
) error {
	sent := merge(api.Deployment{}, config, revisionConfig)
	if listener, is := config.ListenerConfig.Get(); is {
		sent.SourceConfig.ListenerConfig = &listener // Even an empty one does not apply.
	}
	known := form.Extended(dialect, api.Sources, api.ExtendedSources)
	for _, rule := range fieldConstraints {
		if slices.Contains(rule.sources, source) || fieldOf(sent, rule.field) == nil {
			continue
		}
		taking := slices.DeleteFunc(slices.Clone(rule.sources), func(s api.Source) bool { return !slices.Contains(known, s) })
		return form.Broken("Source configuration error: '%s' applies to source '%s' only, not to '%s'.",
			form.Term(rule.field), form.Term(strings.Join(form.Texts(taking), "', '")), source)
	}
	return nil
}

// checkImmutable refuses changes; sending the current value is allowed.
func checkImmutable(current, wanted api.Deployment) error {
	fields := immutableFields
	if current.Source == api.SourceGitHost {
		fields = append(slices.Clone(fields), "source_config.custom_url")
	}
	for _, name := range fields {
		if before, after := fieldOf(current, name), fieldOf(wanted, name); before != after {
			return form.Broken("'%s' can't be changed after creation: it is %s and the request says %s. "+
				"Create another deployment instead.", form.Term(name), quoted(before), quoted(after))
		}
	}
	return nil
}

func quoted(value any) any {
	switch v := value.(type) {
	case nil:
		return "null"
	case api.Source:
		return form.Term("'" + v + "'")
	}
	return fmt.Sprintf("'%v'", value)
}

// fieldOf returns a field of a deployment by its dotted JSON name; nil if it, or one of its parents, is null.
func fieldOf(d api.Deployment, name string) any {
	v := reflect.ValueOf(d)
	for key := range strings.SplitSeq(name, ".") {
		v = memberOf(v, key)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil
			}
			v = v.Elem()
		}
	}
	return v.Interface()
}

func memberOf(v reflect.Value, key string) reflect.Value {
	for i := range v.NumField() {
		if form.WireField(v.Type().Field(i)).Name == key {
			return v.Field(i)
		}
	}
	panic(fmt.Sprintf("%s has no field %q", v.Type(), key))
}

// checkConstraints checks rules that depend on the deployment alone.
func checkConstraints(d api.Deployment) error {
	for _, name := range requiredFields[d.Source] {
		if value := fieldOf(d, name); value == nil || value == "" {
			return form.Broken("Source configuration error: '%s' is required for source '%s'.", form.Term(name), d.Source)
		}
	}
	config, ref := d.SourceConfig, d.SourceRevisionConfig.RepoRef
	if ref != nil && strings.HasPrefix(*ref, tagPrefix) && config.BuildOnPush != nil && *config.BuildOnPush {
		return form.Broken("Source configuration error: 'source_config.build_on_push' must be false "+
			"when 'source_revision_config.repo_ref' is a tag ('%s').", *ref)
	}
	if name, twice := firstDuplicate(d.Secrets, func(s api.Secret) string { return s.Name }); twice {
		return form.Broken("'secrets' has the name '%s' more than once.", name)
	}
	if config.ListenerConfig != nil && config.ListenerConfig.K8sNamespace != nil && config.ListenerID == nil {
		return form.Broken("Source configuration error: 'source_config.listener_config.k8s_namespace' needs " +
			"'source_config.listener_id' with a listener of compute type 'k8s'.")
	}
	if config.ResourceSpec != nil {
		return checkResourceSpec(*config.ResourceSpec)
	}
	return nil
}

func firstDuplicate[T any](list []T, name func(T) string) (string, bool) {
	seen := make(map[string]bool, len(list))
	for _, element := range list {
		n := name(element)
		if seen[n] {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}

// checkReferences checks what a new deployment refers to. A patch can't change any of it, so existing deployments are
// unaffected when the workspace gets its first listener.
func checkReferences(c *rest.Call, d api.Deployment) error {
	if id := d.SourceConfig.IntegrationID; id != nil {
		_, err := c.Tx.Integration(c.WorkspaceID, *id)
		if errors.Is(err, store.ErrNotFound) {
			return form.Broken("Source configuration error: 'source_config.integration_id' %s not found. "+
				"GET /v1/integrations/git_host/install lists the integrations.", *id)
		}
		if err != nil {
			return err
		}
		if err := checkRepository(c, *id, d.SourceConfig.RepoURL); err != nil {
			return err
		}
	}
	if d.Source != api.SourceExternalContainer {
		return nil
	}
	if id := d.SourceConfig.ListenerID; id != nil {
		return checkListener(c, *id, d.SourceConfig.ListenerConfig)
	}
	return checkNoListenerNeeded(c)
}

func checkRepository(c *rest.Call, integrationID string, url *string) error {
	if url == nil {
		return nil
	}
	accessible, err := c.Tx.HasRepository(c.WorkspaceID, integrationID, sameRepo(*url))
	if err != nil || accessible {
		return err
	}
	return form.Broken("Source configuration error: 'source_config.repo_url' '%s' is not a repository of integration %s. "+
		"GET /v1/integrations/git_host/%[2]s/repos lists them.", *url, integrationID)
}

func checkNoListenerNeeded(c *rest.Call) error {
	listeners, err := c.Tx.Listeners(c.WorkspaceID, store.Page{Limit: 100})
	if err != nil || len(listeners) == 0 {
		return err
	}
	return form.Broken("Source configuration error: 'source_config.listener_id' is required for workspace with "+
		"available listener IDs: %s", list(form.Collect(listeners, func(l store.Listener) string { return l.ID })))
}

func checkListener(c *rest.Call, id string, config *api.ListenerConfig) error {
	listener, err := c.Tx.Listener(c.WorkspaceID, id)
	if errors.Is(err, store.ErrNotFound) {
		return form.Broken("Source configuration error: 'source_config.listener_id' %s not found. "+
			"GET /v2/listeners lists the listeners.", id)
	}
	if err != nil {
		return err
	}
	const field = "source_config.listener_config.k8s_namespace"
	switch {
	case listener.ComputeType != string(api.ComputeTypeK8s) && config != nil && config.K8sNamespace != nil:
		return form.Broken("Source configuration error: '%s' applies to listeners of compute type '%s' only, but listener %s is of "+
			"compute type '%s'.", field, api.ComputeTypeK8s, id, listener.ComputeType)
	case listener.K8sNamespaces == nil:
		return nil
	case config == nil || config.K8sNamespace == nil:
		return form.Broken("Source configuration error: '%s' is required for listener %s: use one of %s.",
			field, id, list(listener.K8sNamespaces))
	case !slices.Contains(listener.K8sNamespaces, *config.K8sNamespace):
		return form.Broken("Source configuration error: '%s' '%s' is not a namespace of listener %s: use one of %s.",
			field, *config.K8sNamespace, id, list(listener.K8sNamespaces))
	}
	return nil
}

// list formats values as the service does: ['a', 'b'].
func list(values []string) string {
	quoted := form.Collect(values, func(v string) string { return "'" + v + "'" })
	return "[" + strings.Join(quoted, ", ") + "]"
}
