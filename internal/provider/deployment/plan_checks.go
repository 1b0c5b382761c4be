package deployment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// replaced is what it means that the attribute at a path replaces the deployment of a state.
func replaced(ctx context.Context, state tfsdk.State, at path.Path) diag.Diagnostics {
	var name, active types.String
	var protected types.Bool
	diags := state.GetAttribute(ctx, path.Root("name"), &name)
	diags.Append(state.GetAttribute(ctx, path.Root("active_revision_id"), &active)...)
	diags.Append(state.GetAttribute(ctx, path.Root("deletion_protection"), &protected)...)
	switch {
	case protected.ValueBool():
		diags.AddAttributeError(at, "Deployment is protected",
			fmt.Sprintf("Changing %s replaces deployment %q, which destroys it first, but its deletion_protection is true. Set "+
				"deletion_protection to false and apply that first, or take the change back.", at, name.ValueString()))
	case !active.IsNull():
		diags.AddAttributeWarning(at, "Replacement destroys a running deployment",
			fmt.Sprintf("Changing %s replaces deployment %q: it is destroyed, with its database and while revision %s is "+
				"serving, and then created anew.", at, name.ValueString(), active.ValueString()))
	}
	return diags
}

// warnOfRepair says why a plan makes a revision of what hasn't changed. After an import, that may be a surprise.
func warnOfRepair(state model, c change) diag.Diagnostics {
	status := state.LatestRevisionStatus.ValueString()
	failed := rollout.Failed(api.RevisionStatus(status))
	c.again = false
	if !failed || c.revision() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("latest_revision_status"), "Failed revision will be repeated",
		fmt.Sprintf("The newest revision of deployment %q, %s, is %s. This apply makes a new revision with the same settings. To "+
			"avoid that, for example when importing the deployment, first redeploy a working revision at the service.",
			state.Name.ValueString(), state.LatestRevisionID.ValueString(), status))}
}

// longestName is that of a DNS label, which the service makes of a name.
const longestName = 63

// refuseName is an error if a new deployment has a name that can't be part of a host name. One that is there already works
// with the name it has.
func refuseName(name types.String) diag.Diagnostics {
	at, value := path.Root("name"), name.ValueString()
	switch {
	case len(value) > longestName:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Invalid name",
			fmt.Sprintf("%s is %q, which has %d characters. It becomes a part of host names, where at most %d are possible. Choose a "+
				"shorter one.", at, value, len(value), longestName))}
	case strings.HasSuffix(value, "-"):
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Invalid name",
			fmt.Sprintf("%s is %q, which ends in a dash. It becomes a part of host names, which can't end so. End it with a letter or "+
				"a digit.", at, value))}
	}
	return nil
}

// refuseCustomURL is an error if a custom_url is to be set where the service sets it. Naming the one that is there is
// fine: generated configuration does.
func refuseCustomURL(config, state model) diag.Diagnostics {
	wanted, diags := config.sourceConfig()
	has, d := state.sourceConfig()
	diags.Append(d...)
	if !slices.Contains(inCloud, api.Source(config.Source.ValueString())) || wanted.CustomURL.IsNull() || wanted.CustomURL.IsUnknown() ||
		wanted.CustomURL.Equal(has.CustomURL) {
		return diags
	}
	at := path.Root("source_config").AtName("custom_url")
	diags.AddAttributeError(at, "Attribute of another source",
		fmt.Sprintf("%s is %q, but for deployments of source %q the service sets it. Remove it.", at, wanted.CustomURL.ValueString(),
			config.Source.ValueString()))
	return diags
}

// refuseDestroy is an error if the deployment is protected.
func (m model) refuseDestroy() diag.Diagnostics {
	if !m.DeletionProtection.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "Deployment is protected",
		fmt.Sprintf("Deployment %q would be destroyed, but its deletion_protection is true. Set it to false and apply that "+
			"first, or keep the deployment by removing it from the state only (`terraform state rm`). "+untaintFirst, m.Name.ValueString()))}
}

// untaintFirst is why a setting may not arrive: of a tainted deployment, Terraform plans nothing but the replacement.
const untaintFirst = "If it is tainted, because its creation failed, run `terraform untaint` with its address first: the next " +
	"apply then repairs the deployment, and changes its deletion_protection, instead of replacing it."

// warnOfProtected says that a planned creation needs the end of a deployment of that name, whose state protects it.
func warnOfProtected(state model) diag.Diagnostics {
	if !state.DeletionProtection.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("deletion_protection"), "Deployment is protected",
		fmt.Sprintf("A deployment %q is to be created, but one of that name (%s) is in the state, and its deletion_protection is true. "+
			"If this is its replacement, the apply will refuse to destroy it. "+untaintFirst, state.Name.ValueString(), state.ID.ValueString()))}
}

// refuseDerivedBounds refuses a new deployment whose spec contradicts the defaults that follow from it.
func refuseDerivedBounds(planned model) diag.Diagnostics {
	sourceConfig, diags := planned.sourceConfig()
	return append(diags, resourcespec.RefuseDerived(sourceConfig.ResourceSpec)...)
}
