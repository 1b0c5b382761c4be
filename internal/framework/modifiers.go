package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

const replaceIfKnown = "Changing this replaces the resource, unless the new value is unknown: it may turn out to be the " +
	"same."

// Consequence says what it means that the attribute at a path replaces the resource of a state.
type Consequence func(ctx context.Context, state tfsdk.State, at path.Path) diag.Diagnostics

// ReplaceString replaces the resource when the attribute changes to another known value. An unknown one may turn out
// to be the same; if it doesn't, Terraform stops the apply before anything is destroyed, and the plan says so beforehand.
func ReplaceString(consequences ...Consequence) planmodifier.String {
	return stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			if req.PlanValue.IsUnknown() {
				resp.Diagnostics.Append(Undecided(req.Path)...)
				return
			}
			resp.RequiresReplace = true
			for _, consequence := range consequences {
				resp.Diagnostics.Append(consequence(ctx, req.State, req.Path)...)
			}
		}, replaceIfKnown, replaceIfKnown)
}

// UndecidedSummary is the summary of the warning by which plans with a replacement left open are known.
const UndecidedSummary = "Replacement not decided"

// Undecided prepares for an apply that stops: a plan can't be turned into a replacement while it is applied.
func Undecided(at path.Path) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, UndecidedSummary,
		fmt.Sprintf("%s will only be known during the apply. If it doesn't change, nothing is replaced. Otherwise, the "+
			"apply stops before it destroys or changes this resource; Terraform may report an inconsistent final plan. "+
			"In that case, apply again: the next plan shows the replacement.", at))}
}

// ComputedString is an attribute that the service decides. A plan keeps what is known of it; the resource's own plan makes
// unknown what the apply will change.
func ComputedString(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}
