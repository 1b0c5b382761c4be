package deployment

import (
	"context"
	"fmt"

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

// record is what the plan of a replacement on request needs to know of the deployment of a state.
func (m model) record(checked bool) framework.Record {
	return framework.Record{
		ID: m.ID.ValueString(), Protected: m.DeletionProtection.ValueBool(), FreesName: m.DeleteTracingProject.ValueBool(), Checked: checked,
	}
}

// requested returns the creation that a plan without a state shows, with what is known of a deployment that it replaces on request:
// all that identifies it stays. It refuses to replace a protected deployment.
func (r *deploymentResource) requested(
	ctx context.Context, old framework.Record, private framework.PrivateReader, planned model,
) (creation, diag.Diagnostics) {
	p := creation{planned: planned}
	if old.ID == "" {
		return p, nil
	}
	p.state = planned
	p.state.ID, p.state.DeletionProtection = types.StringValue(old.ID), types.BoolValue(old.Protected)
	p.state.DeleteTracingProject = types.BoolValue(old.FreesName)
	if r.Client != nil && !planned.WorkspaceID.IsUnknown() {
		found, presence, d := framework.Prove(ctx, &r.ProviderData, private, noun, p.state.label(), finding(p.state, func(err error) diag.Diagnostics {
			return p.notChecked(path.Root("name"), err)
		}))
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
			"failed: %s Use a key that may read it, or make two applies: remove the deployment in the first, and add it again "+
			"in the second.", p.state.Name.ValueString(), at, framework.Sentence(err.Error())))}
}
