package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replaced returns the diagnostics for a replacement that the attribute at a path causes.
func replaced(ctx context.Context, state tfsdk.State, at path.Path) diag.Diagnostics {
	var name, active types.String
	var protected types.Bool
	diags := state.GetAttribute(ctx, path.Root("name"), &name)
	diags.Append(state.GetAttribute(ctx, path.Root("active_revision_id"), &active)...)
	diags.Append(state.GetAttribute(ctx, path.Root("deletion_protection"), &protected)...)
	switch {
	case protected.ValueBool():
		diags.AddAttributeError(at, "Deployment is protected",
			fmt.Sprintf("Changing %s replaces deployment %q, which destroys it first, but its deletion_protection is "+
				"true. Set deletion_protection to false and apply that first, or revert the change.", at, name.ValueString()))
	case !active.IsNull():
		diags.AddAttributeWarning(at, "Replacement destroys a running deployment",
			fmt.Sprintf("Changing %s replaces deployment %q: it is destroyed with its database, while revision %s is "+
				"active, and then created again.", at, name.ValueString(), active.ValueString()))
	}
	return diags
}

// refuseDestroy returns an error if the deployment is protected.
func refuseDestroy(name types.String, protected types.Bool) diag.Diagnostics {
	if !protected.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "Deployment is protected",
		fmt.Sprintf("Deployment %q would be destroyed, but its deletion_protection is true. Set it to false and apply that "+
			"first, or keep the deployment by removing it from the state only (`terraform state rm`). "+untaintFirst, name.ValueString()))}
}

// untaintFirst explains why a setting may have no effect: for a tainted deployment, Terraform plans only the replacement.
const untaintFirst = "If it is tainted, because its creation failed, run `terraform untaint` with its address first: the next " +
	"apply then repairs the deployment, and changes its deletion_protection, instead of replacing it."
