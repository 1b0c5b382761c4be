package protocol_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestReadDataSource(t *testing.T) {
	t.Parallel()
	type response = datasource.ReadResponse
	item := map[string]attr.Type{"key": types.StringType}
	items := types.ListValueMust(types.ObjectType{AttrTypes: item}, []attr.Value{
		types.ObjectValueMust(item, map[string]attr.Value{"key": types.StringValue("one")}),
		types.ObjectValueMust(item, map[string]attr.Value{"key": types.StringNull()}),
	})
	set := func(name string, value attr.Value) func(context.Context, *response) {
		return func(ctx context.Context, r *response) { r.State.SetAttribute(ctx, path.Root(name), value) }
	}
	config := attributes{"name": "chat", "tags": attributes{"a": "1"}}
	for name, test := range map[string]struct {
		dataSource string
		config     attributes
		find       func(context.Context, *response)
		isDirect   bool
		unasked    bool
	}{
		"nothing":                {"fake_found", config, nil, true, false},
		"list":                   {"fake_found", config, set("items", items), true, false},
		"default":                {"fake_found", config, set("text", types.StringValue("x")), true, false},
		"other than configured":  {"fake_found", config, set("name", types.StringValue("x")), false, false},
		"less than configured":   {"fake_found", config, set("tags", types.MapNull(types.StringType)), false, false},
		"no state":               {"fake_found", config, func(ctx context.Context, r *response) { r.State.RemoveResource(ctx) }, false, false},
		"warning":                {"fake_found", config, func(_ context.Context, r *response) { r.Diagnostics.AddWarning("Mind", "the gap") }, false, false},
		"error":                  {"fake_found", config, func(_ context.Context, r *response) { r.Diagnostics.AddError("No", "way") }, false, false},
		"deferral":               {"fake_found", config, func(_ context.Context, r *response) { r.Deferred = &datasource.Deferred{} }, false, false},
		"equal to the framework": {"fake_json", config.with(attributes{"text": `{"a": 1}`}), set("text", types.StringValue(`{"a":1}`)), false, false},
		"null":                   {"fake_found", nil, nil, false, false},
		"unknown type":           {"fake_other", config, nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 1
			if test.unasked {
				asked = 0
			}
			check(t, fake{find: test.find}, asked, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				return s.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
					TypeName: test.dataSource, Config: encoded(t, as["fake_found"], test.config),
				})
			})
		})
	}
}
