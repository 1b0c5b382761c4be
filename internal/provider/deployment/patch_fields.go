package deployment

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// sentPatch is a patch that was sent, with what it is compared by.
type sentPatch struct {
	api.DeploymentPatchRequest
	config   api.SourceConfigRequest
	revision api.SourceRevisionConfigRequest
	dialect  *api.Dialect
	// removedSpec are the fields that it removes from the resource_spec.
	removedSpec []string
}

func (w writer) sent(patch api.DeploymentPatchRequest, removedSpec ...string) sentPatch {
	return newSentPatch(w.client.Dialect(), patch, removedSpec...)
}

func newSentPatch(dialect *api.Dialect, patch api.DeploymentPatchRequest, removedSpec ...string) sentPatch {
	p := sentPatch{DeploymentPatchRequest: patch, dialect: dialect, removedSpec: removedSpec}
	p.config, _ = patch.SourceConfig.Get()
	p.revision, _ = patch.SourceRevisionConfig.Get()
	return p
}

// patchField says what a deployment shows of a field that patches send.
type patchField struct {
	name string // As in the request.
	// differs reports whether a deployment has another value than the patch, as far as values can be read.
	differs func(p sentPatch, d api.Deployment) bool
	// hides reports whether the service shows neither the value nor that something has changed.
	hides func(p sentPatch, before, now api.Deployment) bool
	// clear removes the field from a deployment if the patch sends it.
	clear func(p sentPatch, d *api.Deployment)
}

// patchFields are all fields that patches of this provider send.
var patchFields = []patchField{
	scalar("display_name", shown, func(p sentPatch) api.Optional[string] { return p.DisplayName }, func(d *api.Deployment) **string { return &d.DisplayName }),
	scalar("route_through_gateway", shown, func(p sentPatch) api.Optional[bool] { return p.RouteThroughGateway },
		func(d *api.Deployment) **bool { return &d.RouteThroughGateway }),
	scalar("source_config.build_on_push", shown, func(p sentPatch) api.Optional[bool] { return p.config.BuildOnPush },
		func(d *api.Deployment) **bool { return &d.SourceConfig.BuildOnPush }),
	scalar("source_config.custom_url", shown, func(p sentPatch) api.Optional[string] { return p.config.CustomURL },
		func(d *api.Deployment) **string { return &d.SourceConfig.CustomURL }),
	scalar("source_config.install_command", aSetting, func(p sentPatch) api.Optional[string] { return p.config.InstallCommand },
		func(d *api.Deployment) **string { return &d.SourceConfig.InstallCommand }),
	scalar("source_config.build_command", aSetting, func(p sentPatch) api.Optional[string] { return p.config.BuildCommand },
		func(d *api.Deployment) **string { return &d.SourceConfig.BuildCommand }),
	scalar("source_revision_config.image_uri", shown, func(p sentPatch) api.Optional[string] { return p.revision.ImageURI },
		func(d *api.Deployment) **string { return &d.SourceRevisionConfig.ImageURI }),
	scalar("source_revision_config.graph_config_path", shown, func(p sentPatch) api.Optional[string] { return p.revision.GraphConfigPath },
		func(d *api.Deployment) **string { return &d.SourceRevisionConfig.GraphConfigPath }),
	scalar("source_revision_config.source_tarball_path", mayBeMissing, func(p sentPatch) api.Optional[string] { return p.revision.SourceTarballPath },
		func(d *api.Deployment) **string { return &d.SourceRevisionConfig.SourceTarballPath }),
	{
		name: "source_revision_config.repo_ref",
		differs: func(p sentPatch, d api.Deployment) bool {
			return !client.Shows(p.revision.RepoRef, trackedRef(types.StringPointerValue(p.revision.RepoRef.Value), types.StringNull(), d))
		},
		hides: func(p sentPatch, before, now api.Deployment) bool { // It is reported resolved, as it may have been before.
			return !client.Shows(p.revision.RepoRef, trackedRef(types.StringNull(), types.StringNull(), now)) &&
				client.Shows(p.revision.RepoRef, trackedRef(types.StringPointerValue(p.revision.RepoRef.Value), types.StringNull(), before))
		},
		clear: func(p sentPatch, d *api.Deployment) {
			if p.revision.RepoRef.Present {
				d.SourceRevisionConfig.RepoRef, d.SourceConfig.RepoBranch = nil, nil
			}
		},
	},
	{
		name: "source_config.resource_spec",
		differs: func(p sentPatch, d api.Deployment) bool {
			removed := p.removedSpec
			if p.dialect.FillsResourceSpec {
				removed = nil // Undocumented defaults may take their place.
			}
			spec, sent := p.config.ResourceSpec.Get()
			return sent && d.SourceConfig.ResourceSpec != nil && resourcespec.Differ(spec, *d.SourceConfig.ResourceSpec, removed...)
		},
		hides: func(p sentPatch, _, now api.Deployment) bool {
			return p.config.ResourceSpec.Present && now.SourceConfig.ResourceSpec == nil
		},
		clear: func(p sentPatch, d *api.Deployment) {
			if p.config.ResourceSpec.Present {
				d.SourceConfig.ResourceSpec = nil
			}
		},
	},
	{
		name: "secret_references",
		differs: func(p sentPatch, d api.Deployment) bool {
			references, sent := p.SecretReferences.Get()
			return sent && d.SecretReferences != nil && !client.SameReferences(references, d.SecretReferences)
		},
		hides: func(p sentPatch, _, now api.Deployment) bool {
			return p.SecretReferences.Present && now.SecretReferences == nil
		},
		clear: func(p sentPatch, d *api.Deployment) {
			if p.SecretReferences.Present {
				d.SecretReferences = nil
			}
		},
	},
	{
		name: "secrets",
		differs: func(p sentPatch, d api.Deployment) bool {
			secrets, sent := p.Secrets.Get()
			return sent && variablesDiffer(secrets, d.Secrets)
		},
		hides: func(p sentPatch, _, now api.Deployment) bool {
			secrets, _ := p.Secrets.Get()
			return unreadable(secrets, now.Secrets)
		},
		clear: func(p sentPatch, d *api.Deployment) {
			if p.Secrets.Present {
				d.Secrets = nil
			}
		},
	},
}

// Whether a field may be missing in responses, although it has a value.
func shown(sentPatch) bool        { return false }
func aSetting(p sentPatch) bool   { return p.dialect.HidesSettings }
func mayBeMissing(sentPatch) bool { return true }

// scalar describes a field with one value.
func scalar[T comparable](
	name string, mayMiss func(sentPatch) bool, sent func(sentPatch) api.Optional[T], reported func(*api.Deployment) **T,
) patchField {
	return patchField{
		name: name,
		differs: func(p sentPatch, d api.Deployment) bool {
			has := *reported(&d)
			return !client.Shows(sent(p), has) && (has != nil || !mayMiss(p))
		},
		hides: func(p sentPatch, _, now api.Deployment) bool {
			return mayMiss(p) && sent(p).Present && *reported(&now) == nil
		},
		clear: func(p sentPatch, d *api.Deployment) {
			if sent(p).Present {
				*reported(d) = nil
			}
		},
	}
}

// differ reports whether a deployment has another value than one that was sent, as far as values can be read.
func (p sentPatch) differ(d api.Deployment) bool {
	return slices.ContainsFunc(patchFields, func(f patchField) bool { return f.differs(p, d) })
}

// hidden says whether the service shows nothing of a part of the patch, neither its values nor that something has changed.
func (p sentPatch) hidden(before, now api.Deployment) bool {
	return slices.ContainsFunc(patchFields, func(f patchField) bool { return f.hides(p, before, now) })
}

// removeFrom removes what was sent from a deployment.
func (p sentPatch) removeFrom(d *api.Deployment) {
	for _, f := range patchFields {
		f.clear(p, d)
	}
}

// variablesDiffer compares names, and the values that can be read. Services that hide the environment may return an empty one.
func variablesDiffer(sent, current []api.Secret) bool {
	values := map[string]string{}
	for _, secret := range sent {
		values[secret.Name] = secret.Value
	}
	return len(current) > 0 && (len(values) != len(current) || slices.ContainsFunc(current, func(secret api.Secret) bool {
		value, ok := values[secret.Name]
		return !ok || !hidden(secret) && value != secret.Value
	}))
}
