package core

import (
	"context"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// terraformData is the resource that is built into Terraform. Its output is its input, known only after the apply.
const terraformData = "terraform_data"

// terraformProvider has terraform_data.
type terraformProvider struct {
	tfprotov6.ProviderServer // What isn't implemented here is never called.
	schema                   *schema
}

func newTerraformProvider() (*terraformProvider, error) {
	as, err := newSchema(&tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "id", Type: tftypes.String, Computed: true},
		{Name: "input", Type: tftypes.DynamicPseudoType, Optional: true},
		{Name: "output", Type: tftypes.DynamicPseudoType, Computed: true},
		{Name: "triggers_replace", Type: tftypes.DynamicPseudoType, Optional: true},
	}}})
	return &terraformProvider{schema: as}, err
}

func (p *terraformProvider) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (p *terraformProvider) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
}

func (p *terraformProvider) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	prior, err := p.schema.decode(req.PriorState)
	if err != nil {
		return nil, err
	}
	planned, err := p.changed(req.ProposedNewState, func(values map[string]cty.Value) {
		if prior.IsNull() {
			values["id"] = cty.UnknownVal(cty.String)
		}
		if input := values["input"]; prior.IsNull() || !prior.GetAttr("input").RawEquals(input) {
			values["output"] = cty.UnknownVal(input.Type())
		}
	})
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned}, err
}

func (p *terraformProvider) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	made, err := p.changed(req.PlannedState, func(values map[string]cty.Value) {
		values["output"] = values["input"]
		if !values["id"].IsKnown() {
			values["id"] = cty.StringVal(uuid.NewString())
		}
	})
	return &tfprotov6.ApplyResourceChangeResponse{NewState: made}, err
}

// changed returns a changed object; null stays null.
func (p *terraformProvider) changed(from *tfprotov6.DynamicValue, change func(map[string]cty.Value)) (*tfprotov6.DynamicValue, error) {
	object, err := p.schema.decode(from)
	if err != nil || object.IsNull() {
		return from, err
	}
	values := object.AsValueMap()
	change(values)
	return p.schema.encode(cty.ObjectVal(values)), nil
}
