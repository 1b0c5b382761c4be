package core

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// fake is a provider with one resource, fake_thing, that follows all rules. Tests change its responses to break them.
type fake struct {
	tfprotov6.ProviderServer // What isn't implemented here is never called.

	planned func(*tfprotov6.PlanResourceChangeResponse)
	applied func(*tfprotov6.ApplyResourceChangeResponse)
	read    func(*tfprotov6.ReadResourceResponse)
	plans   int64
}

var fakeSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
	{Name: "id", Type: tftypes.String, Computed: true},
	{Name: "name", Type: tftypes.String, Required: true},
	{Name: "size", Type: tftypes.Number, Optional: true, Computed: true},
	{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true},
	{Name: "nested", Optional: true, NestedType: &tfprotov6.SchemaObject{
		Nesting: tfprotov6.SchemaObjectNestingModeList, Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "key", Type: tftypes.String, Required: true}, {Name: "found", Type: tftypes.String, Computed: true},
		},
	}},
}}}

var fakeIdentity = &tfprotov6.ResourceIdentitySchema{IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{
	{Name: "id", Type: tftypes.String, RequiredForImport: true},
}}

func (f *fake) factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"fake": func() (tfprotov6.ProviderServer, error) { return f, nil }}
}

func (f *fake) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}, ResourceSchemas: map[string]*tfprotov6.Schema{"fake_thing": fakeSchema},
	}, nil
}

func (f *fake) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{"fake_thing": fakeIdentity}}, nil
}

func (f *fake) ValidateProviderConfig(context.Context, *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

func (f *fake) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (f *fake) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (f *fake) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp := &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: req.CurrentIdentity}
	if f.read != nil {
		f.read(resp)
	}
	return resp, nil
}

func (f *fake) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
	f.plans++
	resp.PlannedState = changed(resp.PlannedState, func(values map[string]cty.Value) {
		values["secret"] = cty.NullVal(cty.String)
		for _, name := range []string{"id", "size"} {
			if values[name].IsNull() {
				values[name] = cty.UnknownVal(values[name].Type())
			}
		}
	})
	if f.planned != nil {
		f.planned(resp)
	}
	return resp, nil
}

func (f *fake) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp := &tfprotov6.ApplyResourceChangeResponse{Private: []byte("kept"), NewIdentity: identityOf("1")}
	resp.NewState = changed(req.PlannedState, func(values map[string]cty.Value) {
		if !values["id"].IsKnown() {
			values["id"] = cty.StringVal("1")
		}
		if !values["size"].IsKnown() {
			values["size"] = cty.NumberIntVal(3)
		}
	})
	if f.applied != nil {
		f.applied(resp)
	}
	return resp, nil
}

func identityOf(id string) *tfprotov6.ResourceIdentityData {
	as := &schema{ty: cty.Object(map[string]cty.Type{"id": cty.String})}
	return &tfprotov6.ResourceIdentityData{IdentityData: as.encode(cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)}))}
}

// changed returns an object with some attributes replaced; null stays null.
func changed(v *tfprotov6.DynamicValue, change func(map[string]cty.Value)) *tfprotov6.DynamicValue {
	as, err := newSchema(fakeSchema)
	if err != nil {
		panic(err)
	}
	object, err := as.decode(v)
	if err != nil {
		panic(err)
	}
	if object.IsNull() {
		return v
	}
	values := object.AsValueMap()
	change(values)
	return as.encode(cty.ObjectVal(values))
}

func set(name string, value cty.Value) func(map[string]cty.Value) {
	return func(values map[string]cty.Value) { values[name] = value }
}

func TestFakeKeepsTheRules(t *testing.T) {
	t.Parallel()
	f := &fake{}
	Test(t, testCase(f, step(thing), step(thing)))
}
