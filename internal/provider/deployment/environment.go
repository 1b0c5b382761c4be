package deployment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

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
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("environment_ownership"), "Variables can't be preserved",
		fmt.Sprintf("The service replaces the whole environment with every change, and it %s. The change would delete "+
			"them. Declare every variable here and set environment_ownership to %q, which removes variables that aren't "+
			"declared.",
			hides, ownershipAll))}
}

// newEnvironmentNames returns the names that the service has: all of them, or only the declared ones if the resource owns
// no others.
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
