package deployment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// A plan doesn't show, or doesn't fully show, what happens to variables that the configuration doesn't name: it warns
// instead.

// releases reports whether planned stops managing an environment that the resource has managed so far. The service then keeps
// the variables.
func (m model) releases(state model, prints fingerprints) bool {
	return !m.managesEnvironment() && (state.managesEnvironment() || len(prints.Declared) > 0)
}

// warnOfReleased names the variables that stay when the environment is no longer managed, and how to remove them.
func warnOfReleased(dialect *api.Dialect, planned, state model, prints fingerprints) diag.Diagnostics {
	var names []string
	for name := range prints.MACs {
		if slices.Contains(prints.Declared, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || !planned.releases(state, prints) {
		return nil
	}
	slices.Sort(names)
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
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Environment variables are kept",
		fmt.Sprintf("None of environment, secrets and secrets_wo is set, so the environment of deployment %q is no "+
			"longer managed. The service keeps these variables: %s. To remove them, %s",
			state.Name.ValueString(), strings.Join(names, ", "), remedy))}
}

// warnOfRemoved names the variables set elsewhere that are removed because the resource starts to own the environment.
// Drift needs no warning: the plan shows it in environment_names.
func warnOfRemoved(planned, state model, prints fingerprints) diag.Diagnostics {
	adopts := !state.managesEnvironment() && len(prints.Declared) == 0 || state.EnvironmentOwnership.ValueString() == ownershipDeclared
	if !adopts || !planned.managesEnvironment() || planned.EnvironmentOwnership.ValueString() != ownershipAll {
		return nil
	}
	variables, known := planned.variables()
	var names []string
	for name := range prints.MACs {
		if _, stays := variables[name]; !stays && !slices.Contains(prints.Declared, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	which := "the configuration doesn't set"
	if !known {
		which = "the configuration, which is partly unknown until apply, may not set"
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("environment_ownership"), "Environment variables will be removed",
		fmt.Sprintf("This apply starts to manage all environment variables of deployment %q, because "+
			"environment_ownership is %q. It removes variables that %s: %s. To keep them, add them to the configuration "+
			"or set environment_ownership to %q.",
			state.Name.ValueString(), ownershipAll, which, strings.Join(names, ", "), ownershipDeclared))}
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
