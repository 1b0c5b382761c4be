package deployment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listResource finds deployments for terraform query.
type listResource struct{ framework.Resource }

var _ list.ListResourceWithConfigure = (*listResource)(nil)

// NewListResource is the deployments of a workspace that match filters, to be taken over.
func NewListResource() list.ListResource { return &listResource{} }

// Metadata implements list.ListResource: the name is the resource's.
func (l *listResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	NewResource().Metadata(ctx, req, resp)
}

// ListResourceConfigSchema implements list.ListResource.
func (l *listResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists the deployments of a workspace, all of them or those that match every filter that is set, " +
			"so that they can be taken over in bulk. Deployments that are being deleted are left out.",
		Attributes: listFilterAttributes(),
	}
}

// List implements list.ListResource.
func (l *listResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config filterModel
	diags := l.Configured()
	diags.Append(req.Config.Get(ctx, &config)...)
	filter, d := config.toFilter(ctx)
	diags.Append(d...)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	c := l.In(config.WorkspaceID)
	if config.findsNone() {
		stream.Results = list.NoListResults
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		count := int64(0)
		for deployment, err := range c.ListDeployments(ctx, filter) {
			if err != nil {
				failure := framework.Failure{Summary: "Cannot list deployments"}
				push(list.ListResult{Diagnostics: failure.Diagnostics(err)})
				return
			}
			if deployment.Status.BeingDeleted() {
				continue
			}
			if !push(l.result(ctx, req, c, deployment)) {
				return
			}
			if count++; req.Limit > 0 && count >= req.Limit {
				return
			}
		}
	}
}

// result has the whole resource only if it is asked for: that may cost a request for the newest revision.
func (l *listResource) result(ctx context.Context, req list.ListRequest, c *client.Client, deployment api.Deployment) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = deployment.Name
	workspaceID := framework.StringOrNull(c.WorkspaceID())
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{WorkspaceID: workspaceID, ID: types.StringValue(deployment.ID)})...)
	if !req.IncludeResource {
		return result
	}
	status, err := latestStatus(ctx, c, deployment)
	if err != nil {
		failure := framework.Failure{Summary: fmt.Sprintf("Cannot read the newest revision of deployment %q", deployment.Name)}
		result.Diagnostics.Append(failure.Diagnostics(err)...)
		return result
	}
	m, diags := newModel(ctx, emptyModel(), deployment, status, fingerprints{})
	result.Diagnostics.Append(diags...)
	m.WorkspaceID = workspaceID
	m, d := m.linked(c).believable(ctx, c.Dialect())
	result.Diagnostics.Append(d...)
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result
}

// emptyModel is a model of which nothing is known, as an import begins with.
func emptyModel() model {
	noText := types.MapNull(types.StringType)
	return model{
		SourceConfig:         types.ObjectNull(attributeTypes("source_config")),
		SourceRevisionConfig: types.ObjectNull(attributeTypes("source_revision_config")),
		Environment:          noText,
		Secrets:              noText,
		SecretsWO:            noText,
		SecretNames:          types.SetNull(types.StringType),
		Triggers:             noText,
		SecretReferences:     noReferences(),
		Timeouts:             timeouts.Value{Object: types.ObjectNull(attributeTypes("timeouts"))},
	}
}
