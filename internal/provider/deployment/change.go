package deployment

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// change is the effective difference between a planned deployment and the one in the service. Plan and update share it, so that the plan
// predicts the update.
type change struct {
	// Null where nothing changes; unknown where something may.
	sourceConfig         sourceConfigModel
	sourceRevisionConfig sourceRevisionConfigModel
	resourceSpec         reasons
	// removedSpec are the fields of resource_spec to remove from the service.
	removedSpec []string
	// The environment is sent if there is a reason of either kind.
	environment, secretValues reasons
	displayName               types.String
	gateway                   types.Bool
	references                reasons
	tiers                     tiers
	// commands is true if changing the commands makes a revision in this dialect.
	commands bool
	// keepsLastVariable is true if the service has variables and doesn't remove the last one.
	keepsLastVariable bool
	// again requests a new revision of what is already deployed: the triggers changed, or the newest rollout failed.
	again reasons
	// resume asks to wait for the newest revision, which is still in progress or whose status isn't known.
	resume bool
	// wait is true if the update waits for a new revision.
	wait bool
	// undecided is true if a whole nested attribute is unknown.
	undecided bool
}

// newChange compares planned with state, the last response of the service. prints are the fingerprints of its environment; spec is its
// resource_spec, nil if it was not requested.
func newChange(planned, state model, prints fingerprints, spec *api.ResourceSpec) change {
	wanted, has := planned.sourceConfig(), state.sourceConfig()
	wantedRevision, hasRevision := planned.sourceRevisionConfig(), state.sourceRevisionConfig()
	removedSpec := prints.Spec.Removed(wanted.ResourceSpec, has.ResourceSpec)
	fields, undecided := resourcespec.Changes(wanted.ResourceSpec, has.ResourceSpec, spec, removedSpec...)
	resourceSpec := reasons{undecided: undecided}
	for _, field := range fields {
		resourceSpec.changes = append(resourceSpec.changes, resourcespec.Path.AtName(field).String())
	}
	environment, secretValues := environmentReasons(planned, state, prints)

	latest := api.RevisionStatus(state.LatestRevisionStatus.ValueString())
	wait := !planned.WaitForDeployed.Equal(types.BoolValue(false))
	return change{
		sourceConfig: sourceConfigModel{
			BuildOnPush:    changed(wanted.BuildOnPush, has.BuildOnPush),
			CustomURL:      changed(wanted.CustomURL, has.CustomURL),
			InstallCommand: changed(wanted.InstallCommand, has.InstallCommand),
			BuildCommand:   changed(wanted.BuildCommand, has.BuildCommand),
			// Everything else replaces the deployment.
		},
		sourceRevisionConfig: framework.Changes(wantedRevision, hasRevision),
		displayName:          changed(planned.DisplayName, state.DisplayName),
		gateway:              changed(planned.RouteThroughGateway, state.RouteThroughGateway),
		tiers:                tierChanges(planned, state),
		resourceSpec:         resourceSpec,
		removedSpec:          removedSpec,
		environment:          environment,
		secretValues:         secretValues,
		again:                againReasons(planned, state),
		resume:               wait && (rollout.InProgress(latest) || latest == "" && !state.LatestRevisionID.IsNull()),
		wait:                 wait,
		undecided:            planned.SourceConfig.IsUnknown() || planned.SourceRevisionConfig.IsUnknown(),
	}
}

// revision reports whether the service makes a new revision for the change.
func (c change) revision() bool { return c.reasons().any() }

// variables reports whether the change sends the environment.
func (c change) variables() bool { return c.environment.any() || c.secretValues.any() }

// request reports whether the change sends anything.
func (c change) request() bool { return c.write() || c.tiers.any() }

// write reports whether the change patches the deployment.
func (c change) write() bool {
	return c.revision() || anySet(c.displayName, c.gateway, c.sourceConfig.BuildOnPush, c.sourceConfig.CustomURL, c.sourceConfig.InstallCommand,
		c.sourceConfig.BuildCommand)
}

// waits reports whether to wait for a revision after the change.
func (c change) waits() bool { return c.wait && c.revision() || c.resume }

// changed is planned if it differs from state, else null. A planned null never differs: the service keeps what a request
// omits.
func changed[T attr.Value](planned, state T) (value T) {
	if !planned.Equal(state) {
		value = planned
	}
	return value // The zero value is null.
}

func anySet(values ...attr.Value) bool {
	return slices.ContainsFunc(values, func(v attr.Value) bool { return !v.IsNull() })
}

// settingChange is an attribute of a change that is a single value.
type settingChange struct {
	at    path.Path
	value attr.Value
	// revision is true if changing it makes a revision.
	revision bool
}

func (c change) settings() []settingChange {
	config, revision := path.Root("source_config"), path.Root("source_revision_config")
	return []settingChange{
		{revision.AtName("repo_ref"), c.sourceRevisionConfig.RepoRef, true},
		{revision.AtName("graph_config_path"), c.sourceRevisionConfig.GraphConfigPath, true},
		{revision.AtName("image_uri"), c.sourceRevisionConfig.ImageURI, true},
		{revision.AtName("source_tarball_path"), c.sourceRevisionConfig.SourceTarballPath, true},
		{config.AtName("install_command"), c.sourceConfig.InstallCommand, c.commands},
		{config.AtName("build_command"), c.sourceConfig.BuildCommand, c.commands},
		{config.AtName("build_on_push"), c.sourceConfig.BuildOnPush, false},
		{config.AtName("custom_url"), c.sourceConfig.CustomURL, false},
		{path.Root("display_name"), c.displayName, false},
		{path.Root("route_through_gateway"), c.gateway, false},
		{path.Root("deployment_tier"), c.tiers.deployment, false},
		{path.Root("compute_tier"), c.tiers.compute, false},
		{path.Root("database_tier"), c.tiers.database, false},
	}
}

// reasons returns those of the whole change. Values of secrets_wo count only if there is no other reason: ephemeral ones may differ when the
// plan is applied, and must not change the reasons then.
func (c change) reasons() reasons {
	all := reasons{undecided: c.undecided}
	for _, s := range c.settings() {
		if s.revision && !s.value.IsNull() {
			all.add(s.at, s.value)
		}
	}
	for _, part := range []reasons{c.environment, c.references, c.resourceSpec, c.again} {
		all = reasons{append(all.changes, part.changes...), all.undecided || part.undecided}
	}
	if !all.any() {
		return c.secretValues
	}
	return all
}

// attributes returns the paths of everything that the change sets, whether or not that makes a revision.
func (c change) attributes() []string {
	var all reasons
	for _, s := range c.settings() {
		if !s.value.IsNull() {
			all.add(s.at, s.value)
		}
	}
	return slices.Concat(all.changes, c.environment.changes, c.secretValues.changes, c.references.changes, c.resourceSpec.changes)
}

// reasonsAfter returns revision_reasons after a change of m, once all of it is known.
func (m model) reasonsAfter(c change) types.Object {
	if r := c.reasons(); r.any() {
		return r.object(m.LatestRevisionID)
	}
	return m.RevisionReasons
}

// againReasons are those for a new revision of what is already deployed. Setting triggers for the first time only records them, as
// after an import.
func againReasons(planned, state model) reasons {
	var again reasons
	if rollout.Failed(api.RevisionStatus(state.LatestRevisionStatus.ValueString())) {
		again.changes = []string{reasonFailed}
	}
	if !planned.Triggers.IsNull() && !state.Triggers.IsNull() {
		again.addMap("triggers", planned.Triggers, state.Triggers)
	}
	return again
}

// tiers are the tiers to set: null if there is nothing to set, unknown if that will only be known during the apply.
type tiers struct{ deployment, compute, database types.String }

func (t tiers) any() bool { return anySet(t.deployment, t.compute, t.database) }

// tierChanges are the tiers in which planned differs from state.
func tierChanges(planned, state model) tiers {
	t := tiers{
		deployment: changed(planned.DeploymentTier, state.DeploymentTier),
		compute:    changed(planned.ComputeTier, state.ComputeTier),
		database:   changed(planned.DatabaseTier, state.DatabaseTier),
	}
	if !t.deployment.IsNull() { // It sets the other two, so configured ones have to be set after it.
		t.compute, t.database = planned.ComputeTier, planned.DatabaseTier
	}
	return t
}

// reasons are the changes that make a new revision. A known list must not differ when Terraform plans again during the apply, so it is
// a function of the state, the private state and the configuration.
type reasons struct {
	// changes are paths of attributes and map keys, and the words below, but never values.
	changes []string
	// undecided is true if there may be other changes: a value is still unknown, or the service decides.
	undecided bool
}

// The reasons that aren't a changed attribute.
const (
	reasonCreated = "created"
	reasonFailed  = "failed rollout"
)

func (r reasons) any() bool { return len(r.changes) > 0 || r.undecided }

// add adds the attribute at a path, which has a new value.
func (r *reasons) add(at path.Path, value attr.Value) {
	if object, is := value.(types.Object); value.IsUnknown() || is && !known(object) {
		r.undecided = true
		return
	}
	r.changes = append(r.changes, at.String())
}

// addKey adds a key that a map gets or loses.
func (r *reasons) addKey(attribute, key string) {
	r.add(path.Root(attribute).AtMapKey(key), types.StringNull())
}

// addMap adds the keys in which two maps differ, or the whole attribute if they have the same keys and values.
func (r *reasons) addMap(attribute string, planned, state types.Map) {
	if planned.IsUnknown() || planned.Equal(state) {
		r.undecided = r.undecided || planned.IsUnknown()
		return
	}
	wanted, has := planned.Elements(), state.Elements()
	for key, value := range wanted {
		switch before, there := has[key]; {
		case !there:
			r.addKey(attribute, key)
		case !value.Equal(before):
			r.add(path.Root(attribute).AtMapKey(key), value)
		}
	}
	for key := range has {
		if _, stays := wanted[key]; !stays {
			r.addKey(attribute, key)
		}
	}
	if !r.any() {
		r.add(path.Root(attribute), planned)
	}
}

// object is the attribute revision_reasons for a revision that follows another one.
func (r reasons) object(previous types.String) types.Object {
	return types.ObjectValueMust(attributeTypes("revision_reasons"), map[string]attr.Value{
		"previous_revision_id": previous, "changes": nameSet(slices.Values(r.changes)),
	})
}
