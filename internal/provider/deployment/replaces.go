package deployment

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replacing returns the attributes whose known planned values require a replacement. replacePlacement decides for listener_config, and for
// what follows its listener.
func (m model) replacing(state model) (because path.Paths) {
	workspace := state.WorkspaceID
	if workspace.IsNull() {
		workspace = m.WorkspaceID // Not known before the first refresh.
	}
	fixed := func(at path.Path, planned, was attr.Value) {
		if !planned.IsUnknown() && !planned.Equal(was) {
			because.Append(at)
		}
	}
	fixed(path.Root("name"), m.Name, state.Name)
	fixed(path.Root("source"), m.Source, state.Source)
	fixed(path.Root("workspace_id"), m.WorkspaceID, workspace)
	fixed(path.Root("shareable"), orFalse(m.Shareable), orFalse(state.Shareable))
	if m.SourceConfig.IsUnknown() {
		return because
	}
	at, is, was := path.Root("source_config"), m.sourceConfig(), state.sourceConfig()
	fixed(at.AtName("integration_id"), is.IntegrationID, was.IntegrationID)
	fixed(at.AtName("repo_url"), is.RepoURL, was.RepoURL)
	fixed(at.AtName("deployment_type"), is.DeploymentType, was.DeploymentType)
	fixed(at.AtName("listener_id"), is.ListenerID, was.ListenerID)
	fixed(at.AtName("template_id"), is.TemplateID, was.TemplateID)
	return because
}

func orFalse(v types.Bool) types.Bool {
	if v.IsNull() {
		return types.BoolValue(false)
	}
	return v
}
