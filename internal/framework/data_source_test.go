package framework_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type thing struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
}

// TestDataSource reads a data source: the completed model becomes the state, unless there is an error.
func TestDataSource(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://agents.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		provider any
		id       string
		told     []told
		name     tftypes.Value
	}{
		"found":          {&framework.ProviderData{Client: c}, "1", nil, tftypes.NewValue(tftypes.String, "One")},
		"with a warning": {&framework.ProviderData{Client: c}, "odd", []told{{"", "Odd", "It is."}}, tftypes.NewValue(tftypes.String, "One")},
		"not found":      {&framework.ProviderData{Client: c}, "none", []told{{"", "Not found", "It isn't there."}}, tftypes.NewValue(tftypes.String, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := readThing(t, test.provider, test.id)
			if diff := cmp.Diff(test.told, read(resp.Diagnostics)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			var attributes map[string]tftypes.Value
			if err := resp.State.Raw.As(&attributes); err != nil {
				t.Fatal(err)
			}
			if !attributes["name"].Equal(test.name) {
				t.Errorf("name = %s, want %s", attributes["name"], test.name)
			}
		})
	}
	t.Run("before the provider is known", func(t *testing.T) {
		t.Parallel()
		resp := readThing(t, &framework.ProviderData{}, "1")
		if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary() != "Provider configuration not known yet" {
			t.Errorf("diagnostics = %v, want that the provider configuration isn't known yet", resp.Diagnostics)
		}
	})
	t.Run("of another provider", func(t *testing.T) {
		t.Parallel()
		var resp datasource.ConfigureResponse
		things().Configure(t.Context(), datasource.ConfigureRequest{ProviderData: "another"}, &resp)
		if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary() != "Unexpected provider data" {
			t.Errorf("diagnostics = %v, want unexpected provider data", resp.Diagnostics)
		}
	})
}

// things is a data source that doesn't need a service.
func things() datasource.DataSourceWithConfigure {
	d := framework.NewDataSource(framework.DataSpec[thing]{
		Name: "thing",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"id": schema.StringAttribute{Required: true}, "name": schema.StringAttribute{Computed: true},
			}
		},
		Read: func(_ context.Context, _ *framework.ProviderData, _ *client.Client, config *thing) (diags diag.Diagnostics) {
			config.Name = types.StringValue("One")
			switch config.ID.ValueString() {
			case "odd":
				diags.AddWarning("Odd", "It is.")
			case "none":
				diags.AddError("Not found", "It isn't there.")
			}
			return diags
		},
	})
	return d.(datasource.DataSourceWithConfigure)
}

func readThing(t *testing.T, provider any, id string) datasource.ReadResponse {
	t.Helper()
	d := things()
	var configured datasource.ConfigureResponse
	d.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: provider}, &configured)
	var metadata datasource.MetadataResponse
	d.Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: "agentplane"}, &metadata)
	if len(configured.Diagnostics) > 0 || metadata.TypeName != "agentplane_thing" {
		t.Fatalf("type %s, diagnostics %v; want agentplane_thing and none", metadata.TypeName, configured.Diagnostics)
	}
	var described datasource.SchemaResponse
	d.Schema(t.Context(), datasource.SchemaRequest{}, &described)
	config := tftypes.NewValue(described.Schema.Type().TerraformType(t.Context()), map[string]tftypes.Value{
		"id": tftypes.NewValue(tftypes.String, id), "name": tftypes.NewValue(tftypes.String, nil),
		"workspace_id": tftypes.NewValue(tftypes.String, nil),
	})
	resp := datasource.ReadResponse{State: tfsdk.State{Schema: described.Schema, Raw: config}}
	d.Read(t.Context(), datasource.ReadRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: config}}, &resp)
	return resp
}
