package deployment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// Features that only extended dialects have.

// refuseExtended returns an error for everything in a configuration that the service doesn't support.
func refuseExtended(dialect *api.Dialect, config model) diag.Diagnostics {
	if dialect.LangSmithAPI {
		return nil
	}
	sourceConfig, diags := config.sourceConfig()
	revisionConfig, d := config.sourceRevisionConfig()
	diags.Append(d...)
	refuse := func(at path.Path, set bool, value string) {
		if set {
			diags.Append(framework.Unsupported(dialect, at, value))
		}
	}
	known := func(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }
	source, deploymentType := config.Source.ValueString(), sourceConfig.DeploymentType.ValueString()
	inConfig, inRevision := path.Root("source_config"), path.Root("source_revision_config")
	refuse(path.Root("source"), slices.Contains(api.ExtendedSources, api.Source(source)), source)
	refuse(inConfig.AtName("deployment_type"), slices.Contains(api.ExtendedDeploymentTypes, api.DeploymentType(deploymentType)), deploymentType)
	refuse(inConfig.AtName("template_id"), known(sourceConfig.TemplateID), "")
	refuse(inRevision.AtName("source_tarball_path"), known(revisionConfig.SourceTarballPath), "")
	refuse(path.Root("display_name"), known(config.DisplayName), "")
	refuse(path.Root("secret_references"), known(config.SecretReferences), "")
	refuse(path.Root("shareable"), known(config.Shareable), "")
	refuse(path.Root("route_through_gateway"), known(config.RouteThroughGateway), "")
	refuse(path.Root("deployment_tier"), known(config.DeploymentTier), "")
	refuse(path.Root("compute_tier"), known(config.ComputeTier), "")
	refuse(path.Root("database_tier"), known(config.DatabaseTier), "")
	refuse(path.Root("delete_tracing_project"), config.DeleteTracingProject.ValueBool(), "true")
	return diags
}

// withoutExtended plans null for what the service doesn't support. A configured value that is still unknown stays unknown:
// Terraform accepts no other plan, and the apply refuses any value.
func (m model) withoutExtended(ctx context.Context, config model) (model, diag.Diagnostics) {
	for _, attribute := range []*types.String{&m.URL, &m.DashboardURL, &m.TenantID, &m.TracingProjectID} {
		*attribute = framework.PlannedOr(*attribute, types.StringNull())
	}
	for _, attribute := range []struct {
		planned    *types.String
		configured types.String
	}{
		{&m.DisplayName, config.DisplayName}, {&m.DeploymentTier, config.DeploymentTier},
		{&m.ComputeTier, config.ComputeTier}, {&m.DatabaseTier, config.DatabaseTier},
	} {
		if !attribute.configured.IsUnknown() {
			*attribute.planned = framework.PlannedOr(*attribute.planned, types.StringNull())
		}
	}
	if !config.Shareable.IsUnknown() {
		m.Shareable = framework.PlannedOr(m.Shareable, types.BoolNull())
	}
	if !config.RouteThroughGateway.IsUnknown() {
		m.RouteThroughGateway = framework.PlannedOr(m.RouteThroughGateway, types.BoolNull())
	}
	return m.withSourceConfig(ctx, func(c *sourceConfigModel) { c.RepoBranch = framework.PlannedOr(c.RepoBranch, types.StringNull()) })
}

// uploaded says whether the code of the deployment is uploaded after its creation.
func uploaded(source types.String) bool {
	return slices.Contains([]api.Source{api.SourceInternalContainer, api.SourceInternalSource}, api.Source(source.ValueString()))
}

// afterCreate is the change that sets what a create request can't.
func (m model) afterCreate() (change, diag.Diagnostics) {
	c := change{displayName: types.StringNull()}
	if !m.DisplayName.IsUnknown() {
		c.displayName = m.DisplayName
	}
	if !uploaded(m.Source) {
		return c, nil
	}
	var diags diag.Diagnostics
	c.sourceRevisionConfig, diags = m.sourceRevisionConfig()
	return c, diags
}

// complete sends what the create request could not, and the environment if resend is set. A failure is only a warning: Terraform would
// replace the deployment, and the next plan shows what is missing.
func (r *deploymentResource) complete(
	ctx context.Context, plan model, created api.Deployment, resend bool, limit time.Duration,
) (*api.Deployment, diag.Diagnostics) {
	c, diags := plan.afterCreate()
	if resend {
		c.environment.changes = []string{reasonCreated}
	}
	if !c.write() || diags.HasError() {
		return &created, diags
	}
	w := r.writer(plan.WorkspaceID)
	err := w.shown(ctx, created.ID)
	var proof *rollout.Proof
	if err == nil {
		proof, err = w.patch(ctx, limit, created.ID, c, func(before api.Deployment) (api.DeploymentPatchRequest, bool) {
			patch, d := plan.toPatch(ctx, c, before, fingerprints{})
			diags.Append(d...)
			return patch, !d.HasError()
		})
	}
	if err != nil && !errors.Is(err, errNotBuilt) {
		diags.Append(plan.failure("complete").Diagnostics(err)...)
	}
	if err != nil {
		return &created, framework.AsWarnings(diags)
	}
	if c.revision() {
		proof.Deployment.LatestRevisionID = &proof.Revision.ID
	}
	return &proof.Deployment, diags
}

func (m model) toSecretReferences(ctx context.Context) (api.Optional[[]api.SecretReference], diag.Diagnostics) {
	if m.SecretReferences.IsNull() || m.SecretReferences.IsUnknown() {
		return api.Optional[[]api.SecretReference]{}, nil
	}
	byName := map[string]secretReferenceModel{}
	diags := m.SecretReferences.ElementsAs(ctx, &byName, false)
	references := make([]api.SecretReference, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		references = append(references, api.SecretReference{
			Name: name, SecretName: byName[name].SecretName.ValueString(), SecretKey: byName[name].SecretKey.ValueString(),
		})
	}
	return api.Some(references), diags
}

// validateReferences refuses variables that are set twice.
func validateReferences(config model) diag.Diagnostics {
	var diags diag.Diagnostics
	if source := config.Source; slices.Contains(inCloud, api.Source(source.ValueString())) &&
		!config.SecretReferences.IsNull() && !config.SecretReferences.IsUnknown() {
		diags.AddAttributeError(path.Root("secret_references"), "Attribute of another source",
			fmt.Sprintf("secret_references applies only to deployments of source %q, but source is %q. Remove it, or change source.",
				api.SourceExternalContainer, source.ValueString()))
	}
	merged, _ := config.variables()
	for name := range config.SecretReferences.Elements() {
		if _, twice := merged[name]; twice {
			diags.AddAttributeError(path.Root("secret_references").AtMapKey(name), "Variable in two maps",
				fmt.Sprintf("%s is set both from a Kubernetes secret and in environment, secrets or secrets_wo. Keep "+
					"only one.", name))
		}
	}
	return diags
}
