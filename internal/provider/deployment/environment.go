package deployment

import (
	"fmt"
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
)

// The API holds one list of environment variables and calls it secrets. The resource offers three maps that are merged
// into it; a write that changes any of them sends the whole set.

// variableMaps are the three maps by attribute. The write-only one must have been taken from the configuration.
func (m model) variableMaps() map[string]types.Map {
	return map[string]types.Map{"environment": m.Environment, "secrets": m.Secrets, "secrets_wo": m.SecretsWO}
}

// managesEnvironment says whether any of the maps is configured. If none is, the environment is never sent.
func (m model) managesEnvironment() bool {
	return !m.Environment.IsNull() || !m.Secrets.IsNull() || !m.SecretsWO.IsNull()
}

// variables merges the maps; values may be unknown. Nothing of a map that is not known as a whole is in it, and known is
// false then.
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

// variableNames are the names of all variables, unknown when a whole map is.
func (m model) variableNames() types.Set {
	merged, known := m.variables()
	if !known {
		return types.SetUnknown(types.StringType)
	}
	return nameSet(maps.Keys(merged))
}

// toSecrets is the API's list, ordered by name so that equal environments make equal requests. carried are variables
// that are not the resource's own.
func (m model) toSecrets(carried ...api.Secret) []api.Secret {
	merged, _ := m.variables()
	secrets := slices.Clone(carried)
	for name, value := range merged {
		secrets = append(secrets, api.Secret{Name: name, Value: value.ValueString()})
	}
	slices.SortFunc(secrets, func(a, b api.Secret) int { return strings.Compare(a.Name, b.Name) })
	return append([]api.Secret{}, secrets...) // Never nil: null is refused.
}

// carried are the variables at the service that the resource leaves alone, because it owns only what it declares. prints
// say what it declared before.
func (m model) carried(current []api.Secret, prints fingerprints) ([]api.Secret, diag.Diagnostics) {
	if m.EnvironmentOwnership.ValueString() != ownershipDeclared {
		return nil, nil
	}
	var others []api.Secret
	var unreadable []string
	declared, _ := m.variables()
	for _, secret := range current {
		if _, ours := declared[secret.Name]; ours || slices.Contains(prints.Declared, secret.Name) {
			continue
		}
		others = append(others, secret)
		if hidden(secret) {
			unreadable = append(unreadable, secret.Name)
		}
	}
	return others, refuseUnreadable(unreadable, prints.Unreported && len(current) == 0)
}

// refuseUnreadable is an error if a write would lose variables that are not the resource's: names whose values can't be
// read, or whatever there is where the service reports nothing at all.
func refuseUnreadable(names []string, unreported bool) diag.Diagnostics {
	var hides string
	switch {
	case unreported:
		hides = "reports no variables at all, so that those of others can't be sent along"
	case len(names) > 0:
		slices.Sort(names)
		hides = "hides the values of " + strings.Join(names, ", ") + ", which this configuration doesn't declare"
	default:
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("environment_ownership"), "Variables can't be carried over",
		fmt.Sprintf("The service replaces the whole environment with every change, and it %s. Sending the change would lose "+
			"them. Declare every variable here and set environment_ownership to %q; what is not declared is then removed.",
			hides, ownershipAll))}
}

// newVariables is prior as the service now holds it: names that are gone are gone, values that can be read are taken
// over, hidden ones are kept. Null, which is not managed, stays null.
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

// newEnvironmentNames are the names that the service holds: all of them, or those the resource declared if it owns no more.
func (m model) newEnvironmentNames(current []api.Secret, prints fingerprints) types.Set {
	names := func(yield func(string) bool) {
		for _, secret := range current {
			if m.EnvironmentOwnership.ValueString() == ownershipDeclared && len(prints.Declared) > 0 &&
				!slices.Contains(prints.Declared, secret.Name) {
				continue
			}
			if !yield(secret.Name) {
				return
			}
		}
	}
	return nameSet(names)
}

// hidden says whether the service keeps a value to itself: it leaves it out, or answers a row of asterisks or bullets. One
// or two are a value: a single asterisk often means everything.
func hidden(secret api.Secret) bool {
	const shortestMask = 3
	return secret.ValueOmitted ||
		strings.Trim(secret.Value, "*•") == "" && utf8.RuneCountInString(secret.Value) >= shortestMask
}

func nameSet(names iter.Seq[string]) types.Set {
	elements := []attr.Value{}
	for _, name := range slices.Compact(slices.Sorted(names)) {
		elements = append(elements, types.StringValue(name))
	}
	return types.SetValueMust(types.StringType, elements)
}
