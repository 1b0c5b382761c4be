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
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const replaceIfKnown = "Changing this replaces the resource. An unknown value only does if it refers to something that the same " +
	"plan replaces."

// ReplaceString replaces the resource when the attribute changes to another known value. An unknown value may turn out to be the
// same; if it doesn't, Terraform stops the apply before anything is destroyed, and the plan warns of that. It is for resources whose
// replacement loses something; others have the framework's own modifier, which counts an unknown value as another one.
func ReplaceString() planmodifier.String {
	return Reference{}.ReplaceString()
}

// ReplaceString is ReplaceString for an argument that holds a reference: an unknown value will be another one if the plan replaces or
// destroys what the state refers to.
func (to Reference) ReplaceString() planmodifier.String {
	return ReplacingString{stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			if req.PlanValue.IsUnknown() {
				var workspace types.String
				if to.isName() {
					resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(workspaceID), &workspace)...)
				}
				if !to.Goes(ctx, workspace, req.StateValue) {
					resp.Diagnostics.Append(Undecided(req.Path)...)
					return
				}
			}
			resp.RequiresReplace = true
		}, replaceIfKnown, replaceIfKnown)}
}

// NotDecided is the summary of Undecided.
const NotDecided = "Replacement not decided"

// Undecided warns that the apply may stop: a plan can't become a replacement while it is being applied.
func Undecided(at path.Path) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, NotDecided,
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

// RequiredString is a required argument.
func RequiredString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: validators}
}

// OptionalString is an argument that is null if it isn't configured.
func OptionalString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// Replacing returns an argument that replaces the resource when it changes, also to an unknown value.
func Replacing(argument schema.StringAttribute) schema.StringAttribute {
	return modified(argument, ReplacingString{stringplanmodifier.RequiresReplace()})
}

// ReplacingKnown returns an argument that replaces the resource as ReplaceString does.
func ReplacingKnown(argument schema.StringAttribute) schema.StringAttribute {
	return modified(argument, ReplaceString())
}

func modified(argument schema.StringAttribute, modifier planmodifier.String) schema.StringAttribute {
	argument.PlanModifiers = append(argument.PlanModifiers, modifier)
	return argument
}

// OnlyReplacing is implemented by plan modifiers that do nothing but replace a resource whose attribute changes, or warn of that.
type OnlyReplacing interface{ OnlyReplaces() }

// ReplacingString is a modifier that only replaces.
type ReplacingString struct{ planmodifier.String }

// ReplacingBool is a modifier that only replaces.
type ReplacingBool struct{ planmodifier.Bool }

// ReplacingList is a modifier that only replaces.
type ReplacingList struct{ planmodifier.List }

// ReplacingMap is a modifier that only replaces.
type ReplacingMap struct{ planmodifier.Map }

// OnlyReplaces implements OnlyReplacing.
func (ReplacingString) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingBool) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingList) OnlyReplaces() {}

// OnlyReplaces implements OnlyReplacing.
func (ReplacingMap) OnlyReplaces() {}
