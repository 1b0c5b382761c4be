package deployment

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
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
	if !m.Shareable.IsUnknown() && m.Shareable.ValueBool() != state.Shareable.ValueBool() {
		because.Append(path.Root("shareable"))
	}
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

// Where a deployment runs can't be changed, and some services don't report it.

// replacePlacement replaces the deployment if planPlacement requires it, or if the plan replaces its listener, which can be deleted only
// once no deployment uses it.
func replacePlacement(ctx context.Context, planning *framework.Planning[model], planned model) diag.Diagnostics {
	state := *planning.State
	at, replace, diags := planPlacement(dialectOf(planning.ProviderData), planned, state)
	if is, was := planned.sourceConfig().ListenerID, state.sourceConfig().ListenerID; (planned.SourceConfig.IsUnknown() || is.IsUnknown()) &&
		lookup.ListenerID.Goes(ctx, state.WorkspaceID, was) {
		at, replace = path.Root("source_config").AtName("listener_id"), true
	}
	if replace {
		planning.RequiresReplace.Append(at)
	}
	return diags
}

// planPlacement decides whether another listener_config replaces the deployment, and which attribute does. If the service
// doesn't return it, it is unknown after an import: the configured value is then adopted.
func planPlacement(dialect *api.Dialect, planned, state model) (at path.Path, replace bool, diags diag.Diagnostics) {
	wanted, has := planned.sourceConfig(), state.sourceConfig()
	at = path.Root("source_config").AtName("listener_config")
	is, was := wanted.ListenerConfig, has.ListenerConfig
	if !is.IsNull() && !was.IsNull() {
		at = at.AtName("k8s_namespace")
	}
	if planned.SourceConfig.IsUnknown() {
		return at, false, append(diags, framework.Undecided(path.Root("source_config"))...)
	}
	if is.Equal(was) {
		return at, false, diags
	}
	if !known(is) {
		return at, false, append(diags, framework.Undecided(at)...)
	}
	if dialect.HidesSettings && was.IsNull() && wanted.ListenerID.Equal(has.ListenerID) {
		diags.AddAttributeWarning(at, "Not checked against the service", fmt.Sprintf("The service doesn't report where deployment %q "+
			"runs, so the configured %s is adopted unchecked. Terraform can't detect an incorrect value.", planned.Name.ValueString(), at))
		return at, false, diags
	}
	return at, true, diags
}

// protection is the deletion_protection of the deployment of a state.
func (m model) protection() framework.Protection {
	return framework.Protection{On: m.DeletionProtection, Noun: noun, Label: strconv.Quote(m.Name.ValueString()), With: "its database"}
}

// replaced refuses to replace a protected deployment because of a changed attribute, and otherwise warns if the deployment is active.
func (m model) replaced(at path.Path) diag.Diagnostics {
	diags := m.protection().RefuseReplacement(at)
	if !diags.HasError() && !m.ActiveRevisionID.IsNull() {
		diags.AddAttributeWarning(at, "Replacement destroys a running deployment",
			fmt.Sprintf("Changing %s replaces deployment %q: it is destroyed with its database, while revision %s is "+
				"active, and then created again.", at, m.Name.ValueString(), m.ActiveRevisionID.ValueString()))
	}
	return diags
}

// creation is a deployment that a plan creates.
type creation struct {
	planned model
	// state is that of the deployment that is destroyed first; its ID is null if there is none.
	state model
}

// record returns the part of a state that the plan of a replacement on request needs.
func (m model) record() framework.Record {
	return framework.Record{ID: m.ID.ValueString(), Protected: m.DeletionProtection.ValueBool(), FreesName: m.DeleteTracingProject.ValueBool()}
}

// requested returns the creation that a plan without a state shows, with what is known of a deployment that it replaces on request:
// all that identifies it stays. It refuses to replace a protected deployment.
func requested(ctx context.Context, op *framework.Operation[model], old framework.Record, planned model) (creation, diag.Diagnostics) {
	p := creation{planned: planned}
	if old.ID == "" {
		return p, nil
	}
	p.state = planned
	p.state.ID, p.state.DeletionProtection = types.StringValue(old.ID), types.BoolValue(old.Protected)
	p.state.DeleteTracingProject = types.BoolValue(old.FreesName)
	if op.Client != nil && !planned.WorkspaceID.IsUnknown() {
		look := finder(p.state, func(_ context.Context, err error) diag.Diagnostics { return p.notChecked(path.Root("name"), err) })
		found, presence, d := framework.LookTwice(ctx, op.ProviderData, op.Private, noun, p.state.label(), look)
		if d.HasError() {
			return p, d
		}
		switch {
		case presence == framework.Gone:
			return creation{planned: planned}, nil
		case found != nil:
			p.state.ActiveRevisionID = framework.String(found.ActiveRevisionID)
		}
	}
	return p, p.state.protection().RefuseRequest()
}

func (p creation) replaces() bool { return !p.state.ID.IsNull() }

// keepsName reports whether a replacement has the name of what it replaces.
func (p creation) keepsName() bool {
	return p.replaces() && p.planned.Name.Equal(p.state.Name) &&
		(p.state.WorkspaceID.IsNull() || p.planned.WorkspaceID.Equal(p.state.WorkspaceID)) // Null before the first refresh.
}

// uncheckable warns that a replacement isn't checked. For a new deployment, the apply shows any error in time.
func (p creation) uncheckable(at path.Path) diag.Diagnostics {
	if !p.replaces() {
		return nil
	}
	return framework.WarningAt(at, "Replacement not checked", "%s can't be checked against the service before the apply. If the service refuses "+
		"it, deployment %q is destroyed and the new one can't be created. To have it checked, first apply what it depends on, for example with "+
		"-target.", at, p.state.Name.ValueString())
}

// notChecked returns a warning after a failed look-up, and an error if a deployment would be destroyed without it.
func (p creation) notChecked(at path.Path, err error) diag.Diagnostics {
	if !p.replaces() {
		return notChecked(at, err)
	}
	return framework.ErrorAt(at, "Replacement can't be checked", "Deployment %q would be destroyed, but it isn't known whether the new one can be "+
		"created, because looking up %s failed: %s Use a key that may read it, or make two applies: remove the deployment in the first, and add "+
		"it again in the second.", p.state.Name.ValueString(), at, framework.Sentence(err.Error()))
}

// refuseBlockedName refuses a replacement that would find its own name taken. If a deployment never served, its project is deleted
// with it.
func refuseBlockedName(dialect *api.Dialect, p creation) diag.Diagnostics {
	if !dialect.ProjectsBlockNames || !p.keepsName() || p.state.DeleteTracingProject.ValueBool() || p.state.ActiveRevisionID.IsNull() {
		return nil
	}
	return framework.ErrorAt(path.Root("name"), "Replacement is not possible", "Deployment %q would be replaced by one of the same name, but its "+
		"tracing project is kept and reserves the name: the old deployment would be destroyed, and the new one could not be created. Set "+
		"delete_tracing_project to true and apply that first, which deletes the traces with the deployment, or choose another name.",
		p.state.Name.ValueString())
}
