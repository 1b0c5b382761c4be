package deployment

import (
	"crypto/hmac"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// environmentReasons returns how the managed environment differs, or may differ, from that of the service. values are the variables of
// secrets_wo that have another value. Between two versions, only their difference counts as a change of these values.
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
		ours, ownership := prints.declares(name), planned.EnvironmentOwnership
		switch {
		case stays:
		case !ours && ownership.IsUnknown():
			r.undecided = true
		case ours || ownership.ValueString() != ownershipDeclared:
			r.addKey(state.variableMap(name, ours), name)
		}
	}
}

// variableMap returns the attribute that a variable was in before. ours is true if the resource has set it.
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

// A plan doesn't show, or doesn't fully show, what happens to variables that the configuration doesn't name: it warns
// instead.

// releases reports whether planned stops managing an environment that the resource has managed so far. The service then keeps
// the variables.
func (m model) releases(state model, prints fingerprints) bool {
	return !m.managesEnvironment() && (state.managesEnvironment() || len(prints.Declared) > 0)
}

// warnOfReleased names the variables that stay when the environment is no longer managed, and how to remove them.
func warnOfReleased(dialect *api.Dialect, planned, state model, prints fingerprints) diag.Diagnostics {
	names := prints.names(prints.declares)
	if len(names) == 0 || !planned.releases(state, prints) {
		return nil
	}
	at := path.Root("secrets_wo")
	switch {
	case !state.Environment.IsNull():
		at = path.Root("environment")
	case !state.Secrets.IsNull():
		at = path.Root("secrets")
	}
	remedy := "set environment = {} and apply that first."
	if dialect.KeepsLastSecret {
		remedy = "set environment = { UNUSED = \"1\" } and apply that first: the service always keeps at least one " +
			"variable."
	}
	return warningAt(at, "Environment variables are kept", "None of environment, secrets and secrets_wo is set, so the environment of "+
		"deployment %q is no longer managed. The service keeps these variables: %s. To remove them, %s", state.Name.ValueString(),
		strings.Join(names, ", "), remedy)
}

// warnOfRemoved names the variables set elsewhere that are removed because the resource starts to own the environment.
// Drift needs no warning: the plan shows it in environment_names.
func warnOfRemoved(planned, state model, prints fingerprints) diag.Diagnostics {
	adopts := !state.managesEnvironment() && len(prints.Declared) == 0 || state.EnvironmentOwnership.ValueString() == ownershipDeclared
	if !adopts || !planned.managesEnvironment() || planned.EnvironmentOwnership.ValueString() != ownershipAll {
		return nil
	}
	variables, known := planned.variables()
	names := prints.names(func(name string) bool {
		_, stays := variables[name]
		return !stays && !prints.declares(name)
	})
	if len(names) == 0 {
		return nil
	}
	which := "the configuration doesn't set"
	if !known {
		which = "the configuration, which is partly unknown until apply, may not set"
	}
	return warningAt(path.Root("environment_ownership"), "Environment variables will be removed", "This apply starts to manage all "+
		"environment variables of deployment %q, because environment_ownership is %q. It removes variables that %s: %s. To keep them, add "+
		"them to the configuration or set environment_ownership to %q.", state.Name.ValueString(), ownershipAll, which,
		strings.Join(names, ", "), ownershipDeclared)
}

// releasedNames returns the environment_names once the environment is no longer managed. They are unknown if nothing else
// in the plan changes: without an update, the resource could not record the release.
func (m model) releasedNames(state model, prints fingerprints) types.Set {
	switch {
	case !state.managesEnvironment() && state.SecretsWOVersion.IsNull():
		return types.SetUnknown(types.StringType)
	case prints.Unreported || prints.MACs == nil:
		return m.EnvironmentNames
	}
	return nameSet(maps.Keys(prints.MACs))
}

// namesAfter returns the environment_names after an apply that doesn't change the environment.
func (m model) namesAfter(prints fingerprints) types.Set {
	if m.managesEnvironment() {
		return m.EnvironmentNames
	}
	return framework.PlannedOr(m.EnvironmentNames, nameSet(maps.Keys(prints.MACs)))
}
