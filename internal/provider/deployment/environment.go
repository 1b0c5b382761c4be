package deployment

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// variableMaps returns the three maps by attribute. The write-only one must have been copied from the configuration.
func (m model) variableMaps() map[string]types.Map {
	return map[string]types.Map{"environment": m.Environment, "secrets": m.Secrets, "secrets_wo": m.SecretsWO}
}

// managesEnvironment reports whether any of the maps is configured. Otherwise the environment is never sent.
func (m model) managesEnvironment() bool {
	return !m.Environment.IsNull() || !m.Secrets.IsNull() || !m.SecretsWO.IsNull()
}

// variables merges the maps; values may be unknown. Maps that are unknown as a whole are left out, and known is then false.
func (m model) variables() (merged map[string]types.String, known bool) {
	merged, known = map[string]types.String{}, true
	for _, part := range m.variableMaps() {
		known = known && !part.IsUnknown()
		for name, element := range part.Elements() {
			if value, ok := element.(types.String); ok {
				merged[name] = value
			}
		}
	}
	return merged, known
}

// variableNames returns the names of all variables; unknown if a whole map is unknown.
func (m model) variableNames() types.Set {
	merged, known := m.variables()
	if !known {
		return types.SetUnknown(types.StringType)
	}
	return nameSet(maps.Keys(merged))
}

// toSecrets returns the API's list, sorted by name so that equal environments make equal requests. carried are variables
// set elsewhere that must be preserved.
func (m model) toSecrets(carried ...api.Secret) []api.Secret {
	merged, _ := m.variables()
	secrets := slices.Clone(carried)
	for name, value := range merged {
		secrets = append(secrets, api.Secret{Name: name, Value: value.ValueString()})
	}
	slices.SortFunc(secrets, func(a, b api.Secret) int { return strings.Compare(a.Name, b.Name) })
	return append([]api.Secret{}, secrets...) // Never nil: null is refused.
}

// values returns the values of all variables.
func (m model) values() []string {
	var values []string
	for _, secret := range m.toSecrets() {
		values = append(values, secret.Value)
	}
	return values
}

// newVariables updates prior from the service: removed names are dropped, readable values are adopted, hidden ones are
// kept. Null, which means not managed, stays null.
func newVariables(prior types.Map, current []api.Secret) types.Map {
	if prior.IsNull() || prior.IsUnknown() {
		return prior
	}
	elements := map[string]attr.Value{}
	for _, secret := range current {
		known, ours := prior.Elements()[secret.Name]
		switch {
		case !ours:
		case hidden(secret):
			elements[secret.Name] = known
		default:
			elements[secret.Name] = types.StringValue(secret.Value)
		}
	}
	return types.MapValueMust(types.StringType, elements)
}

// hidden reports whether the service hides a value: it omits it, or returns a row of asterisks or bullets. One or two
// characters are a value: a single asterisk often means everything.
func hidden(secret api.Secret) bool {
	const shortestMask = 3
	return secret.ValueOmitted ||
		strings.Trim(secret.Value, "*•") == "" && utf8.RuneCountInString(secret.Value) >= shortestMask
}

// unreadable reports whether sent variables are hidden in what the service has.
func unreadable(sent, current []api.Secret) bool {
	return len(sent) > 0 && (len(current) == 0 || slices.ContainsFunc(current, hidden))
}

// readable returns the variables of a service with the values that were sent in place of those that it hides; if it returns none, those
// that were sent.
func readable(sent, current []api.Secret) []api.Secret {
	if len(current) == 0 {
		return sent
	}
	shown := slices.Clone(current)
	for i, secret := range shown {
		if j := slices.IndexFunc(sent, func(s api.Secret) bool { return s.Name == secret.Name }); hidden(secret) && j >= 0 {
			shown[i].Value = sent[j].Value
		}
	}
	return shown
}

func nameSet(names iter.Seq[string]) types.Set {
	return framework.TextSet(slices.Compact(slices.Sorted(names)))
}

// The API has one list of environment variables, named secrets. The resource has three maps that are merged into it. A
// write that changes any of them sends the whole set.

// carried returns the service's variables that the resource preserves, because it manages only those it declares. prints
// say what it declared before.
func (m model) carried(current []api.Secret, prints fingerprints) ([]api.Secret, diag.Diagnostics) {
	if m.EnvironmentOwnership.ValueString() != ownershipDeclared {
		return nil, nil
	}
	var others []api.Secret
	var unreadable []string
	declared, _ := m.variables()
	for _, secret := range current {
		if _, ours := declared[secret.Name]; ours || prints.declares(secret.Name) {
			continue
		}
		others = append(others, secret)
		if hidden(secret) {
			unreadable = append(unreadable, secret.Name)
		}
	}
	return others, refuseUnreadable(unreadable, prints.Unreported && len(current) == 0)
}

// refuseUnreadable returns an error if a write would lose variables set elsewhere: those whose values can't be read, or
// any at all if the service doesn't report variables.
func refuseUnreadable(names []string, unreported bool) diag.Diagnostics {
	var hides string
	switch {
	case unreported:
		hides = "reports no variables, so variables set elsewhere can't be preserved"
	case len(names) > 0:
		slices.Sort(names)
		hides = "hides the values of " + strings.Join(names, ", ") + ", which this configuration doesn't declare"
	default:
		return nil
	}
	return framework.ErrorAt(path.Root("environment_ownership"), "Variables can't be preserved", "The service replaces the whole environment with "+
		"every change, and it %s. The change would delete them. Declare every variable here and set environment_ownership to %q, which removes "+
		"variables that aren't declared.", hides, ownershipAll)
}

// newEnvironmentNames returns the names that the service has: all of them, or only the declared ones if the resource owns
// no others.
func (m model) newEnvironmentNames(current []api.Secret, prints fingerprints) types.Set {
	onlyDeclared := m.EnvironmentOwnership.ValueString() == ownershipDeclared && len(prints.Declared) > 0
	var names []string
	for _, secret := range current {
		if !onlyDeclared || prints.declares(secret.Name) {
			names = append(names, secret.Name)
		}
	}
	return nameSet(slices.Values(names))
}

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
			_, there := prints.MACs[name]
			switch {
			case !there:
				environment.addKey(attribute, name)
			case attribute == "secrets_wo" && versioned:
			case prints.Differs(name, value):
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
	return framework.WarningAt(at, "Environment variables are kept", "None of environment, secrets and secrets_wo is set, so the environment of "+
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
	return framework.WarningAt(path.Root("environment_ownership"), "Environment variables will be removed", "This apply starts to manage all "+
		"environment variables of deployment %q, because environment_ownership is %q. It removes variables that %s: %s. To keep them, add them to "+
		"the configuration or set environment_ownership to %q.", state.Name.ValueString(), ownershipAll, which, strings.Join(names, ", "),
		ownershipDeclared)
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
