package providertest_test

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// httpStandIn plays the provider hashicorp/http, as far as the guides use it: a test can't download that.
type httpStandIn struct{ provider.Provider }

func (httpStandIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "http"
}
func (httpStandIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (httpStandIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (httpStandIn) Resources(context.Context) []func() resource.Resource { return nil }
func (httpStandIn) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return httpDataSource{} }}
}

type httpDataSource struct{ datasource.DataSource }

func (httpDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "http"
}

func (httpDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{Required: true}, "status_code": schema.Int64Attribute{Computed: true},
		},
		Blocks: map[string]schema.Block{
			"retry": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{"attempts": schema.Int64Attribute{Optional: true}}},
		},
	}
}

func (httpDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var url types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("url"), &url)...)
	resp.State.Raw = req.Config.Raw
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url.ValueString(), nil)
	if err != nil {
		resp.Diagnostics.AddError("Error creating request", err.Error())
		return
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		resp.Diagnostics.AddError("Error making request", err.Error())
		return
	}
	defer answer.Body.Close()
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("status_code"), int64(answer.StatusCode))...)
}
