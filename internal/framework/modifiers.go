package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

const replaceIfKnown = "Changing this replaces the resource, unless the new value is unknown: it may turn out to be the " +
	"same."

// Consequence returns diagnostics about the replacement of a resource because of the attribute at a path.
type Consequence func(ctx context.Context, state tfsdk.State, at path.Path) diag.Diagnostics

// ReplaceString replaces the resource when the attribute changes to another known value. An unknown value may turn out to be the
// same; if it doesn't, Terraform stops the apply before anything is destroyed, and the plan warns of that.
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

// Undecided warns that the apply may stop: a plan can't become a replacement while it is being applied.
func Undecided(at path.Path) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Replacement not decided",
		fmt.Sprintf("%s will only be known during the apply. If it doesn't change, nothing is replaced. Otherwise, the "+
			"apply stops before it destroys or changes this resource; Terraform may report an inconsistent final plan. "+
			"In that case, apply again: the next plan shows the replacement.", at))}
}

// ComputedString is an attribute that the service sets. A plan keeps a known value; the resource's own ModifyPlan makes the
// attribute unknown if the apply will change it.
func ComputedString(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// KeptString is an argument that keeps its value when it is removed, and that the service sets if it never was configured.
func KeptString(description string, validators ...validator.String) schema.StringAttribute {
	kept := ComputedString(description)
	kept.Optional, kept.Validators = true, validators
	return kept
}

// KeyString is a required argument that identifies an object: changing it replaces the resource.
func KeyString(description string, validators ...validator.String) schema.StringAttribute {
	return Replacing(schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators})
}

// Replacing returns an argument whose change replaces the resource.
func Replacing(argument schema.StringAttribute) schema.StringAttribute {
	argument.PlanModifiers = append(argument.PlanModifiers, ReplaceString())
	return argument
}
