package deployment

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// langsmithOnly ends the descriptions of what other dialects refuse.
const langsmithOnly = " Only with the provider's `dialect = \"langsmith\"`."

// withExtended adds what only extended dialects have.
func withExtended(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"display_name": schema.StringAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "Name of the deployment for people. The service can't clear it: removing the argument keeps the " +
				"last value. Changing it makes no revision." + langsmithOnly,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"secret_references": schema.MapNestedAttribute{
			Optional: true,
			MarkdownDescription: "Environment variables that are filled from Kubernetes secrets: names to where the value stands. " +
				"An empty map removes all of them; without the argument they are not managed. Only for `external_container`. " +
				"Changing them makes a new revision." + langsmithOnly,
			Validators: []validator.Map{mapvalidator.KeysAre(environmentNameValidator()), mapvalidator.NoNullValues()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"secret_name": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Name of the Kubernetes secret, in the namespace where the deployment runs. Changing it makes " +
						"a new revision.",
					Validators: []validator.String{dnsSubdomainValidator()},
				},
				"secret_key": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "Key in that secret. Changing it makes a new revision.",
					Validators:          []validator.String{secretKeyValidator()},
				},
			}},
		},
		"shareable": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "Whether users outside the organization may be let in. Default: `false`. Changing it replaces the " +
				"deployment." + langsmithOnly,
			PlanModifiers: []planmodifier.Bool{
				boolplanmodifier.UseStateForUnknown(),
				boolplanmodifier.RequiresReplaceIf(replaceShareable, replaceKnown, replaceKnown),
			},
		},
		"delete_tracing_project": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying the deployment deletes its tracing project, too, with all traces. A project " +
				"that stays behind keeps its name from being used again. The project of a deployment that never had an active " +
				"revision is always deleted if it holds no runs. Default: `false`. Changing it changes nothing at the service." + langsmithOnly,
		},
		"url": computedString(
			"Address at which the deployment serves, once there is something to serve; null where the service doesn't tell it."),
		"dashboard_url": computedString(
			"Address of the page that shows the deployment to people; null where none is known."),
		"tenant_id": computedString(
			"Workspace that the service says the deployment belongs to, a UUID; null where it says nothing."),
		"tracing_project_id": computedString(
			"ID of the tracing project of the deployment, a UUID; null where the service doesn't tell it. The data source " +
				"`agentplane_tracing_project` finds the project by name."),
	})
	return attributes
}

const replaceKnown = "Changing this to another known value replaces the deployment."

func replaceShareable(ctx context.Context, req planmodifier.BoolRequest, resp *boolplanmodifier.RequiresReplaceIfFuncResponse) {
	// What the state knows nothing of is not shared.
	if req.PlanValue.IsUnknown() || req.PlanValue.ValueBool() == req.StateValue.ValueBool() {
		return
	}
	resp.RequiresReplace = true
	resp.Diagnostics.Append(replaced(ctx, req.State, req.Path)...)
}

func templateIDAttribute() schema.Attribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Template to deploy. Required for `internal_template`, not allowed otherwise. Changing it replaces the " +
			"deployment." + langsmithOnly,
		PlanModifiers: []planmodifier.String{framework.ReplaceString(replaced)},
		Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}
