package framework

import (
	"context"
	"iter"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// DataSpec describes a data source: its name, its attributes, and how to complete the model of its configuration.
type DataSpec[M any] struct {
	// Name is the name without the provider's prefix: listeners for agentplane_listeners.
	Name string
	// Description describes the data source, in Markdown.
	Description string
	// Attributes returns the attributes in addition to workspace_id. It is a function because only the schema needs them, while the
	// framework constructs everything to learn its name.
	Attributes func() map[string]schema.Attribute
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
	attributes := map[string]schema.Attribute{"workspace_id": WorkspaceAttribute()}
	maps.Copy(attributes, d.spec.Attributes())
	resp.Schema = schema.Schema{MarkdownDescription: d.spec.Description, Attributes: attributes}
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

// Listed returns the models of the objects that a list has; failure describes a list that can't be read.
func Listed[Item, M any](failure Failure, items iter.Seq2[Item, error], model func(Item) M) ([]M, diag.Diagnostics) {
	all := []M{}
	for item, err := range items {
		if err != nil {
			return nil, failure.Diagnostics(err)
		}
		all = append(all, model(item))
	}
	return all, nil
}
