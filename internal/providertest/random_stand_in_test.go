package providertest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// standInVariable makes a test program serve randomStandIn instead of running tests.
const standInVariable = "AGENTPLANE_TEST_STAND_IN"

// randomProgram is a program that is the provider.
func randomProgram() ([]byte, error) {
	tests, err := os.Executable()
	return fmt.Appendf(nil, "#!/bin/sh\n%s=1 exec '%s'\n", standInVariable, tests), err
}

func serveRandom() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return randomStandIn{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/random"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// randomStandIn plays the provider hashicorp/random, as far as the examples use it: a test can't download that.
type randomStandIn struct{ provider.Provider }

func (randomStandIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "random"
}
func (randomStandIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (randomStandIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (randomStandIn) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (randomStandIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return randomPassword{} }}
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
