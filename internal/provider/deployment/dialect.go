package deployment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// Behaviour and restrictions that depend on the dialect of the service.

// explicit adds to a create request what the dialect requires explicitly.
func explicit(dialect *api.Dialect, request api.DeploymentCreateRequest) api.DeploymentCreateRequest {
	if dialect.RequiresResourceSpec && request.Source == api.SourceExternalContainer && !request.SourceConfig.ResourceSpec.Present {
		request.SourceConfig.ResourceSpec = api.Some(api.ResourceSpec{})
	}
	return request
}

// refuseReserved returns an error for every variable that the service sets itself.
func refuseReserved(dialect *api.Dialect, m model) diag.Diagnostics {
	var diags diag.Diagnostics
	if !dialect.ReservesVariables || m.Source.IsUnknown() {
		return nil
	}
	parts := m.variableMaps()
	parts["secret_references"] = m.SecretReferences
	for _, attribute := range slices.Sorted(maps.Keys(parts)) {
		for _, name := range slices.Sorted(maps.Keys(parts[attribute].Elements())) {
			onOwnHosts, reserved := api.ReservedVariables[name]
			if !reserved || onOwnHosts && m.Source.ValueString() == string(api.SourceExternalContainer) {
				continue
			}
			at := path.Root(attribute).AtMapKey(name)
			diags.AddAttributeError(at, "Reserved variable",
				fmt.Sprintf("%s sets the environment variable %s, which is reserved: the service sets it itself. Remove "+
					"it or rename it.", at, name))
		}
	}
	return diags
}

// refuseEmptied returns an error if the last variable would be removed: the service ignores an empty environment.
func refuseEmptied(dialect *api.Dialect, m model, c change, state model) diag.Diagnostics {
	variables, known := m.variables()
	if !dialect.KeepsLastSecret || !c.variables() || !known || len(variables) > 0 || len(state.EnvironmentNames.Elements()) == 0 ||
		m.EnvironmentOwnership.ValueString() == ownershipDeclared {
		return nil
	}
	return diag.Diagnostics{lastVariable(m)}
}

// lastVariable is the error for an environment that can't be emptied.
func lastVariable(m model) diag.Diagnostic {
	at := path.Root("environment")
	for _, attribute := range []string{"secrets", "secrets_wo"} {
		if m.Environment.IsNull() && !m.variableMaps()[attribute].IsNull() {
			at = path.Root(attribute)
		}
	}
	return diag.NewAttributeErrorDiagnostic(at, "Environment can't be emptied",
		fmt.Sprintf("The last environment variable of deployment %q would be removed, but the service ignores an empty "+
			"environment and keeps the variables. Keep a harmless variable, for example %s = { UNUSED = \"1\" }. Or "+
			"remove all three maps: the environment then stays as it is and is no longer managed. Or replace the "+
			"deployment: run `terraform taint` with its address.",
			m.Name.ValueString(), at))
}

// leftBehind says what may reserve a name that no deployment has; empty if nothing else can.
func leftBehind(dialect *api.Dialect, name string) string {
	if !dialect.ProjectsBlockNames {
		return ""
	}
	return fmt.Sprintf(" A tracing project %q also reserves the name, even if left by a deleted deployment. If it is no "+
		"longer needed, delete it in the service, with its traces. To delete a project together with its deployment, set "+
		"delete_tracing_project.", name)
}

// projectStays says why a deployment that has served can't be replaced under the same name; empty if it can.
func projectStays(dialect *api.Dialect, m model) string {
	if !dialect.ProjectsBlockNames || m.DeleteTracingProject.ValueBool() {
		return ""
	}
	return fmt.Sprintf(" If the rollout succeeds before that, the replacement fails: destroying the deployment keeps the "+
		"tracing project %q, which reserves the name.", m.Name.ValueString())
}

// warnOfName warns that a name is too long for the autoscaler of a self-hosted installation.
func warnOfName(dialect *api.Dialect, m model) diag.Diagnostics {
	name := m.Name.ValueString()
	if dialect.ScalableName == 0 || len(name) <= dialect.ScalableName || m.Source.ValueString() != string(api.SourceExternalContainer) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("name"), "Long name",
		fmt.Sprintf("name is %q, which has %d characters. In self-hosted installations, the autoscaler doesn't support "+
			"names of more than %d characters, and such a deployment never becomes ready. Choose a shorter name: it "+
			"can't be changed later.",
			name, len(name), dialect.ScalableName))}
}

// adoptImported clears what an import should not manage: otherwise every default of the service would be managed.
func (m model) adoptImported(dialect *api.Dialect) model {
	if !dialect.FillsResourceSpec {
		return m
	}
	return m.withSourceConfig(func(c *sourceConfigModel) { c.ResourceSpec = types.ObjectNull(resourcespec.Types()) })
}
