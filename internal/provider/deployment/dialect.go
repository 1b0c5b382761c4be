package deployment

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// What follows from the dialect of the service: its habits, and what only it refuses.

// dialect is what the service speaks. Nothing is known of it while the provider's configuration is unknown, which happens
// in plans only.
func (r *deploymentResource) dialect() *api.Dialect {
	if r.Client == nil {
		return api.Neutral
	}
	return r.Client.Dialect()
}

// explicit adds to a create request what the dialect wants to be told.
func explicit(dialect *api.Dialect, request api.DeploymentCreateRequest) api.DeploymentCreateRequest {
	if dialect.RequiresResourceSpec && request.Source == api.SourceExternalContainer && !request.SourceConfig.ResourceSpec.Present {
		request.SourceConfig.ResourceSpec = api.Some(api.ResourceSpec{})
	}
	return request
}

// refuseReserved is an error for every variable that the service sets itself.
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
				fmt.Sprintf("%s sets the environment variable %s, which the service sets itself and refuses to take. Remove it, "+
					"or give it another name.", at, name))
		}
	}
	return diags
}

// refuseEmptied is an error if the last variable would go, which the service takes for no change.
func refuseEmptied(dialect *api.Dialect, m model, c change, state model) diag.Diagnostics {
	variables, known := m.variables()
	if !dialect.KeepsLastSecret || !c.environment || !known || len(variables) > 0 || len(state.EnvironmentNames.Elements()) == 0 ||
		m.EnvironmentOwnership.ValueString() == ownershipDeclared {
		return nil
	}
	return diag.Diagnostics{lastVariable(m)}
}

// lastVariable is the error of an environment that can't be emptied.
func lastVariable(m model) diag.Diagnostic {
	at := path.Root("environment")
	for _, attribute := range []string{"secrets", "secrets_wo"} {
		if m.Environment.IsNull() && !m.variableMaps()[attribute].IsNull() {
			at = path.Root(attribute)
		}
	}
	return diag.NewAttributeErrorDiagnostic(at, "Environment can't be emptied",
		fmt.Sprintf("No variable is left for deployment %q, but the service takes an empty environment for no change, so the "+
			"last variables would stay. Keep a harmless one, for example %s = { UNUSED = \"1\" }; or remove all three maps, which "+
			"leaves the environment as it is, unmanaged; or have the deployment replaced, with `terraform taint` and its address.",
			m.Name.ValueString(), at))
}

// leftBehind is what may have a name that no deployment has; empty where nothing else has it.
func leftBehind(dialect *api.Dialect, name string) string {
	if !dialect.ProjectsBlockNames {
		return ""
	}
	return fmt.Sprintf(" A tracing project %q blocks the name, too, also one that a deleted deployment has left behind: if it "+
		"isn't needed any more, delete it at the service, with its traces. To have one go together with its deployment, set "+
		"delete_tracing_project.", name)
}

// projectStays says what keeps a deployment that has served by then from being created anew after it has been destroyed;
// empty where nothing does.
func projectStays(dialect *api.Dialect, m model) string {
	if !dialect.ProjectsBlockNames || m.DeleteTracingProject.ValueBool() {
		return ""
	}
	return fmt.Sprintf(" If the rollout has succeeded by then, replacing the deployment leaves the tracing project %q behind, which "+
		"blocks the name, and the new deployment is refused.", m.Name.ValueString())
}

// warnOfBlockedName says that a replacement would find its own name taken. The project of a deployment that never served
// goes with it.
func warnOfBlockedName(dialect *api.Dialect, m, state model) diag.Diagnostics {
	if !dialect.ProjectsBlockNames || !m.Name.Equal(state.Name) || !m.WorkspaceID.Equal(state.WorkspaceID) ||
		state.DeleteTracingProject.ValueBool() || state.ActiveRevisionID.IsNull() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("name"), "Replacement may fail",
		fmt.Sprintf("Deployment %q is to be replaced by one of the same name, but destroying it leaves its tracing project behind, "+
			"which blocks the name: the old deployment would be gone, and the new one refused. Choose another name, or set "+
			"delete_tracing_project to true and apply that first, which gives up the traces. If it is to be replaced because it is "+
			"tainted, run `terraform untaint` with its address: it is kept then.", state.Name.ValueString()))}
}

// warnOfName says that a name is too long for the autoscaler of an own host.
func warnOfName(dialect *api.Dialect, m model) diag.Diagnostics {
	name := m.Name.ValueString()
	if dialect.ScalableName == 0 || len(name) <= dialect.ScalableName || m.Source.ValueString() != string(api.SourceExternalContainer) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("name"), "Long name",
		fmt.Sprintf("name is %q, which has %d characters. On own hosts, more than %d are too long for the name of the "+
			"autoscaler, and such a deployment never becomes ready. Choose a shorter one: a name can't be changed later.",
			name, len(name), dialect.ScalableName))}
}

// takes says whether a setting applies to deployments of a source.
func takes(rules []sourceRule, attribute string, source api.Source) bool {
	i := slices.IndexFunc(rules, func(rule sourceRule) bool { return rule.attribute == attribute })
	return i < 0 || slices.Contains(rules[i].sources, source)
}

// adoptImported is an imported deployment without what says nothing of what was asked for: managed, every default of the
// service would be.
func (m model) adoptImported(ctx context.Context, dialect *api.Dialect) (model, diag.Diagnostics) {
	if !dialect.FillsResourceSpec {
		return m, nil
	}
	sourceConfig, diags := m.sourceConfig()
	sourceConfig.ResourceSpec = types.ObjectNull(resourcespec.Types())
	object, d := framework.ToObject(ctx, attributeTypes("source_config"), sourceConfig)
	diags.Append(d...)
	m.SourceConfig = object
	return m, diags
}
