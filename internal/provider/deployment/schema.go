package deployment

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// deploymentSchema is built once: attribute types are derived from it with every answer.
var deploymentSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A deployment of an agent server. Creating it, and every change that makes a new revision, " +
			"waits until the revision is `DEPLOYED`.\n\n" +
			"A change either **replaces** the deployment (everything that identifies it), makes a **new revision** (what is " +
			"deployed and its environment), or makes **no revision** (the rest); each argument says which. A rollout that " +
			"failed or was interrupted is never hidden: the next plan shows an update that repairs it.",
		Attributes: framework.WithNestedTypes(withExtended(map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the deployment, unique in the workspace: letters, digits and dashes, beginning " +
					"with a letter. A tracing project of the same name is created with it. With the provider's `dialect = " +
					"\"langsmith\"`, a project that is there already blocks the name, and on own hosts names of more than 21 " +
					"characters are too long for the autoscaler. Changing it replaces the deployment.",
				PlanModifiers: []planmodifier.String{framework.ReplaceString(replaced)},
				Validators:    []validator.String{nameValidator()},
			},
			"source": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Where the code comes from: `git_host` builds a repository of a git hosting integration " +
					"(cloud), `external_container` runs a container image (self-hosted). With the provider's `dialect = \"langsmith\"` " +
					"also `internal_container` (an image pushed to the service's registry), `internal_source` (an uploaded archive) " +
					"and `internal_template` (a template of the service). Changing it replaces the deployment.",
				PlanModifiers: []planmodifier.String{framework.ReplaceString(replaced)},
				Validators:    []validator.String{newSourceValidator()},
			},
			"source_config":          sourceConfigAttribute(),
			"source_revision_config": sourceRevisionConfigAttribute(),
			"environment": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Environment variables that are no secrets: names to values, shown in plans. Changing " +
					"them makes a new revision. The service holds one set of variables: `environment`, `secrets` and " +
					"`secrets_wo` are merged into it and sent together, and a name stands in one of them only. With none of them " +
					"configured, the environment is not managed: removing all three leaves the variables as they are, and the plan " +
					"warns of it. Set `environment = {}` and apply that first to remove them. With the provider's `dialect = \"langsmith\"`, the last variable " +
					"can't be removed, and names that the service sets itself are refused.",
				Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
			},
			"secrets": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Environment variables that are secrets: names to values, hidden in plans but stored in " +
					"the state. Changing them makes a new revision. With Terraform 1.11 or newer, prefer `secrets_wo`.",
				Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
			},
			"secrets_wo": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				WriteOnly:   true,
				ElementType: types.StringType,
				MarkdownDescription: "Environment variables that are secrets: names to values that are stored neither in the " +
					"plan nor in the state (write-only, Terraform 1.11 or newer). Changing them makes a new revision: changes are " +
					"found by a salted fingerprint, or told by `secrets_wo_version` where that is set.",
				Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator())},
			},
			"secrets_wo_version": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Version of the values of `secrets_wo`. With it, new values are sent only when the version " +
					"changes: for values that differ in every run, such as short-lived tokens. Changing it makes a new revision; " +
					"setting it for the first time changes nothing.",
				Validators: []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("secrets_wo"))},
			},
			"environment_ownership": schema.StringAttribute{
				Optional: true,
				Computed: true,
				Default:  stringdefault.StaticString(ownershipAll),
				MarkdownDescription: "Whose the environment is. `all`: the resource's alone; names added elsewhere are drift, " +
					"shown in `secret_names` and removed by the next apply. `declared`: other names are left alone, and sent along " +
					"as they are; where the service hides their values, a change of the environment is refused. Default: `all`. " +
					"Changing it makes a new revision only if the environment changes with it.",
				Validators: []validator.String{stringvalidator.OneOf(ownershipAll, ownershipDeclared)},
			},
			"secret_names": schema.SetAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Names of the environment variables that the deployment has: all of them, or with " +
					"`environment_ownership = \"declared\"` those of this resource.",
				PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
			},
			"triggers": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Any values. Changing them makes a new revision of what is already there, for example when " +
					"a tag has been pushed again. Setting them for the first time makes none.",
			},
			"wait_for_deployed": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(true),
				MarkdownDescription: "Whether to wait until a new revision is `DEPLOYED`. Without, an apply ends when the service " +
					"has accepted the change; a rollout that fails later is repaired by the next apply all the same. Default: " +
					"`true`. Changing it changes nothing at the service.",
			},
			"on_failed_create": schema.StringAttribute{
				Optional: true,
				Computed: true,
				Default:  stringdefault.StaticString(onFailedCreateTaint),
				MarkdownDescription: "What happens when the first revision fails or is not deployed in time. `taint`: the apply " +
					"fails, and the next one replaces the deployment, even if it has become healthy by then. `keep`: the apply warns, " +
					"and the next one repairs the deployment with a new revision, or waits for it. To fail the apply without a taint, " +
					"add a `postcondition` on `latest_revision_status`. Default: `taint`. Changing it changes nothing at the " +
					"service.",
				Validators: []validator.String{stringvalidator.OneOf(onFailedCreateTaint, onFailedCreateKeep)},
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				Computed: true,
				Default:  booldefault.StaticBool(false),
				MarkdownDescription: "Whether to refuse any plan that destroys or replaces the deployment. Set it to `false` and " +
					"apply that before destroying; if the deployment is tainted, run `terraform untaint` first. Default: `false`. Changing it " +
					"changes nothing at the service.",
			},
			"timeouts": timeoutsAttribute(),
			"workspace_id": schema.StringAttribute{
				Optional: true,
				Computed: true,
				MarkdownDescription: "Workspace of the deployment, a UUID. Default: the provider's. Changing it replaces the " +
					"deployment.",
				PlanModifiers: []planmodifier.String{
					stringplanmodifier.UseStateForUnknown(),
					framework.ReplaceString(replaced),
				},
				Validators: []validator.String{framework.UUID()},
			},
			"id": computedString("ID of the deployment, a UUID."),
			"created_at": computedString(
				"When the deployment was created (RFC 3339)."),
			"updated_at": computedString(
				"When the deployment was last changed (RFC 3339)."),
			"status": computedString(
				"State of the deployment as a whole: `AWAITING_DATABASE`, `READY`, `UNUSED`, `AWAITING_DELETE`, `UNKNOWN`, or what a " +
					"younger service adds."),
			"latest_revision_id": computedString(
				"ID of the newest revision. A plan shows it as unknown only if the apply makes a new one."),
			"latest_revision_status": computedString(
				"State of the newest revision. Anything but `DEPLOYED` makes the next plan repair it: a revision in progress " +
					"is waited for, a failed one is made again."),
			"active_revision_id": computedString(
				"ID of the revision that is serving; null until the first one is deployed."),
			"image_version": computedString(
				"Version of the image that is serving, where the service reports one."),
		})),
	}
})

// attributeTypes are those of the nested attribute name.
func attributeTypes(name string) map[string]attr.Type {
	return nestedTypes(deploymentSchema().Attributes[name].GetType())
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		// plan.go makes those unknown that the apply will change.
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func timeoutsAttribute() schema.Attribute {
	const description = "How long operations may take. Changing it changes nothing at the service."
	return framework.Timeouts(context.Background(), description, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: timeoutDescription("the creation with the wait for its revision", "30m") + " A creation that takes longer " +
			"taints the deployment, and the next apply replaces it, unless `on_failed_create` is `keep`.",
		ReadDescription:   timeoutDescription("a refresh", "5m"),
		UpdateDescription: timeoutDescription("an update with the wait for its revision", "30m"),
		DeleteDescription: timeoutDescription("the deletion with the wait until the deployment is gone", "30m"),
	})
}

func timeoutDescription(what, byDefault string) string {
	return "How long " + what + " may take, as a duration such as `30s` or `2h45m`. Default: `" + byDefault +
		"`. Changing it changes nothing at the service."
}

func values[T ~string](enum []T) []string {
	all := make([]string, len(enum))
	for i, value := range enum {
		all[i] = string(value)
	}
	return all
}
