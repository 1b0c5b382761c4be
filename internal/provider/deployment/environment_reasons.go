package deployment

import (
	"crypto/hmac"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

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
