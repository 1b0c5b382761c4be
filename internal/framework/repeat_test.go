package framework

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// TestRepeat expects calls that were already answered not to reach the spec, which has no functions, and their answers not to be kept with the
// contexts, which the framework keeps until it stops.
func TestRepeat(t *testing.T) {
	t.Parallel()
	warned := diag.Diagnostics{diag.NewWarningDiagnostic("Mind", "the gap")}
	r, ok := NewResource(ResourceSpec[Identified]{}).(resource.ResourceWithModifyPlan)
	if !ok {
		t.Fatal("the resource has no ModifyPlan")
	}
	var read resource.ReadResponse
	wasRead := &Answered[resource.ReadRequest, resource.ReadResponse]{Resp: resource.ReadResponse{Diagnostics: warned}}
	r.Read(wasRead.Repeating(t.Context()), resource.ReadRequest{}, &read)
	var plan resource.ModifyPlanResponse
	wasPlanned := &Answered[resource.ModifyPlanRequest, resource.ModifyPlanResponse]{Resp: resource.ModifyPlanResponse{Diagnostics: warned}}
	r.ModifyPlan(wasPlanned.Repeating(t.Context()), resource.ModifyPlanRequest{}, &plan)
	if wasRead.Resp.Diagnostics != nil || wasPlanned.Resp.Diagnostics != nil {
		t.Error("an answer stays in the context of its call")
	}
	for name, got := range map[string]diag.Diagnostics{"Read": read.Diagnostics, "ModifyPlan": plan.Diagnostics} {
		if !got.Equal(warned) {
			t.Errorf("%s: %v, want the answer that was given before", name, got)
		}
	}
}
