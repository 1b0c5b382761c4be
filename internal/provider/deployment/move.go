package deployment

import (
	"cmp"
	"context"
	"encoding/json"
	"path"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// The resource of LangSmith's own provider that manages the same objects. The provider may come from a mirror, under
// another namespace.
const (
	vendorProvider = "langsmith"
	vendorResource = "langsmith_deployment"
)

// vendorState is what that resource stores besides the fields of api.Deployment, which have the API's names. Older
// versions have neither WorkspaceID nor EnvironmentVariables. A new SecretsVersion makes a revision, like new triggers here.
type vendorState struct {
	WorkspaceID          string             `json:"workspace_id"`
	LatestRevisionStatus api.RevisionStatus `json:"latest_revision_status"`
	EnvironmentVariables map[string]string  `json:"environment_variables"`
	SecretsVersion       *string            `json:"secrets_version"`
}

// move moves a deployment of that resource. For any other source, the framework reports that it can't be moved.
func move(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if req.SourceTypeName != vendorResource || path.Base(req.SourceProviderAddress) != vendorProvider {
		return
	}
	moved, prints, diags := newMoved(req.SourceRawState.JSON)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	to := framework.StateWriter{State: &resp.TargetState, Identity: resp.TargetIdentity}
	resp.Diagnostics.Append(to.Write(ctx, moved)...)
	if prints.MACs != nil {
		resp.Diagnostics.Append(prints.Save(ctx, resp.TargetPrivate)...)
	}
}

// newMoved converts a state of the vendor's resource. The result is complete, because a plan without a refresh compares
// with it: missing values would be replaced or sent again. What was configured there stays managed. Only write-only values are not in that
// state, so such a plan sends them again.
func newMoved(state []byte) (model, fingerprints, diag.Diagnostics) {
	var deployment api.Deployment
	var others vendorState
	state = api.LangSmith.Body(state)
	if err := cmp.Or(json.Unmarshal(state, &deployment), json.Unmarshal(state, &others)); err != nil || deployment.ID == "" {
		return model{}, fingerprints{}, framework.NewError("Cannot move deployment", "The state of %s is not one that this provider can read (%v). "+
			"Use a removed block for it and an import block for the new resource instead of the moved block.", vendorResource, err)
	}
	var prints fingerprints
	m := newModel(model{}, deployment, others.LatestRevisionStatus, fingerprints{})
	m.WorkspaceID = framework.StringOrNull(cmp.Or(others.WorkspaceID, m.TenantID.ValueString()))
	m.SecretReferences = allSecretReferences(deployment.SecretReferences)
	if others.EnvironmentVariables != nil {
		m.Environment = framework.TextMap(others.EnvironmentVariables)
		m.EnvironmentNames = m.variableNames()
		prints = prints.holding(m.toSecrets()).declaring(m)
	}
	if others.SecretsVersion != nil {
		m.Triggers = framework.TextMap(map[string]string{"secrets_version": *others.SecretsVersion})
	}
	m = m.withWholeSpec(deployment) // An import leaves defaults out, but a configured value may equal its default.
	if deployment.SourceConfig.ResourceSpec != nil && m.sourceConfig().ResourceSpec.IsNull() {
		m = m.withSourceConfig(func(c *sourceConfigModel) { c.ResourceSpec = resourcespec.Empty() }) // It was configured as {}.
	}
	return m, prints, nil
}
