package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// twins have the same name, as accounts of two git hosts may; the dev server has only one git host.
var twins = []api.Integration{
	{ID: "3a000001-0000-4000-8000-000000000000", InstallationID: 11, Name: "acme"},
	{ID: "3a000002-0000-4000-8000-000000000000", InstallationID: 22, Name: "acme"},
	{ID: "3a000003-0000-4000-8000-000000000000", InstallationID: 33, Name: "Acme"},
}

// state is what a configuration and a state have.
type state struct {
	model
	WorkspaceID types.String `tfsdk:"workspace_id"`
}

// lookUp reads the data source with the given configuration from a service with the twins.
func lookUp(t *testing.T, config model) (model, diag.Diagnostics) {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(twins)
	}))
	defer service.Close()
	c, err := client.New(client.Config{BaseURL: service.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	d, configured := NewDataSource().(datasource.DataSourceWithConfigure)
	if !configured {
		t.Fatal("the data source can't be configured")
	}
	d.Configure(ctx, datasource.ConfigureRequest{ProviderData: &framework.ProviderData{Client: c}}, &datasource.ConfigureResponse{})
	var described datasource.SchemaResponse
	d.Schema(ctx, datasource.SchemaRequest{}, &described)
	given := tfsdk.State{Schema: described.Schema}
	if diags := given.Set(ctx, &state{model: config}); diags.HasError() {
		t.Fatal(diags)
	}
	req := datasource.ReadRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: given.Raw}}
	resp := datasource.ReadResponse{State: tfsdk.State{Schema: described.Schema, Raw: given.Raw.Copy()}}
	d.Read(ctx, req, &resp)
	var got state
	resp.Diagnostics.Append(resp.State.Get(ctx, &got)...)
	return got.model, resp.Diagnostics
}

func TestDataSource_oneName(t *testing.T) {
	t.Parallel()
	byName := func(name string) model { return model{Name: types.StringValue(name)} }
	byID := func(id string) model { return model{ID: types.StringValue(id)} }
	tests := map[string]struct {
		config model
		want   model
		errs   string
	}{
		"by id":                {config: byID("3a000002-0000-4000-8000-000000000000"), want: framework.Flatten(model{}, twins[1])},
		"by a name of its own": {config: byName("Acme"), want: framework.Flatten(model{}, twins[2])},
		"by a name of two":     {config: byName("acme"), errs: `2 Git hosting integrations of this workspace have the name "acme". Look it up by id instead.`},
		"by a name of none":    {config: byName("acm"), errs: `No Git hosting integration of this workspace has the name "acm".`},
		"by an id of none":     {config: byID("3a000004-0000-4000-8000-000000000000"), errs: `No Git hosting integration of this workspace has the id "3a000004-0000-4000-8000-000000000000".`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := lookUp(t, test.config)
			if test.errs != "" {
				if diags.ErrorsCount() != 1 || !strings.HasPrefix(diags[0].Detail(), test.errs) {
					t.Errorf("diagnostics = %[2]v, want the error %[1]q", test.errs, diags)
				}
				return
			}
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
