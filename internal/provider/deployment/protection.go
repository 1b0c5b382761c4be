package deployment

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// protection is the deletion_protection of the deployment of a state.
func (m model) protection() framework.Protection {
	return framework.Protection{On: m.DeletionProtection, Noun: noun, Label: strconv.Quote(m.Name.ValueString()), With: "its database"}
}

// replaced refuses to replace a protected deployment because of the attribute at a path, and otherwise warns if the deployment serves.
func (m model) replaced(at path.Path) diag.Diagnostics {
	diags := m.protection().RefuseReplacement(at)
	if !diags.HasError() && !m.ActiveRevisionID.IsNull() {
		diags.AddAttributeWarning(at, "Replacement destroys a running deployment",
			fmt.Sprintf("Changing %s replaces deployment %q: it is destroyed with its database, while revision %s is "+
				"active, and then created again.", at, m.Name.ValueString(), m.ActiveRevisionID.ValueString()))
	}
	return diags
}

// unlessGone returns the diagnostics that refuse to destroy the deployment of a state, and none if that is gone.
func (r *deploymentResource) unlessGone(ctx context.Context, state model, private framework.PrivateReader, refused diag.Diagnostics) diag.Diagnostics {
	return framework.UnlessGone(ctx, &r.ProviderData, private, noun, state.label(), refused, finding(state, state.failure("read").Diagnostics))
}
