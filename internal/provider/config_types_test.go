package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestConfigTypes expects the type of each configuration that can be validated, under its name.
func TestConfigTypes(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), newProvider("test", nil)
	schemas, err := NewServer("test")().GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	actions := map[string]*tfprotov6.Schema{}
	for name, action := range schemas.ActionSchemas {
		actions[name] = action.Schema
	}
	for _, test := range []struct {
		schemas map[string]*tfprotov6.Schema
		offered []any
	}{
		{map[string]*tfprotov6.Schema{"": schemas.Provider}, []any{p}},
		{schemas.ResourceSchemas, constructed(p.Resources(ctx))},
		{schemas.DataSourceSchemas, constructed(p.DataSources(ctx))},
		{schemas.EphemeralResourceSchemas, constructed(p.EphemeralResources(ctx))},
		{schemas.ListResourceSchemas, constructed(p.ListResources(ctx))},
		{actions, constructed(p.Actions(ctx))},
	} {
		if len(test.offered) != len(test.schemas) {
			t.Errorf("%d are offered, want %d", len(test.offered), len(test.schemas))
		}
		for _, one := range test.offered {
			name := ""
			if one != p {
				name = framework.TypeName(ctx, one, providerName)
			}
			if as := framework.ConfigType(ctx, one); test.schemas[name] == nil || !as.TerraformType(ctx).Equal(test.schemas[name].ValueType()) {
				t.Errorf("%q has the type %v", name, as)
			}
		}
	}
}

func constructed[T any](constructors []func() T) []any {
	all := make([]any, len(constructors))
	for i, construct := range constructors {
		all[i] = construct()
	}
	return all
}
