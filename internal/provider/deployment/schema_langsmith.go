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
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
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
		"route_through_gateway": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "Whether model calls go through the service's gateway. Default: `false`. Removing it keeps the " +
				"last value. **No revision**." + langsmithOnly,
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		},
		"delete_tracing_project": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying the deployment also deletes its tracing project, with all traces. A project " +
				"that is kept reserves its name. The project of a deployment that never had an active revision is always " +
				"deleted, unless it has runs. Default: `false`. **No revision**." + langsmithOnly,
		},
		"deployment_tier": tierAttribute(api.DeploymentTiers, "Tier of compute and database: `SERVERLESS_S`, `SERVERLESS_M`, "+
			"`SERVERLESS_L`, `DEDICATED_S`, `DEDICATED_M` or `DEDICATED_L`. `compute_tier` and `database_tier` take precedence."),
		"compute_tier":  tierAttribute(api.DeploymentTiers, "Tier of the compute, as in `deployment_tier`."),
		"database_tier": tierAttribute(api.DedicatedTiers, "Tier of the database: `DEDICATED_S`, `DEDICATED_M` or `DEDICATED_L`."),
		"url": framework.ComputedString(
			"URL of the deployment; null until it is deployed, or if unknown."),
		"dashboard_url": framework.ComputedString(
			"URL of the deployment in the service's UI, if known."),
		"tenant_id": framework.ComputedString(
			"Workspace as reported by the service, if it is."),
		"tracing_project_id": framework.ComputedString(
			"ID of the tracing project; null if unknown."),
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
			"secret_name": framework.RequiredString(
				"Name of the Kubernetes secret, in the deployment's namespace.",
				framework.DNSSubdomain(),
			),
			"secret_key": framework.RequiredString("Key in that secret.", secretKeyValidator()),
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
