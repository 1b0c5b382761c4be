package deployment

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// changeTo returns the change from state to plan. It sends a request only if the plan starts to manage something.
func changeTo(ctx context.Context, provider *framework.ProviderData, plan, state model, prints fingerprints) (change, diag.Diagnostics) {
	dialect := dialectOf(provider)
	spec, references, diags := current(ctx, provider, plan, state)
	c := newChange(plan, state, prints, spec)
	c.commands = dialect.CommandsMakeRevision
	hasVariables := len(state.EnvironmentNames.Elements()) > 0
	c.keepsLastVariable = dialect.KeepsLastSecret && hasVariables
	if variables, known := plan.variables(); dialect.KeepsLastSecret && known && len(variables) == 0 && !hasVariables {
		c.environment = reasons{} // The service ignores an empty environment, and it is empty already.
	}
	c.references = referencesReasons(plan.SecretReferences, state.SecretReferences, references)
	return c, diags
}

// current reads what the plan starts to manage and the state doesn't have: the resource_spec and the references of the service. They are nil
// if they aren't needed or can't be read.
func current(
	ctx context.Context, provider *framework.ProviderData, planned, state model,
) (spec *api.ResourceSpec, references []api.SecretReference, diags diag.Diagnostics) {
	has := state.sourceConfig().ResourceSpec
	startsSpec := resourcespec.StartsManaging(planned.sourceConfig().ResourceSpec, has)
	startsReferences := !planned.SecretReferences.IsNull() && !planned.SecretReferences.IsUnknown() && state.SecretReferences.IsNull()
	if provider.Client == nil || !startsSpec && !startsReferences {
		return nil, nil, nil
	}
	found, err := provider.In(state.WorkspaceID).Deployments().Get(ctx, state.ID.ValueString())
	if err != nil && startsSpec {
		diags.Append(notChecked(resourcespec.Path, err)...)
	}
	if err != nil && startsReferences {
		diags.Append(notChecked(path.Root("secret_references"), err)...)
	}
	if err != nil {
		return nil, nil, diags
	}
	if spec = found.SourceConfig.ResourceSpec; spec == nil { // None, or not reported.
		known, _, _ := resourcespec.ToAPI(has)
		spec = &known
	}
	if !startsSpec {
		spec = nil
	}
	return spec, found.SecretReferences, nil
}

// write sends the change, if there is anything to send, and returns the environment that it sent. Tiers are set first, so
// that they apply to the revision that the rest may make.
func write(
	ctx context.Context, limit time.Duration, op *framework.Operation[model], c change, prints fingerprints,
) (proof *rollout.Proof, secrets []api.Secret, diags diag.Diagnostics) {
	w, id := newWriter(op.ProviderData, op.State.WorkspaceID), op.State.ID.ValueString()
	notUpdated := func(failure framework.Failure, err error) diag.Diagnostics {
		failure.Gone = func() bool {
			_, err := w.client.Deployments().Find(ctx, id)
			return client.IsNotFound(err)
		}
		return failure.Diagnostics(err)
	}
	if c.tiers.any() {
		tiered, err := w.setTiers(ctx, limit, id, c.tiers, false)
		if err != nil {
			return nil, nil, notUpdated(op.Plan.failure(setTier), err)
		}
		if !c.write() {
			return tiered, nil, nil
		}
	}
	if !c.write() {
		current, err := w.client.Deployments().Get(ctx, id)
		if err != nil {
			return nil, nil, notUpdated(op.Plan.failure("update"), err)
		}
		return &rollout.Proof{Deployment: *current, Before: *current}, nil, nil
	}
	proof, secrets, diags, err := w.patch(ctx, limit, id, op.Plan, c, prints)
	if err != nil {
		diags.Append(notUpdated(op.Plan.failure("update", secrets...), err)...)
	}
	return proof, secrets, diags
}

// patch sends the change c to plan, with what it carries over from the service right before, and proves it. It returns the environment that it
// sent. If the request can't be built, the diagnostics say why, and there is no error.
func (w writer) patch(
	ctx context.Context, limit time.Duration, id string, plan model, c change, prints fingerprints,
) (proof *rollout.Proof, secrets []api.Secret, diags diag.Diagnostics, err error) {
	var patch api.DeploymentPatchRequest
	sent := func() sentPatch { return sentPatch{patch, w.client.Dialect(), c.removedSpec} }
	notBuilt := errors.New("no request was built")
	proof, err = rollout.Write{
		Client: w.client, Policy: w.policy, DeploymentID: id, Method: http.MethodPatch, Revision: c.revision(),
		Send: func(ctx context.Context, before api.Deployment) (*api.Deployment, error) {
			patch, diags = plan.toPatch(c, before, prints)
			var sent bool
			if secrets, sent = patch.Secrets.Get(); sent && len(secrets) == 0 && c.keepsLastVariable {
				diags.Append(lastVariable(plan)) // Unknown during the plan.
			}
			if diags.HasError() {
				return nil, notBuilt
			}
			return w.client.PatchDeployment(framework.MaskSecrets(ctx, secrets), id, patch) // Including preserved ones.
		},
		Differs: func(current api.Deployment) bool { return sent().differs(current) },
		Removed: func(before, now api.Deployment) bool {
			was, is := before.SourceConfig.ResourceSpec, now.SourceConfig.ResourceSpec
			return was != nil && is != nil && resourcespec.Removed(*was, *is, c.removedSpec)
		},
		Hides: func(before, now api.Deployment) bool { return sent().hidden(before, now) },
		Sent:  func() any { return patch },
	}.Do(ctx, limit)
	if errors.Is(err, notBuilt) {
		err = nil
	}
	return proof, secrets, diags, err
}

// setTiers sets the tiers in which the deployment differs from t. atOnce doesn't wait for another change in progress.
func (w writer) setTiers(ctx context.Context, limit time.Duration, id string, t tiers, atOnce bool) (*rollout.Proof, error) {
	return rollout.Write{
		Client: w.client, Policy: w.policy, DeploymentID: id, Method: http.MethodPatch, AtOnce: atOnce,
		Send: func(ctx context.Context, before api.Deployment) (answer *api.Deployment, err error) {
			if tier := differing(t.deployment, before.DeploymentTier); tier.Present {
				if answer, err = w.client.PatchDeploymentTier(ctx, id, *tier.Value); err != nil {
					return answer, err
				}
				before.ComputeTier, before.DatabaseTier = nil, nil // Set along with it.
			}
			parts := api.DeploymentResourceTiersUpdateRequest{
				ComputeTier: differing(t.compute, before.ComputeTier), DatabaseTier: differing(t.database, before.DatabaseTier),
			}
			if parts.ComputeTier.Present || parts.DatabaseTier.Present {
				return w.client.PatchResourceTiers(ctx, id, parts)
			}
			return answer, nil
		},
		Differs: func(d api.Deployment) bool {
			return differing(t.deployment, d.DeploymentTier).Present || differing(t.compute, d.ComputeTier).Present || differing(t.database, d.DatabaseTier).Present
		},
	}.Do(ctx, limit)
}

// differing returns the tier to send, if any.
func differing(wanted types.String, current *api.DeploymentTier) api.Optional[api.DeploymentTier] {
	if wanted.Equal(framework.String(current)) {
		return api.Optional[api.DeploymentTier]{}
	}
	return framework.ToOptional[api.DeploymentTier](wanted)
}

// sentPatch is a patch that was sent.
type sentPatch struct {
	api.DeploymentPatchRequest
	dialect *api.Dialect
	// removedSpec are the fields that it removes from the resource_spec.
	removedSpec []string
}

// differs reports whether a deployment has another value than one that was sent, as far as values can be read.
func (p sentPatch) differs(d api.Deployment) bool {
	as, _ := p.comparable(d)
	return p.specDiffers(d.SourceConfig.ResourceSpec) || client.Differs(p.DeploymentPatchRequest, as)
}

func (p sentPatch) specDiffers(current *api.ResourceSpec) bool {
	config, _ := p.SourceConfig.Get()
	spec, sent := config.ResourceSpec.Get()
	removed := p.removedSpec
	if p.dialect.FillsResourceSpec {
		removed = nil // Undocumented defaults may take their place.
	}
	return sent && current != nil && resourcespec.Differ(spec, *current, removed...)
}

// hidden reports whether the service returns neither the value of a part of the patch nor a difference from before. It returns a resolved ref,
// which may be the one that it had before.
func (p sentPatch) hidden(before, now api.Deployment) bool {
	_, hidden := p.comparable(now)
	revision, _ := p.SourceRevisionConfig.Get()
	ref := types.StringPointerValue(revision.RepoRef.Value)
	shows := func(prior types.String, d api.Deployment) bool {
		return ref.Equal(types.StringPointerValue(trackedRef(prior, types.StringNull(), d)))
	}
	return hidden || !ref.IsNull() && !shows(types.StringNull(), now) && shows(ref, before)
}

// comparable returns the deployment to compare the patch with: values that the service hides are those that were sent, and hides reports
// whether there are any. Services that hide the environment may return an empty one.
func (p sentPatch) comparable(d api.Deployment) (_ api.Deployment, hides bool) {
	config, _ := p.SourceConfig.Get()
	revision, _ := p.SourceRevisionConfig.Get()
	secrets, _ := p.Secrets.Get()
	hides = unreadable(secrets, d.Secrets)
	d.Secrets = readable(secrets, d.Secrets)
	hides = client.FillIn(&d.SourceRevisionConfig.SourceTarballPath, revision.SourceTarballPath) || hides
	if p.dialect.HidesSettings {
		hides = client.FillIn(&d.SourceConfig.InstallCommand, config.InstallCommand) || hides
		hides = client.FillIn(&d.SourceConfig.BuildCommand, config.BuildCommand) || hides
	}
	if references, sent := p.SecretReferences.Get(); sent && d.SecretReferences == nil {
		d.SecretReferences, hides = references, true
	}
	d.SourceRevisionConfig.RepoRef = trackedRef(types.StringPointerValue(revision.RepoRef.Value), types.StringNull(), d)
	if spec, sent := config.ResourceSpec.Get(); sent { // Its defaults and units are compared separately.
		hides = hides || d.SourceConfig.ResourceSpec == nil
		d.SourceConfig.ResourceSpec = &spec
	}
	return d, hides
}
