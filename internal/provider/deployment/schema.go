package deployment

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// deploymentSchema is built once: attribute types are derived from it for every response.
var deploymentSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A deployment of an agent server. An apply waits until a new revision is `DEPLOYED`. LangSmith " +
			"describes deployments and revisions under [control plane](https://docs.langchain.com/langsmith/control-plane).\n\n" +
			"The description of an argument, or of the one that contains it, ends with what a change does: it destroys the " +
			"deployment and creates another one (**forces replacement**), deploys it again (**new revision**), changes it in place " +
			"(**no revision**), or only concerns the provider (**not sent** to the service). Arguments marked LangSmith only need " +
			"the provider's `dialect = \"langsmith\"`.",
		Attributes: framework.WithNestedTypes(withExtended(map[string]schema.Attribute{
			"name": framework.ReplacingKnown(framework.RequiredString("Name of the deployment and of its tracing project, unique in the "+
				"workspace: letters, digits and dashes, beginning with a letter. With LangSmith, an existing tracing project reserves its name, "+
				"and the autoscaler of self-hosted installations supports at most 21 characters. A replacement with `create_before_destroy` needs "+
				"another name. **Forces replacement**.", nameValidator())),
			"source": framework.ReplacingKnown(framework.RequiredString("Where the code comes from: `git_host` builds a repository of a Git "+
				"hosting integration (cloud), `external_container` runs a container image (self-hosted). LangSmith also has `internal_container` "+
				"(an image pushed to the service's registry), `internal_source` (an uploaded archive) and `internal_template` (a template of the "+
				"service). **Forces replacement**.", newSourceValidator())),
			"source_config":          sourceConfigAttribute(),
			"source_revision_config": sourceRevisionConfigAttribute(),
			"environment": framework.OptionalTexts("Environment variables that aren't secret, shown in plans. A name can be in only one of "+
				"`environment`, `secrets` and `secrets_wo`. Without any of the three, the environment isn't managed: to "+
				"remove the variables, apply `environment = {}` first. With LangSmith, the last variable can't be removed, "+
				"and names that the service sets itself are refused. **New revision**.", mapvalidator.KeysAre(environmentNameValidator())),
			"secrets": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Secret environment variables, hidden in plans but stored in state. With Terraform 1.11 or newer, prefer " +
					"`secrets_wo`. **New revision**.",
				Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
			},
			"secrets_wo": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				WriteOnly:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Secret environment variables, stored neither in plans nor in state. Changes are detected " +
					"with a salted fingerprint, or with `secrets_wo_version` if set. **New revision**.",
				Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
			},
			"secrets_wo_version": framework.OptionalInt64("Version of `secrets_wo`. If set, new values are sent only when it changes. Use it for "+
				"values that differ in every run, such as short-lived tokens. **New revision**, except when first set.", int64validator.AlsoRequires(path.MatchRoot("secrets_wo"))),
			"environment_ownership": framework.StringOr(ownershipAll, "Which variables this resource manages. `all`: the next apply removes variables added "+
				"elsewhere, which `environment_names` shows. `declared`: only those set here; if the service masks the "+
				"values of others, changes are refused. Default: `all`. **New revision** if the environment changes with it.", framework.OneOf(ownershipAll, ownershipDeclared)),
			"environment_names": schema.SetAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Names of the environment variables. With `environment_ownership = \"declared\"`, only " +
					"those of this resource.",
				PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
			},
			"triggers": framework.OptionalTexts("Arbitrary values. A change deploys the same source again, for example after a tag was " +
				"pushed again. **New revision**, except when first set."),
			"wait_for_deployed": framework.BoolOr(true, "Whether to wait until a new revision is `DEPLOYED`. If `false`, the next apply repairs a "+
				"failed rollout. Default: `true`. **Not sent**."),
			"on_failed_create": framework.StringOr(onFailedCreateTaint, "What to do if the first revision fails or isn't deployed in time. `taint`: the apply "+
				"fails, and the next one replaces the deployment, even if it is healthy by then. `keep`: the apply warns, "+
				"and the next one repairs the deployment or waits for it. Default: `taint`. **Not sent**.", framework.OneOf(onFailedCreateTaint, onFailedCreateKeep)),
			"deletion_protection": framework.BoolOr(false, "Whether to refuse plans that destroy or replace the deployment. To destroy it, first apply "+
				"`false`; if it is tainted, run `terraform untaint` before. Default: `false`. **Not sent**."),
			"timeouts": timeoutsAttribute(),
			"workspace_id": framework.ReplacingKnown(framework.KeptString("Workspace of the deployment. Default: the provider's. **Forces "+
				"replacement**.", framework.UUID())),
			"id":         framework.ComputedString("ID of the deployment."),
			"created_at": framework.ComputedString("Time of creation (RFC 3339)."),
			"updated_at": framework.ComputedString("Time of the last change (RFC 3339)."),
			"status":     framework.ComputedString("Status: `AWAITING_DATABASE`, `READY`, `UNUSED`, `AWAITING_DELETE`, `UNKNOWN`, or a newer one."),
			"latest_revision_id": framework.ComputedString(
				"ID of the newest revision. `(known after apply)` in a plan means that the apply makes a new revision."),
			"latest_revision_status": framework.ComputedString(
				"Status of the newest revision. Unless it is `DEPLOYED`, the next plan shows an update that waits or repairs."),
			"active_revision_id": framework.ComputedString("ID of the active revision; null until the first one is deployed."),
			"revision_reasons": schema.SingleNestedAttribute{
				Computed: true,
				MarkdownDescription: "Why the last apply that made a revision made it, or in a plan, why this one does. Null " +
					"until this resource makes a revision, for example after an import.",
				Attributes: map[string]schema.Attribute{
					"previous_revision_id": schema.StringAttribute{
						Computed:            true,
						MarkdownDescription: "ID of the previous revision; null for a new deployment.",
					},
					"changes": schema.SetAttribute{
						Computed:    true,
						ElementType: types.StringType,
						MarkdownDescription: "[Reasons](../guides/revisions.md#why-a-plan-makes-a-revision), such as " +
							"`secrets_wo[\"API_KEY\"]`, `created` or `failed rollout`. Never values.",
					},
				},
			},
			"image_version": framework.ComputedString("Version of the running image, if the service reports one."),
		})),
	}
})

// attributeTypes are those of the nested attribute name.
func attributeTypes(name string) map[string]attr.Type {
	return framework.NestedTypes(deploymentSchema().Attributes[name].GetType())
}

func timeoutsAttribute() schema.Attribute {
	const description = "Timeouts, such as `30s` or `2h45m`. **Not sent**."
	return framework.Timeouts(context.Background(), description, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: timeoutDescription("creating, including the rollout; `on_failed_create` says what follows", "30m"),
		ReadDescription:   timeoutDescription("a refresh", "5m"),
		UpdateDescription: timeoutDescription("an update, including the rollout", "30m"),
		DeleteDescription: timeoutDescription("deleting, until the deployment is gone", "30m"),
	})
}

func timeoutDescription(what, byDefault string) string {
	return "Limit for " + what + ". Default: `" + byDefault + "`."
}

// The values of on_failed_create and environment_ownership.
const (
	onFailedCreateTaint = "taint"
	onFailedCreateKeep  = "keep"
	ownershipAll        = "all"
	ownershipDeclared   = "declared"
)

// langsmithOnly ends the descriptions of what other dialects refuse.
const langsmithOnly = " LangSmith only."

// withExtended adds the attributes that only extended dialects have.
func withExtended(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"display_name": framework.KeptString(
			"Display name of the deployment. Removing it keeps the last value. **No revision**."+langsmithOnly,
			stringvalidator.LengthAtLeast(1),
		),
		"secret_references": secretReferencesAttribute(),
		"shareable": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "Whether users outside the organization can be given access. Default: `false`. **Forces " +
				"replacement**." + langsmithOnly,
			PlanModifiers: []planmodifier.Bool{
				boolplanmodifier.UseStateForUnknown(),
				framework.ReplacingBool{Bool: boolplanmodifier.RequiresReplaceIf(replaceShareable, replaceKnown, replaceKnown)},
			},
		},
		"route_through_gateway": framework.KeptBool("Whether model calls go through the service's gateway. Default: `false`. Removing it keeps the " +
			"last value. **No revision**." + langsmithOnly),
		"delete_tracing_project": framework.BoolOr(false, "Whether destroying the deployment also deletes its tracing project, with all traces. A project "+
			"that is kept reserves its name. The project of a deployment that never had an active revision is always "+
			"deleted, unless it has runs. Default: `false`. **No revision**."+langsmithOnly),
		"deployment_tier": tierAttribute(api.DeploymentTiers, "Tier of compute and database: `SERVERLESS_S`, `SERVERLESS_M`, "+
			"`SERVERLESS_L`, `DEDICATED_S`, `DEDICATED_M` or `DEDICATED_L`. `compute_tier` and `database_tier` take precedence."),
		"compute_tier":       tierAttribute(api.DeploymentTiers, "Tier of the compute, as in `deployment_tier`."),
		"database_tier":      tierAttribute(api.DedicatedTiers, "Tier of the database: `DEDICATED_S`, `DEDICATED_M` or `DEDICATED_L`."),
		"url":                framework.ComputedString("URL of the deployment; null until it is deployed, or if unknown."),
		"dashboard_url":      framework.ComputedString("URL of the deployment in the service's UI, if known."),
		"tenant_id":          framework.ComputedString("Workspace as reported by the service, if it is."),
		"tracing_project_id": framework.ComputedString("ID of the tracing project; null if unknown."),
	})
	return attributes
}

func secretReferencesAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "Environment variables from Kubernetes secrets, by name. `{}` removes all; omit it to leave them " +
			"unmanaged. Only for `external_container`. **New revision**." + langsmithOnly,
		Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"secret_name": framework.RequiredString("Name of the Kubernetes secret, in the deployment's namespace.", framework.DNSSubdomain()),
			"secret_key":  framework.RequiredString("Key in that secret.", secretKeyValidator()),
		}},
	}
}

func tierAttribute(tiers []api.DeploymentTier, description string) schema.Attribute {
	return framework.KeptString(description+" Removing it keeps the last value. **No revision**."+langsmithOnly, framework.OneOf(tiers...))
}

const replaceKnown = "Changing this to another known value replaces the deployment."

func replaceShareable(_ context.Context, req planmodifier.BoolRequest, resp *boolplanmodifier.RequiresReplaceIfFuncResponse) {
	// A value that isn't in the state can't be kept.
	if req.PlanValue.IsUnknown() || req.PlanValue.ValueBool() == req.StateValue.ValueBool() {
		return
	}
	resp.RequiresReplace = true
}

func sourceConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "Settings of the deployment, depending on `source`.",
		Attributes: map[string]schema.Attribute{
			"integration_id": framework.ReplacingKnown(framework.OptionalString("Git hosting integration to build from (data source "+
				"`agentplane_integration`). Required and only for `git_host`. **Forces replacement**.", framework.UUID())),
			"repo_url": framework.ReplacingKnown(framework.OptionalString(
				"URL of the repository, without credentials: `https://…`, `ssh://…` or `git@host:path`. Required and only for "+
					"`git_host`. **Forces replacement**.",
				repoURLValidator(),
			)),
			"deployment_type": framework.ReplacingKnown(framework.KeptString("Tier of the deployment: `dev_free`, `dev` or `prod`, and with "+
				"LangSmith also `dev_zero` or `dev_free_zero`. Only in the cloud. Default: `prod`. **Forces replacement**.",
				framework.OneOf(slices.Concat(api.DeploymentTypes, api.ExtendedDeploymentTypes)...))),
			"build_on_push": framework.KeptBool("Whether pushes to the branch `source_revision_config.repo_ref` make revisions. Must be " +
				"false if that is a tag. Only for `git_host`. Default: `false`. **No revision**."),
			"custom_url": framework.KeptString("Custom URL of the deployment. Only for `external_container`. Removing it keeps the last value. "+
				"**No revision**.", framework.URL()),
			"resource_spec": resourcespec.Attribute(),
			"listener_id": framework.ReplacingKnown(framework.OptionalString("Listener that runs the deployment (data source "+
				"`agentplane_listener`). Required for `external_container` in workspaces that have listeners, not allowed for `git_host`. "+
				"**Forces replacement**.", framework.UUID())),
			"listener_config": listenerConfigAttribute(),
			"install_command": framework.KeptString("Command that installs JavaScript dependencies, run from the root of the repository. Only for "+
				"`git_host` and `internal_source`. Default: detected. Removing it keeps the last value. **No revision**, but one with LangSmith.",
				stringvalidator.LengthAtLeast(1)),
			"build_command": framework.KeptString("Command that builds a JavaScript deployment, run from the directory of the graph "+
				"configuration. Only for `git_host` and `internal_source`. Removing it keeps the last value. **No revision**, but one with "+
				"LangSmith.", stringvalidator.LengthAtLeast(1)),
			"template_id": framework.ReplacingKnown(framework.OptionalString(
				"Template to deploy. Required and only for `internal_template`. **Forces replacement**."+langsmithOnly,
				stringvalidator.LengthAtLeast(1),
			)),
			"repo_branch": framework.ComputedString("Tracked branch, if any and reported."),
		},
	}
}

func listenerConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Where the listener runs the deployment. Only with `listener_id`. **Forces replacement**, except " +
			"after an import from a service that doesn't return it: then the configured value is adopted.",
		Attributes: map[string]schema.Attribute{
			"k8s_namespace": framework.RequiredString("Kubernetes namespace, one of the listener's `compute_config.k8s_namespaces`. Only for "+
				"compute type `k8s`.", framework.DNSLabel()),
		},
	}
}

func sourceRevisionConfigAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "What is deployed, depending on `source`. **New revision**.",
		Attributes: map[string]schema.Attribute{
			"repo_ref": framework.OptionalString("Branch (`main`) or full ref of a tag (`refs/tags/v1.2.3`) to build; commits aren't supported. "+
				"Required and only for `git_host`.", repoRefValidator()),
			"graph_config_path": framework.OptionalString("Path of the graph configuration file in the repository. Required and only for "+
				"`git_host`.", stringvalidator.LengthAtLeast(1)),
			"image_uri": framework.OptionalString("Container image. Required and only for `external_container` and `internal_container`.",
				framework.Image()),
			"source_tarball_path": framework.OptionalString(
				"Archive to build: the path that the service assigned to the upload. Required and only for `internal_source`."+langsmithOnly,
				stringvalidator.LengthAtLeast(1),
			),
			"repo_commit_sha": framework.ComputedString("Commit that the newest revision was built from; null for `external_container`."),
		},
	}
}
