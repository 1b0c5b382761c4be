package deployment

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// A value that can't be changed may be unknown until the apply. If it turns out to be another one, the deployment must be
// replaced, but the plan that is being applied updates it in place. Terraform itself would report that as a bug of the
// provider, once for each attribute.

// fixed is an attribute that can't be changed: another value replaces the deployment.
type fixed struct {
	at           path.Path
	planned, was attr.Value
}

// fixedAttributes are those of a plan, with their values in the state.
func (m model) fixedAttributes(state model) []fixed {
	workspace := state.WorkspaceID
	if workspace.IsNull() {
		workspace = m.WorkspaceID // Not known before the first refresh.
	}
	all := []fixed{
		{path.Root("name"), m.Name, state.Name}, {path.Root("source"), m.Source, state.Source},
		{path.Root("workspace_id"), m.WorkspaceID, workspace},
		{path.Root("shareable"), orFalse(m.Shareable), orFalse(state.Shareable)},
	}
	at := path.Root("source_config")
	if m.SourceConfig.IsUnknown() {
		return append(all, fixed{at, m.SourceConfig, state.SourceConfig})
	}
	is, _ := m.sourceConfig()
	was, _ := state.sourceConfig()
	return append(all, fixed{at.AtName("integration_id"), is.IntegrationID, was.IntegrationID},
		fixed{at.AtName("repo_url"), is.RepoURL, was.RepoURL}, fixed{at.AtName("deployment_type"), is.DeploymentType, was.DeploymentType},
		fixed{at.AtName("listener_id"), is.ListenerID, was.ListenerID}, fixed{at.AtName("template_id"), is.TemplateID, was.TemplateID})
}

func orFalse(v types.Bool) types.Bool {
	if v.IsNull() {
		return types.BoolValue(false)
	}
	return v
}

// replaces says whether an update can't bring what is planned. Where the deployment runs is planPlacement's matter.
func (m model) replaces(state model) bool {
	for _, f := range m.fixedAttributes(state) {
		if !f.planned.IsUnknown() && !f.planned.Equal(f.was) {
			return true
		}
	}
	return false
}

// undecided says whether the apply will tell if the deployment must be replaced.
func (m model) undecided(state model) bool {
	for _, f := range m.fixedAttributes(state) {
		if f.planned.IsUnknown() {
			return true
		}
	}
	sourceConfig, _ := m.sourceConfig()
	return !m.SourceConfig.IsUnknown() && !known(sourceConfig.ListenerConfig)
}

// decidedInApply is an error if the plan that is being applied left open whether the deployment must be replaced, and now
// it must be. A plan that leaves it open notes so, for the plan within its apply.
func (r *deploymentResource) decidedInApply(planned, state model, replace bool) diag.Diagnostics {
	key := "undecided/" + state.ID.ValueString()
	if planned.undecided(state) {
		r.Notes.Leave(key, state.version())
		return nil
	}
	if noted := r.Notes.Take(key); noted != state.version() || !replace || r.refreshed(state.ID) {
		return nil
	}
	return replacementDecided(planned, state)
}

// onlyInPlan leaves warnings out of the plan within an apply: the plan that is being applied has shown them.
func (r *deploymentResource) onlyInPlan(state model, warnings diag.Diagnostics) diag.Diagnostics {
	key := "warned/" + state.ID.ValueString()
	if len(warnings) == 0 || !r.refreshed(state.ID) && r.Notes.Take(key) == state.version() {
		return nil
	}
	r.Notes.Leave(key, state.version())
	return warnings
}

// version tells states apart that plans start from. A plan and its apply start from the same one.
func (m model) version() string {
	return m.UpdatedAt.ValueString() + " " + m.LatestRevisionID.ValueString()
}

// replacementDecided names the attributes that replace the deployment.
func replacementDecided(planned, state model) diag.Diagnostics {
	all := planned.fixedAttributes(state)
	is, _ := planned.sourceConfig()
	was, _ := state.sourceConfig()
	all = append(all, fixed{path.Root("source_config").AtName("listener_config").AtName("k8s_namespace"), namespace(is), namespace(was)})
	var at path.Path
	var changes []string
	for _, f := range all {
		if f.planned.Equal(f.was) {
			continue
		}
		if len(changes) == 0 {
			at = f.at
		}
		changes = append(changes, fmt.Sprintf("%s from %s to %s", f.at, f.was, f.planned))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Deployment must be replaced",
		fmt.Sprintf("Not all values were known when this plan was made. Now it is known that deployment %q must be replaced, because "+
			"this changes: %s. The plan only updates the deployment, so nothing of it was changed. Apply again: the next plan shows the replacement.",
			state.Name.ValueString(), strings.Join(changes, "; ")))}
}

// namespace is null where the deployment isn't placed.
func namespace(c sourceConfigModel) types.String {
	if c.ListenerConfig.IsNull() || c.ListenerConfig.IsUnknown() {
		return types.StringNull()
	}
	listenerConfig, _ := framework.FromObject[listenerConfigModel](c.ListenerConfig)
	return listenerConfig.K8sNamespace
}

// refreshing notes that a deployment is refreshed, which only plans do, and refreshed says whether it was: no apply is under
// way then.
func (r *deploymentResource) refreshing(id types.String) {
	if r.Memo != nil {
		r.refreshes().Store(id.ValueString(), true)
	}
}

func (r *deploymentResource) refreshed(id types.String) bool {
	if r.Memo == nil {
		return false
	}
	_, refreshed := r.refreshes().Load(id.ValueString())
	return refreshed
}

func (r *deploymentResource) refreshes() *sync.Map {
	return framework.SharedMap(r.Memo, "refreshed deployments")
}
