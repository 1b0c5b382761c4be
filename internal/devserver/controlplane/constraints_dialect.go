package controlplane

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// buildable reports whether there is something to build a revision from. Uploads to the service follow the creation.
func buildable(d api.Deployment) bool {
	artifact, uploaded := uploadFields[d.Source]
	return !uploaded || fieldOf(d, artifact) != nil
}

// uploadFields maps the sources whose code is uploaded to the service to the fields that name the upload.
var uploadFields = map[api.Source]string{
	api.SourceInternalContainer: "source_revision_config.image_uri",
	api.SourceInternalSource:    "source_revision_config.source_tarball_path",
}

// checkExplicit refuses a new deployment without the fields that its dialect requires explicitly.
func checkExplicit(dialect *api.Dialect, d api.Deployment) error {
	for _, wanted := range []struct {
		field form.Term
		here  bool
	}{
		{"source_config.resource_spec", dialect.RequiresResourceSpec && d.Source == api.SourceExternalContainer},
		{"source_config.deployment_type", dialect.RequiresBuildOnPush && inCloud(d.Source)},
		{"source_config.build_on_push", dialect.RequiresBuildOnPush && d.Source == api.SourceGitHost},
	} {
		if wanted.here && fieldOf(d, string(wanted.field)) == nil {
			return form.Broken("Source configuration error: '%s' is required for source '%s'.", wanted.field, d.Source)
		}
	}
	return nil
}

// checkVariables refuses environment variables that are reserved, set twice, or read from a cluster when there is none.
func checkVariables(dialect *api.Dialect, d api.Deployment) error {
	if len(d.SecretReferences) > 0 && d.Source != api.SourceExternalContainer {
		return form.Broken("'secret_references' applies to source '%s' only, not to '%s'.", api.SourceExternalContainer, d.Source)
	}
	names := form.Collect(d.Secrets, func(s api.Secret) string { return s.Name })
	names = append(names, form.Collect(d.SecretReferences, func(r api.SecretReference) string { return r.Name })...)
	if name, twice := firstDuplicate(names, func(name string) string { return name }); twice {
		return form.Broken("'secrets' and 'secret_references' have the name '%s' more than once.", name)
	}
	if !dialect.ReservesVariables {
		return nil
	}
	for _, name := range names {
		onOwnHosts, reserved := api.ReservedVariables[name]
		if reserved && (!onOwnHosts || inCloud(d.Source)) {
			return form.Broken("Environment variable '%s' is reserved: the service sets it.", name)
		}
	}
	return nil
}
