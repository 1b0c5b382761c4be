package deployment

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

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

// hidden reports whether the service shows nothing of a part of the patch, neither its value nor that something has changed. A ref is
// reported resolved, as it may have been before.
func (p sentPatch) hidden(before, now api.Deployment) bool {
	_, hidden := p.comparable(now)
	revision, _ := p.SourceRevisionConfig.Get()
	ref := types.StringPointerValue(revision.RepoRef.Value)
	shows := func(prior types.String, d api.Deployment) bool {
		return ref.Equal(types.StringPointerValue(trackedRef(prior, types.StringNull(), d)))
	}
	return hidden || !ref.IsNull() && !shows(types.StringNull(), now) && shows(ref, before)
}

// comparable returns a deployment as it must be compared with the patch: what it doesn't show is as sent, and hides says that there is such
// a part. Services that hide the environment may return an empty one.
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
