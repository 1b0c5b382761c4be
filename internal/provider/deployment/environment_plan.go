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

// What happens to variables that the configuration doesn't name: a plan shows none of it, or not all, so it warns.

// releases says whether planned stops managing an environment that the resource managed so far. The service keeps the
// variables then.
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
		remedy = "set environment = { UNUSED = \"1\" } and apply that first: this service always keeps at least one variable."
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Environment variables stay",
		fmt.Sprintf("None of environment, secrets and secrets_wo is set any more, so the environment of deployment %q is no longer "+
			"managed. Its variables keep their values at the service: %s. To remove them, %s",
			state.Name.ValueString(), strings.Join(names, ", "), remedy))}
}

// warnOfRemoved names the variables set elsewhere that are removed because the resource begins to own the environment.
// Drift is another matter: the plan shows it in environment_names.
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
		which = "the configuration, parts of which are not known yet, may not set"
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("environment_ownership"), "Environment variables will be removed",
		fmt.Sprintf("This apply begins to manage all environment variables of deployment %q, because environment_ownership is %q. It "+
			"removes those that %s: %s. To keep them, add them to the configuration, or set environment_ownership to %q.",
			state.Name.ValueString(), ownershipAll, which, strings.Join(names, ", "), ownershipDeclared))}
}

// releasedNames are the environment_names once no name is the resource's own. Where nothing else in the plan shows that the
// environment is released, they are unknown: without an update, the resource could not record that it is.
func (m model) releasedNames(state model, prints fingerprints) types.Set {
	switch {
	case !state.managesEnvironment() && state.SecretsWOVersion.IsNull():
		return types.SetUnknown(types.StringType)
	case prints.Unreported || prints.MACs == nil:
		return m.EnvironmentNames
	}
	return nameSet(maps.Keys(prints.MACs))
}

// namesAfter are the environment_names of an apply that doesn't change the environment.
func (m model) namesAfter(prints fingerprints) types.Set {
	if m.managesEnvironment() {
		return m.EnvironmentNames
	}
	return framework.PlannedOr(m.EnvironmentNames, nameSet(maps.Keys(prints.MACs)))
}
