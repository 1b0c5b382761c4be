package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/bench/minimal", ProtocolVersion: 6}
	if err := providerserver.Serve(context.Background(), newProvider, options); err != nil {
		log.Fatal(err)
	}
}

// minimal is a provider without settings.
type minimal struct{}

func newProvider() provider.Provider { return minimal{} }

// Metadata implements provider.Provider.
func (minimal) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "minimal"
}

// Schema implements provider.Provider.
func (minimal) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure implements provider.Provider.
func (minimal) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

// Resources implements provider.Provider.
func (minimal) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newStrings}
}

// DataSources implements provider.Provider.
func (minimal) DataSources(context.Context) []func() datasource.DataSource { return nil }
