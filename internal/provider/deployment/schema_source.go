package deployment

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

func sourceConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "Settings of the deployment, depending on `source`.",
		Attributes: map[string]schema.Attribute{
			"integration_id": framework.ReplacingKnown(framework.OptionalString(
				"Git hosting integration to build from (data source `agentplane_integration`). Required and only for `git_host`. "+
					"**Forces replacement**.",
				framework.UUID(),
			)),
			"repo_url": framework.ReplacingKnown(framework.OptionalString(
				"URL of the repository, without credentials: `https://…`, `ssh://…` or `git@host:path`. Required and only for "+
					"`git_host`. **Forces replacement**.",
				repoURLValidator(),
			)),
			"deployment_type": framework.ReplacingKnown(framework.KeptString(
				"Tier of the deployment: `dev_free`, `dev` or `prod`, and with LangSmith also `dev_zero` or `dev_free_zero`. "+
					"Only in the cloud. Default: `prod`. **Forces replacement**.",
				framework.OneOf(slices.Concat(api.DeploymentTypes, api.ExtendedDeploymentTypes)...),
			)),
			"build_on_push": framework.KeptBool("Whether pushes to the branch `source_revision_config.repo_ref` make revisions. Must be " +
				"false if that is a tag. Only for `git_host`. Default: `false`. **No revision**."),
			"custom_url": framework.KeptString(
				"Custom URL of the deployment. Only for `external_container`. Removing it keeps the last value. **No revision**.",
				framework.URL(),
			),
			"resource_spec": resourcespec.Attribute(),
			"listener_id": framework.ReplacingKnown(framework.OptionalString(
				"Listener that runs the deployment (data source `agentplane_listener`). Required for `external_container` in "+
					"workspaces that have listeners, not allowed for `git_host`. **Forces replacement**.",
				framework.UUID(),
			)),
			"listener_config": listenerConfigAttribute(),
			"install_command": framework.KeptString(
				"Command that installs JavaScript dependencies, run from the root of the repository. Only for `git_host` and "+
					"`internal_source`. Default: detected. Removing it keeps the last value. **No revision**, but one with "+
					"LangSmith.",
				stringvalidator.LengthAtLeast(1),
			),
			"build_command": framework.KeptString(
				"Command that builds a JavaScript deployment, run from the directory of the graph configuration. Only for "+
					"`git_host` and `internal_source`. Removing it keeps the last value. **No revision**, but one with LangSmith.",
				stringvalidator.LengthAtLeast(1),
			),
			"template_id": framework.ReplacingKnown(framework.OptionalString(
				"Template to deploy. Required and only for `internal_template`. **Forces replacement**."+langsmithOnly,
				stringvalidator.LengthAtLeast(1),
			)),
			"repo_branch": framework.ComputedString(
				"Tracked branch, if any and reported.",
			),
		},
	}
}

func listenerConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Where the listener runs the deployment. Only with `listener_id`. **Forces replacement**, except " +
			"after an import from a service that doesn't return it: then the configured value is adopted.",
		Attributes: map[string]schema.Attribute{
			"k8s_namespace": framework.RequiredString(
				"Kubernetes namespace, one of the listener's `compute_config.k8s_namespaces`. Only for compute type `k8s`.",
				framework.DNSLabel(),
			),
		},
	}
}

func sourceRevisionConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "What is deployed, depending on `source`. **New revision**.",
		Attributes: map[string]schema.Attribute{
			"repo_ref": framework.OptionalString(
				"Branch (`main`) or full ref of a tag (`refs/tags/v1.2.3`) to build; commits aren't supported. Required and only "+
					"for `git_host`.",
				repoRefValidator(),
			),
			"graph_config_path": framework.OptionalString(
				"Path of the graph configuration file in the repository. Required and only for `git_host`.",
				stringvalidator.LengthAtLeast(1),
			),
			"image_uri": framework.OptionalString(
				"Container image. Required and only for `external_container` and `internal_container`.",
				framework.Image(),
			),
			"source_tarball_path": framework.OptionalString(
				"Archive to build: the path that the service assigned to the upload. Required and only for `internal_source`."+langsmithOnly,
				stringvalidator.LengthAtLeast(1),
			),
			"repo_commit_sha": framework.ComputedString("Commit that the newest revision was built from; null for `external_container`."),
		},
	}
}
