package deployment

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replaces says whether known planned values require a replacement. replacePlacement decides for listener_config, and for what follows
// its listener.
func (m model) replaces(state model) bool {
	workspace := state.WorkspaceID
	if workspace.IsNull() {
		workspace = m.WorkspaceID // Not known before the first refresh.
	}
	fixed := [][2]attr.Value{
		{m.Name, state.Name}, {m.Source, state.Source}, {m.WorkspaceID, workspace}, {orFalse(m.Shareable), orFalse(state.Shareable)},
	}
	if !m.SourceConfig.IsUnknown() {
		is, was := m.sourceConfig(), state.sourceConfig()
		fixed = append(fixed, [][2]attr.Value{
			{is.IntegrationID, was.IntegrationID}, {is.RepoURL, was.RepoURL}, {is.DeploymentType, was.DeploymentType},
			{is.ListenerID, was.ListenerID}, {is.TemplateID, was.TemplateID},
		}...)
	}
	for _, values := range fixed {
		if planned, was := values[0], values[1]; !planned.IsUnknown() && !planned.Equal(was) {
			return true
		}
	}
	return false
}

func orFalse(v types.Bool) types.Bool {
	if v.IsNull() {
		return types.BoolValue(false)
	}
	return v
}
