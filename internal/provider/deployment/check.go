package deployment

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// check refuses what the service would refuse, and warns of what the plan can't check. Nothing may be destroyed before it is
// known that its replacement can be created.
func (r *deploymentResource) check(ctx context.Context, private framework.PrivateReader, p creation) diag.Diagnostics {
	var diags diag.Diagnostics
	if !p.planned.Name.Equal(p.state.Name) { // A deployment already works with its name.
		diags.Append(refuseName(p.planned.Name)...)
		diags.Append(warnOfName(r.dialect(), p.planned)...)
	}
	diags.Append(resourcespec.RefuseDerived(p.planned.sourceConfig().ResourceSpec)...)
	diags.Append(r.refuseNumbers(p.planned, p.state)...)
	diags.Append(r.unlessGone(ctx, p.state, private, refuseBlockedName(r.dialect(), p))...)
	request, d := p.planned.toCreate()
	diags.Append(d...)
	diags.Append(refuseBody(r.dialect(), p.planned, request)...)
	return append(diags, r.lookUp(ctx, p)...)
}

// refuseNumbers refuses new numbers in resource_spec that the service doesn't accept.
func (r *deploymentResource) refuseNumbers(planned, state model) diag.Diagnostics {
	dialect := r.dialect()
	if r.Client == nil {
		dialect = nil
	}
	return resourcespec.RefuseNumbers(dialect, planned.sourceConfig().ResourceSpec, state.sourceConfig().ResourceSpec)
}

// refuseBlockedName refuses a replacement that would find its own name taken. If a deployment never served, its project is deleted
// with it.
func refuseBlockedName(dialect *api.Dialect, p creation) diag.Diagnostics {
	if !dialect.ProjectsBlockNames || !p.keepsName() || p.state.DeleteTracingProject.ValueBool() || p.state.ActiveRevisionID.IsNull() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("name"), "Replacement is not possible",
		fmt.Sprintf("Deployment %q would be replaced by one of the same name, but its tracing project is kept and reserves the "+
			"name: the old deployment would be destroyed, and the new one could not be created. Set delete_tracing_project to "+
			"true and apply that first, which deletes the traces with the deployment, or choose another name.", p.state.Name.ValueString()))}
}

// refuseBody refuses a request that is larger than the service accepts. Unknown values count as empty.
func refuseBody(dialect *api.Dialect, planned model, request any) diag.Diagnostics {
	data, err := json.Marshal(request)
	if err != nil || len(dialect.Body(data)) <= api.MaxBody {
		return nil // The client reports what can't be encoded.
	}
	size := func(value attr.Value) int { return len(value.String()) }
	attributes := map[string]attr.Value{
		"source_config": planned.SourceConfig, "source_revision_config": planned.SourceRevisionConfig, "environment": planned.Environment,
		"secrets": planned.Secrets, "secrets_wo": planned.SecretsWO, "secret_references": planned.SecretReferences,
	}
	largest := "environment"
	for name, value := range attributes {
		if size(value) > size(attributes[largest]) {
			largest = name
		}
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(largest), "Request is too large",
		fmt.Sprintf("The request for deployment %q has %d bytes, but the service accepts at most %d (10 MiB). The largest attribute is "+
			"%s: shorten it.", planned.Name.ValueString(), len(data), api.MaxBody, largest))}
}
