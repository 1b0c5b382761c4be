package deployment

import (
	"context"
	"crypto/hmac"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// reasons are the changes that make a new revision. A known list must not differ when Terraform plans again during the apply, so it is
// a function of the state, the private state and the configuration.
type reasons struct {
	// changes are paths of attributes and map keys, and the words below, but never values.
	changes []string
	// undecided says that there may be other changes: a value is still unknown, or the service decides.
	undecided bool
}

// The reasons that aren't a changed attribute.
const (
	reasonCreated = "created"
	reasonFailed  = "failed rollout"
)

func (r reasons) any() bool { return len(r.changes) > 0 || r.undecided }

// add adds the attribute at a path, which has a new value.
func (r *reasons) add(at path.Path, value attr.Value) {
	if object, is := value.(types.Object); value.IsUnknown() || is && !known(object) {
		r.undecided = true
		return
	}
	r.changes = append(r.changes, at.String())
}

// addKey adds a key that a map gets or loses.
func (r *reasons) addKey(attribute, key string) {
	r.add(path.Root(attribute).AtMapKey(key), types.StringNull())
}

// addMap adds the keys in which two maps differ, or the whole attribute if no key tells the difference.
func (r *reasons) addMap(attribute string, planned, state types.Map) {
	if planned.IsUnknown() || planned.Equal(state) {
		r.undecided = r.undecided || planned.IsUnknown()
		return
	}
	wanted, has := planned.Elements(), state.Elements()
	for key, value := range wanted {
		switch before, there := has[key]; {
		case !there:
			r.addKey(attribute, key)
		case !value.Equal(before):
			r.add(path.Root(attribute).AtMapKey(key), value)
		}
	}
	for key := range has {
		if _, stays := wanted[key]; !stays {
			r.addKey(attribute, key)
		}
	}
	if !r.any() {
		r.add(path.Root(attribute), planned)
	}
}

// object is the attribute revision_reasons for a revision that follows another one.
func (r reasons) object(previous types.String) types.Object {
	return types.ObjectValueMust(attributeTypes("revision_reasons"), map[string]attr.Value{
		"previous_revision_id": previous, "changes": nameSet(slices.Values(r.changes)),
	})
}

// reasons are those of the whole change. Values of secrets_wo count only alone: ephemeral ones may differ when the
// plan is applied, and must not change the reasons then.
func (c change) reasons() reasons {
	all := reasons{undecided: c.unknownConfig || c.unknownRevision}
	for _, setting := range []struct {
		attribute, name string
		value           types.String
		revision        bool
	}{
		{"source_revision_config", "repo_ref", c.sourceRevisionConfig.RepoRef, true},
		{"source_revision_config", "graph_config_path", c.sourceRevisionConfig.GraphConfigPath, true},
		{"source_revision_config", "image_uri", c.sourceRevisionConfig.ImageURI, true},
		{"source_revision_config", "source_tarball_path", c.sourceRevisionConfig.SourceTarballPath, true},
		{"source_config", "install_command", c.sourceConfig.InstallCommand, c.commands},
		{"source_config", "build_command", c.sourceConfig.BuildCommand, c.commands},
	} {
		if setting.revision && !setting.value.IsNull() {
			all.add(path.Root(setting.attribute).AtName(setting.name), setting.value)
		}
	}
	for _, part := range []reasons{c.environment, c.references, c.resourceSpec, c.again} {
		all = reasons{append(all.changes, part.changes...), all.undecided || part.undecided}
	}
	if !all.any() {
		return c.secretValues
	}
	return all
}

// reasonsAfter returns revision_reasons after a change of m, once all of it is known.
func (m model) reasonsAfter(c change) types.Object {
	if r := c.reasons(); r.any() {
		return r.object(m.LatestRevisionID)
	}
	return m.RevisionReasons
}

// plannedReasons returns revision_reasons as a plan knows them. Without its configuration, the provider doesn't know the dialect.
func (r *deploymentResource) plannedReasons(state model, c change) types.Object {
	if because := c.reasons(); because.undecided || r.Client == nil && because.any() {
		return types.ObjectUnknown(attributeTypes("revision_reasons"))
	}
	return state.reasonsAfter(c)
}

// againReasons are those for a new revision of what is already deployed. Setting triggers for the first time only records them, as
// after an import.
func againReasons(planned, state model) reasons {
	var again reasons
	if rollout.Failed(api.RevisionStatus(state.LatestRevisionStatus.ValueString())) {
		again.changes = []string{reasonFailed}
	}
	if !planned.Triggers.IsNull() && !state.Triggers.IsNull() {
		again.addMap("triggers", planned.Triggers, state.Triggers)
	}
	return again
}

// environmentReasons say how the managed environment differs, or may differ, from what the service holds. values are those variables
// of secrets_wo that have another value. Between two versions, only their difference counts as a change of these values.
func environmentReasons(planned, state model, prints fingerprints) (environment, values reasons) {
	if !planned.managesEnvironment() {
		return environment, values
	}
	versioned := !planned.SecretsWOVersion.IsNull() && !state.SecretsWOVersion.IsNull()
	if versioned && !planned.SecretsWOVersion.Equal(state.SecretsWOVersion) {
		environment.add(path.Root("secrets_wo_version"), planned.SecretsWOVersion)
	}
	for attribute, variables := range planned.variableMaps() {
		differing := &environment
		if attribute == "secrets_wo" {
			differing = &values
		}
		for name, element := range variables.Elements() {
			value, _ := element.(types.String)
			mac, there := prints.MACs[name]
			switch {
			case !there:
				environment.addKey(attribute, name)
			case attribute == "secrets_wo" && versioned:
			case value.IsUnknown() || !hmac.Equal([]byte(mac), []byte(prints.mac(name, value.ValueString()))):
				differing.add(path.Root(attribute).AtMapKey(name), value)
			}
		}
	}
	environment.addRemoved(planned, state, prints)
	if prints.MACs == nil && !environment.any() { // Nothing is known about the environment that it replaces.
		environment.add(path.Root("environment_names"), planned.EnvironmentNames)
	}
	return environment, values
}

// addRemoved adds the variables that the service has and that don't stay.
func (r *reasons) addRemoved(planned, state model, prints fingerprints) {
	variables, known := planned.variables()
	r.undecided = r.undecided || !known
	for name := range prints.MACs {
		_, stays := variables[name]
		ours, ownership := slices.Contains(prints.Declared, name), planned.EnvironmentOwnership
		switch {
		case stays:
		case !ours && ownership.IsUnknown():
			r.undecided = true
		case ours || ownership.ValueString() != ownershipDeclared:
			r.addKey(state.variableMap(name, ours), name)
		}
	}
}

// variableMap returns the attribute that a variable was in before. ours says whether the resource has set it.
func (m model) variableMap(name string, ours bool) string {
	for _, attribute := range []string{"environment", "secrets"} {
		if _, in := m.variableMaps()[attribute].Elements()[name]; in {
			return attribute
		}
	}
	if ours {
		return "secrets_wo"
	}
	return "environment_names"
}

// referencesReasons say how the managed references differ from what the service has. current is what it reports, for a state without
// references; then the service decides.
func referencesReasons(ctx context.Context, planned, state types.Map, current []api.SecretReference) (reasons, diag.Diagnostics) {
	var references reasons
	var diags diag.Diagnostics
	if planned.IsNull() {
		return references, nil
	}
	looksUp := state.IsNull()
	if looksUp && current != nil {
		state, diags = allSecretReferences(ctx, current)
	}
	references.addMap("secret_references", planned, state)
	references.undecided = references.undecided || looksUp && references.any()
	return references, diags
}
