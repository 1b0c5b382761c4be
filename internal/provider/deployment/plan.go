package deployment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// plan fills in the service's known defaults, and leaves exactly what the apply will change unknown.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	op, config, dialect := planning.Operation, planning.Config, dialectOf(planning.ProviderData)
	planned := planning.Plan.withDefaults(config)
	var state model
	if op.State != nil {
		state = *op.State
	}
	diags := refuseNew(config, state)
	if op.Client != nil {
		if !dialect.LangSmithAPI {
			planned = planned.withoutExtended(config)
		}
		diags.Append(refuseExtended(dialect, config)...)
		diags.Append(refuseReserved(dialect, planned)...)
	}
	if op.State == nil {
		planned.RevisionReasons = reasons{changes: []string{reasonCreated}}.object(types.StringNull())
		if !planning.Replaced.Checked {
			p, d := requested(ctx, op, planning.Replaced, planned)
			diags.Append(d...)
			diags.Append(check(ctx, op, p)...)
		}
		return planned, diags
	}
	diags.Append(replacePlacement(ctx, planning, planned)...)
	because := slices.Concat(planning.RequiresReplace, planned.replacing(state))
	planning.Checked = len(because) > 0
	if planning.Checked {
		diags.Append(op.UnlessGone(ctx, state, state.replaced(because[0]))...)
		diags.Append(check(ctx, op, creation{planned, state})...)
	}
	prints, d := loadFingerprints(ctx, op.Private)
	diags.Append(d...)
	planned, d = planUpdate(ctx, op.ProviderData, planned.withTiers(config, state), state, prints, planning.Checked)
	return planned, append(diags, d...)
}

// planUpdate predicts what an update from state to planned changes, and refuses an update that would lose something.
func planUpdate(
	ctx context.Context, provider *framework.ProviderData, planned, state model, prints fingerprints, replace bool,
) (model, diag.Diagnostics) {
	dialect := dialectOf(provider)
	c, diags := changeTo(ctx, provider, planned, state, prints)
	if c.variables() && planned.EnvironmentOwnership.ValueString() == ownershipDeclared {
		variables, _ := planned.variables()
		diags.Append(refuseUnreadable(prints.unreadable(variables), prints.Unreported)...)
	}
	if !replace {
		diags.Append(refuseEmptied(dialect, planned, c, state)...)
		diags.Append(warnOfReleased(dialect, planned, state, prints)...)
		diags.Append(warnOfRemoved(planned, state, prints)...)
		diags.Append(warnOfRepair(state, c)...)
		diags.Append(warnOfLostSpec(ctx, provider, planned, state, prints.Spec, c.resourceSpec.any())...)
		if c.resourceSpec.any() {
			diags.Append(refuseNumbers(provider, planned, state)...)
		}
		if c.write() {
			patch, _ := planned.toPatch(c, api.Deployment{}, prints) // Without what others have set, which the apply adds.
			diags.Append(refuseBody(dialect, planned, patch)...)
		}
	}
	if planned.releases(state, prints) {
		planned.EnvironmentNames = planned.releasedNames(state, prints)
	}
	planned.RevisionReasons = plannedReasons(provider, state, c)
	return planned.predict(c), diags
}

// withDefaults sets what the configuration omits and the service is known to default or to ignore. It copies the
// write-only map from the configuration.
func (m model) withDefaults(config model) model {
	m.SecretsWO = config.SecretsWO
	if config.managesEnvironment() {
		m.EnvironmentNames = config.variableNames()
	}
	if m.Source.IsUnknown() {
		return m
	}
	source := api.Source(m.Source.ValueString())
	gitHost := source == api.SourceGitHost
	configured := config.sourceConfig()
	m = m.withSourceConfig(func(planned *sourceConfigModel) {
		if configured.BuildOnPush.IsNull() {
			planned.BuildOnPush = types.BoolNull()
			if gitHost {
				planned.BuildOnPush = types.BoolValue(false)
			}
		}
		switch {
		case !configured.DeploymentType.IsNull():
		case !slices.Contains(inCloud, source):
			planned.DeploymentType = types.StringNull()
		case planned.DeploymentType.IsUnknown():
			planned.DeploymentType = types.StringValue(string(api.DeploymentTypeProd))
		}
	})
	if gitHost || m.SourceRevisionConfig.IsUnknown() {
		return m
	}
	return m.withCommit(types.StringNull())
}

// predict makes exactly the computed values unknown that the change will change: every unknown value spreads to all its
// references.
func (m model) predict(c change) model {
	if c.request() {
		m.UpdatedAt = types.StringUnknown()
	}
	if c.revision() || c.resume {
		m.UpdatedAt = types.StringUnknown()
		m.LatestRevisionStatus = types.StringUnknown()
		if m.URL.IsNull() && (m.Source.IsUnknown() || slices.Contains(inCloud, api.Source(m.Source.ValueString()))) {
			m.URL = types.StringUnknown() // Reported once a revision is active.
		}
		m.ActiveRevisionID = types.StringUnknown()
		m.ImageVersion = types.StringUnknown()
		if m.Status.ValueString() != string(api.DeploymentReady) {
			m.Status = types.StringUnknown()
		}
	}
	if !c.revision() {
		return m
	}
	m.LatestRevisionID = types.StringUnknown()
	m = m.predictBranch(c)
	if m.SourceRevisionConfig.IsUnknown() || m.Source.ValueString() == string(api.SourceExternalContainer) {
		return m
	}
	return m.withCommit(types.StringUnknown())
}

// predictBranch makes the tracked branch unknown if the tracked ref changes.
func (m model) predictBranch(c change) model {
	if c.sourceRevisionConfig.RepoRef.IsNull() && !m.SourceRevisionConfig.IsUnknown() {
		return m
	}
	return m.withSourceConfig(func(planned *sourceConfigModel) {
		if !planned.RepoBranch.IsNull() || !m.TenantID.IsNull() { // Otherwise, the service doesn't report branches.
			planned.RepoBranch = types.StringUnknown()
		}
	})
}

func (m model) withCommit(sha types.String) model {
	planned := m.sourceRevisionConfig()
	planned.RepoCommitSHA = sha
	m.SourceRevisionConfig = framework.ToObject(attributeTypes("source_revision_config"), planned)
	return m
}

// plannedReasons returns the revision_reasons of a plan. The dialect is unknown while the provider's configuration is.
func plannedReasons(provider *framework.ProviderData, state model, c change) types.Object {
	if because := c.reasons(); because.undecided || provider.Client == nil && because.any() {
		return types.ObjectUnknown(attributeTypes("revision_reasons"))
	}
	return state.reasonsAfter(c)
}

// withTiers makes tiers unknown that aren't configured and that the service may change along with another one.
func (m model) withTiers(config, state model) model {
	whole := !m.DeploymentTier.Equal(state.DeploymentTier)
	parts := !m.ComputeTier.Equal(state.ComputeTier) || !m.DatabaseTier.Equal(state.DatabaseTier)
	if parts && config.DeploymentTier.IsNull() {
		m.DeploymentTier = types.StringUnknown()
	}
	if whole && config.ComputeTier.IsNull() {
		m.ComputeTier = types.StringUnknown()
	}
	if whole && config.DatabaseTier.IsNull() {
		m.DatabaseTier = types.StringUnknown()
	}
	return m
}

// warnOfRepair explains why a plan makes a revision although nothing changed, which may be a surprise after an import.
func warnOfRepair(state model, c change) diag.Diagnostics {
	status := state.LatestRevisionStatus.ValueString()
	failed := rollout.Failed(api.RevisionStatus(status))
	c.again = reasons{}
	if !failed || c.revision() {
		return nil
	}
	return framework.WarningAt(path.Root("latest_revision_status"), "New revision after a failed one", "The newest revision of deployment %q, %s, "+
		"is %s. This apply makes a new revision with the same settings. To avoid that, for example when importing the deployment, first redeploy "+
		"a working revision in the service.", state.Name.ValueString(), state.LatestRevisionID.ValueString(), status)
}

// Behaviour and restrictions that depend on the dialect of the service.

// dialectOf returns the dialect of the service. While the provider's configuration is unknown, which happens only in plans, it is the neutral
// one.
func dialectOf(provider *framework.ProviderData) *api.Dialect {
	if provider.Client == nil {
		return api.Neutral
	}
	return provider.Client.Dialect()
}

// reservedByProject explains what may reserve a name that no deployment has; empty if nothing can.
func reservedByProject(dialect *api.Dialect, name string) string {
	if !dialect.ProjectsBlockNames {
		return ""
	}
	return fmt.Sprintf(" A tracing project %q also reserves the name, even if left by a deleted deployment. If it is no longer needed, delete it "+
		"in the service, with its traces. To delete a project together with its deployment, set delete_tracing_project.", name)
}

// keptProject explains why a deployment that has served can't be replaced by one of the same name; empty if it can.
func keptProject(dialect *api.Dialect, m model) string {
	if !dialect.ProjectsBlockNames || m.DeleteTracingProject.ValueBool() {
		return ""
	}
	return fmt.Sprintf(" If the rollout succeeds before that, the replacement fails: destroying the deployment keeps the "+
		"tracing project %q, which reserves the name.", m.Name.ValueString())
}

// adoptImported clears what an import should not manage: otherwise every default of the service would be managed.
func (m model) adoptImported(dialect *api.Dialect) model {
	if !dialect.FillsResourceSpec {
		return m
	}
	return m.withSourceConfig(func(c *sourceConfigModel) { c.ResourceSpec = types.ObjectNull(resourcespec.Types()) })
}

// withoutExtended plans null for what the service doesn't support. A configured value that is still unknown stays unknown:
// Terraform accepts no other plan, and the apply refuses any value.
func (m model) withoutExtended(config model) model {
	for _, attribute := range []struct {
		planned    *types.String
		configured types.String
	}{
		{&m.URL, config.URL}, {&m.DashboardURL, config.DashboardURL}, {&m.TenantID, config.TenantID},
		{&m.TracingProjectID, config.TracingProjectID}, {&m.DisplayName, config.DisplayName}, {&m.DeploymentTier, config.DeploymentTier},
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
	return m.withSourceConfig(func(c *sourceConfigModel) { c.RepoBranch = framework.PlannedOr(c.RepoBranch, types.StringNull()) })
}
