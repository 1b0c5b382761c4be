package deployment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

// warnOfRepair explains why a plan makes a revision although nothing changed, which may be a surprise after an import.
func warnOfRepair(state model, c change) diag.Diagnostics {
	status := state.LatestRevisionStatus.ValueString()
	failed := rollout.Failed(api.RevisionStatus(status))
	c.again = reasons{}
	if !failed || c.revision() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("latest_revision_status"), "New revision after a failed one",
		fmt.Sprintf("The newest revision of deployment %q, %s, is %s. This apply makes a new revision with the same "+
			"settings. To avoid that, for example when importing the deployment, first redeploy a working revision in "+
			"the service.",
			state.Name.ValueString(), state.LatestRevisionID.ValueString(), status))}
}

// longestName is the limit of a DNS label: the service makes one from the name.
const longestName = 63

// refuseName returns an error if the name of a new deployment can't be part of a host name. An existing deployment already
// works with its name.
func refuseName(name types.String) diag.Diagnostics {
	at, value := path.Root("name"), name.ValueString()
	switch {
	case len(value) > longestName:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Invalid name",
			fmt.Sprintf("%s is %q, which has %d characters. It becomes part of host names, which allow at most %d. "+
				"Choose a shorter one.", at, value, len(value), longestName))}
	case strings.HasSuffix(value, "-"):
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Invalid name",
			fmt.Sprintf("%s is %q, which ends with a dash. It becomes part of host names, which can't end with one. End "+
				"it with a letter or a digit.", at, value))}
	}
	return nil
}

// refuseNew refuses settings that the service refuses, unless the deployment already has them: generated configuration repeats them, and
// what was accepted once is accepted again.
func refuseNew(config, state model) diag.Diagnostics {
	wanted, has := config.sourceConfig(), state.sourceConfig()
	ref, hasRef := config.sourceRevisionConfig(), state.sourceRevisionConfig()
	diags := refuseCommit(ref.RepoRef, hasRef.RepoRef)
	if !ref.ImageURI.Equal(hasRef.ImageURI) {
		diags.Append(framework.RefuseDigest(path.Root("source_revision_config").AtName("image_uri"), ref.ImageURI.ValueString())...)
	}
	diags.Append(resourcespec.RefuseContainers(wanted.ResourceSpec, has.ResourceSpec)...)
	source := api.Source(config.Source.ValueString())
	for _, setting := range []struct {
		name        string
		sources     []api.Source
		wanted, has types.String
	}{
		{"custom_url", ownImages, wanted.CustomURL, has.CustomURL},
		{"install_command", built, wanted.InstallCommand, has.InstallCommand},
		{"build_command", built, wanted.BuildCommand, has.BuildCommand},
	} {
		if source == "" || slices.Contains(setting.sources, source) || setting.wanted.IsNull() || setting.wanted.IsUnknown() ||
			setting.wanted.Equal(setting.has) && config.Source.Equal(state.Source) {
			continue
		}
		at := path.Root("source_config").AtName(setting.name)
		why := "it applies only to deployments of source " + either(setting.sources)
		if setting.name == "custom_url" {
			why = fmt.Sprintf("the service sets it itself for deployments of source %q", source)
		}
		diags.AddAttributeError(at, "Attribute of another source", fmt.Sprintf("%s is %q, but %s. Remove it.", at, setting.wanted.ValueString(), why))
	}
	return diags
}
