package providertest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// standIn plays a provider that a test can't download, as far as guides and examples use it.
type standIn struct {
	provider.Provider
	resources   []func() resource.Resource
	dataSources []func() datasource.DataSource
}

func (standIn) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse)    {}
func (standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (s standIn) Resources(context.Context) []func() resource.Resource                            { return s.resources }
func (s standIn) DataSources(context.Context) []func() datasource.DataSource                      { return s.dataSources }

// httpStandIn plays hashicorp/http, and randomStandIn hashicorp/random.
var (
	httpStandIn   = standIn{dataSources: []func() datasource.DataSource{func() datasource.DataSource { return httpDataSource{} }}}
	randomStandIn = standIn{resources: []func() resource.Resource{func() resource.Resource { return randomPassword{} }}}
)

// standInVariable makes a test program serve randomStandIn instead of running tests.
const standInVariable = "AGENTPLANE_TEST_STAND_IN"

// randomProgram is a program that is the provider.
func randomProgram() ([]byte, error) {
	tests, err := os.Executable()
	return fmt.Appendf(nil, "#!/bin/sh\n%s=1 exec '%s'\n", standInVariable, tests), err
}

func serveRandom() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return randomStandIn },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/random"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type httpDataSource struct{ datasource.DataSource }

func (httpDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "http"
}

func (httpDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dataschema.Schema{
		Attributes: map[string]dataschema.Attribute{
			"url": dataschema.StringAttribute{Required: true}, "status_code": dataschema.Int64Attribute{Computed: true},
		},
		Blocks: map[string]dataschema.Block{
			"retry": dataschema.SingleNestedBlock{Attributes: map[string]dataschema.Attribute{"attempts": dataschema.Int64Attribute{Optional: true}}},
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

type randomPassword struct{ resource.Resource }

func (randomPassword) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "random_password"
}

func (randomPassword) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"length": schema.Int64Attribute{Required: true}, "result": schema.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (randomPassword) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("result"), rand.Text())...)
}
func (randomPassword) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (randomPassword) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}
