package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// DataSpec describes a data source: its name, its schema, and how to complete the model of its configuration.
type DataSpec[M any] struct {
	// Name is the name without the provider's prefix: listeners for agentplane_listeners.
	Name   string
	Schema func() schema.Schema
	// Read completes the configuration with what the service returns. Unless there is an error, the result becomes the state.
	Read func(ctx context.Context, provider ProviderData, config *M) diag.Diagnostics
}

// NewDataSource returns the data source of a spec.
func NewDataSource[M any](spec DataSpec[M]) datasource.DataSource { return &dataSource[M]{spec: spec} }

type dataSource[M any] struct {
	ProviderData
	spec DataSpec[M]
}

var _ datasource.DataSourceWithConfigure = (*dataSource[struct{}])(nil)

func (d *dataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(d.configure(req.ProviderData)...)
}

func (d *dataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.spec.Name
}

func (d *dataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.spec.Schema()
}

func (d *dataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config M
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(d.spec.Read(ctx, d.ProviderData, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
	}
}
