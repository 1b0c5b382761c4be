package core

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// terraformProvider has the resource that is built into Terraform: terraform_data, whose output is its input,
// known only after the apply.
type terraformProvider struct{}

var terraformData = func() *schema {
	attribute := func(name string, optional bool) *tfprotov6.SchemaAttribute {
		return &tfprotov6.SchemaAttribute{Name: name, Optional: optional, Computed: !optional}
	}
	types := map[string]cty.Type{
		"id": cty.String, "input": cty.DynamicPseudoType, "output": cty.DynamicPseudoType, "triggers_replace": cty.DynamicPseudoType,
	}
	return &schema{
		attributes: []*tfprotov6.SchemaAttribute{
			attribute("id", false), attribute("input", true), attribute("output", false), attribute("triggers_replace", true),
		},
		ty: cty.Object(types), config: cty.Object(types),
	}
}()

func (terraformProvider) resource(name string) (*schema, bool) {
	return terraformData, name == "terraform_data"
}

func (terraformProvider) dataSource(string) (*schema, bool) { return nil, false }

func (terraformProvider) configure(context.Context, *scope, *block) problems { return nil }

func (terraformProvider) validate(context.Context, resourceKey, cty.Value) ([]*tfprotov6.Diagnostic, error) {
	return nil, nil
}

func (terraformProvider) upgrade(_ context.Context, _ string, o object) (object, []*tfprotov6.Diagnostic, error) {
	return o, nil, nil
}

func (terraformProvider) refresh(_ context.Context, _ string, o object) (object, []*tfprotov6.Diagnostic, error) {
	return o, nil, nil
}

func (terraformProvider) plan(_ context.Context, _ string, prior object, _, proposed cty.Value) (*proposal, []*tfprotov6.Diagnostic, error) {
	if proposed.IsNull() {
		return &proposal{object: object{value: proposed}}, nil, nil
	}
	planned, p := proposed.AsValueMap(), &proposal{}
	anew := prior.value.IsNull()
	if !anew && !prior.value.GetAttr("triggers_replace").RawEquals(planned["triggers_replace"]) {
		anew, p.replaces = true, []cty.Path{cty.GetAttrPath("triggers_replace")}
	}
	if anew {
		planned["id"] = cty.UnknownVal(cty.String)
	}
	if anew || !prior.value.GetAttr("input").RawEquals(planned["input"]) {
		if planned["output"] = planned["input"]; !planned["input"].IsNull() {
			planned["output"] = cty.UnknownVal(planned["input"].Type())
		}
	}
	p.value = cty.ObjectVal(planned)
	return p, nil, nil
}

func (terraformProvider) apply(_ context.Context, _ string, _ object, planned *proposal, _ cty.Value) (object, []*tfprotov6.Diagnostic, error) {
	if planned.value.IsNull() {
		return planned.object, nil, nil
	}
	values := planned.value.AsValueMap()
	if !values["output"].IsKnown() {
		values["output"] = values["input"]
	}
	if !values["id"].IsKnown() {
		values["id"] = cty.StringVal(uuid.NewString())
	}
	return object{value: cty.ObjectVal(values)}, nil, nil
}

func (terraformProvider) imported(context.Context, string, string) ([]object, []*tfprotov6.Diagnostic, error) {
	return nil, nil, errors.New("terraform_data can't be imported here")
}

func (terraformProvider) read(context.Context, string, cty.Value) (cty.Value, []*tfprotov6.Diagnostic, error) {
	return cty.NilVal, nil, errors.New("there are no data sources")
}
