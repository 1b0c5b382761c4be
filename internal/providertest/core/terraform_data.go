package core

import (
	"context"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// terraformData is the resource that is built into Terraform. Its output is its input, known only after the apply.
const terraformData = "terraform_data"

var terraformDataSchema = func() *schema {
	types := map[string]cty.Type{
		"id": cty.String, "input": cty.DynamicPseudoType, "output": cty.DynamicPseudoType, "triggers_replace": cty.DynamicPseudoType,
	}
	return &schema{
		attributes: []*tfprotov6.SchemaAttribute{
			{Name: "id", Computed: true}, {Name: "input", Optional: true}, {Name: "output", Computed: true}, {Name: "triggers_replace", Optional: true},
		},
		ty: cty.Object(types), config: cty.Object(types),
	}
}()

// terraformProvider has terraform_data.
type terraformProvider struct {
	tfprotov6.ProviderServer // What isn't implemented here is never called.
}

func (terraformProvider) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (terraformProvider) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

func (terraformProvider) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	prior, err := terraformDataSchema.decode(req.PriorState)
	if err != nil {
		return nil, err
	}
	planned, err := withOutput(req.ProposedNewState, func(values map[string]cty.Value) {
		if prior.IsNull() {
			values["id"] = cty.UnknownVal(cty.String)
		}
		if input := values["input"]; (prior.IsNull() || !prior.GetAttr("input").RawEquals(input)) && !input.IsNull() {
			values["output"] = cty.UnknownVal(input.Type())
		} else if input.IsNull() {
			values["output"] = input
		}
	})
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned}, err
}

func (terraformProvider) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	made, err := withOutput(req.PlannedState, func(values map[string]cty.Value) {
		values["output"] = values["input"]
		if !values["id"].IsKnown() {
			values["id"] = cty.StringVal(uuid.NewString())
		}
	})
	return &tfprotov6.ApplyResourceChangeResponse{NewState: made}, err
}

// withOutput changes an object; null stays null.
func withOutput(from *tfprotov6.DynamicValue, change func(map[string]cty.Value)) (*tfprotov6.DynamicValue, error) {
	object, err := terraformDataSchema.decode(from)
	if err != nil || object.IsNull() {
		return from, err
	}
	values := object.AsValueMap()
	change(values)
	return terraformDataSchema.encode(cty.ObjectVal(values)), nil
}
