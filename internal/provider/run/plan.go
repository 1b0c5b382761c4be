package run

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// replaceOther replaces only for another value: an equivalent one logs no other run.
func replaceOther(same func(ctx context.Context, before, after string) bool) planmodifier.String {
	const description = "Changing the value replaces the resource; an equivalent value doesn't."
	return framework.ReplacingString{String: stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			if req.PlanValue.IsUnknown() {
				resp.Diagnostics.Append(framework.Undecided(req.Path)...)
				return
			}
			resp.RequiresReplace = req.PlanValue.IsNull() || req.StateValue.IsNull() ||
				!same(ctx, req.StateValue.ValueString(), req.PlanValue.ValueString())
		}, description, description)}
}

const replaceKnown = "Changing a known value replaces the resource."

func replaceMetadata(_ context.Context, req planmodifier.MapRequest, resp *mapplanmodifier.RequiresReplaceIfFuncResponse) {
	differs := !maps.EqualFunc(req.PlanValue.Elements(), req.StateValue.Elements(), mayEqual)
	resp.RequiresReplace, resp.Diagnostics = replaceElements(req.Path, req.PlanValue, req.StateValue, differs)
}

func replaceTags(_ context.Context, req planmodifier.ListRequest, resp *listplanmodifier.RequiresReplaceIfFuncResponse) {
	differs := !slices.EqualFunc(req.PlanValue.Elements(), req.StateValue.Elements(), mayEqual)
	resp.RequiresReplace, resp.Diagnostics = replaceElements(req.Path, req.PlanValue, req.StateValue, differs)
}

// replaceElements replaces for other elements, and none are not an empty collection.
func replaceElements(at path.Path, is, was attr.Value, differs bool) (bool, diag.Diagnostics) {
	if is.IsUnknown() || !differs && is.IsNull() == was.IsNull() {
		return false, framework.Undecided(at)
	}
	return true, nil
}

// mayEqual reports whether a planned value is the one in state, or unknown.
func mayEqual(is, was attr.Value) bool { return is.IsUnknown() || is.Equal(was) }

// isSameJSON ignores whitespace and the order of keys.
func isSameJSON(ctx context.Context, before, after string) bool {
	same, diags := jsontypes.NewNormalizedValue(before).StringSemanticEquals(ctx, jsontypes.NewNormalizedValue(after))
	return same && !diags.HasError()
}

// isSameDuration treats 1s and 1000ms as equal.
func isSameDuration(_ context.Context, before, after string) bool {
	one, err := time.ParseDuration(before)
	other, otherErr := time.ParseDuration(after)
	return err == nil && otherErr == nil && one == other
}

// isSameTime compares with the precision that the service stores.
func isSameTime(_ context.Context, before, after string) bool { return timestamp.IsSame(before, after) }
