package deployment

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// creation is a deployment that a plan creates.
type creation struct {
	planned model
	// state is that of the deployment that is destroyed first; its ID is null if there is none.
	state model
}

// recordKey is the key of the record in the private data.
const recordKey = "replaceable"

// record is what a plan needs to know of a deployment to replace it. To replace, Terraform plans an update and then a creation, which
// gets the private data of the first plan but not the state.
type record struct {
	ID             string `json:"id"`
	Protected      bool   `json:"protected,omitempty"`
	DeletesProject bool   `json:"deletes_project,omitempty"`
	// Checked says that the first plan has checked everything. It doesn't if no attribute requires the replacement (-replace,
	// replace_triggered_by).
	Checked bool `json:"checked,omitempty"`
}

// record returns the record of m, which may be a plan, in which the ID is still unknown.
func (m model) record(id string) record {
	return record{ID: id, Protected: m.DeletionProtection.ValueBool(), DeletesProject: m.DeleteTracingProject.ValueBool()}
}

func (r record) save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	return framework.SavePrivate(ctx, private, recordKey, r)
}

// requested returns the creation that a plan without a state shows, with what is known of a deployment that it replaces on request:
// all that identifies it stays. It refuses to replace a protected deployment.
func (r *deploymentResource) requested(ctx context.Context, old record, planned model) (creation, diag.Diagnostics) {
	if old.ID == "" {
		return creation{planned: planned}, nil
	}
	var diags diag.Diagnostics
	p := creation{planned, planned}
	p.state.ID, p.state.DeleteTracingProject = types.StringValue(old.ID), types.BoolValue(old.DeletesProject)
	if old.Protected {
		diags.AddAttributeError(path.Root("deletion_protection"), "Deployment is protected",
			fmt.Sprintf("Deployment %q would be replaced on request, by -replace or replace_triggered_by, which destroys it, but its "+
				"deletion_protection is true. Set deletion_protection to false and apply that first, or revoke the request.",
				planned.Name.ValueString()))
	}
	if r.Client != nil && r.dialect().ProjectsBlockNames && !old.DeletesProject && !planned.WorkspaceID.IsUnknown() {
		current, err := listed(ctx, &r.ProviderData, r.In(planned.WorkspaceID), old.ID)
		if err != nil {
			return p, append(diags, p.notChecked(path.Root("name"), err)...)
		}
		p.state.ActiveRevisionID = framework.String(current.ActiveRevisionID)
	}
	return p, diags
}

func (p creation) replaces() bool { return !p.state.ID.IsNull() }

// keepsName says whether a replacement has the name of what it replaces.
func (p creation) keepsName() bool {
	return p.replaces() && p.planned.Name.Equal(p.state.Name) &&
		(p.state.WorkspaceID.IsNull() || p.planned.WorkspaceID.Equal(p.state.WorkspaceID)) // Null before the first refresh.
}

// unknown warns that a replacement isn't checked. For a new deployment, the apply shows any error in time.
func (p creation) unknown(at path.Path) diag.Diagnostics {
	if !p.replaces() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Replacement not checked",
		fmt.Sprintf("%s can't be checked against the service before the apply. If the service refuses it, deployment %q is "+
			"destroyed and the new one can't be created. To have it checked, first apply what it depends on, for example with "+
			"-target.", at, p.state.Name.ValueString()))}
}

// notChecked returns a warning after a failed look-up, and an error if a deployment would be destroyed without it.
func (p creation) notChecked(at path.Path, err error) diag.Diagnostics {
	if !p.replaces() {
		return notChecked(at, err)
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Replacement can't be checked",
		fmt.Sprintf("Deployment %q would be destroyed, but it isn't known whether the new one can be created, because looking up %s "+
			"failed: %s. Use a key that may read it, or make two applies: remove the deployment in the first, and add it again "+
			"in the second.", p.state.Name.ValueString(), at, strings.TrimSuffix(err.Error(), ".")))}
}
