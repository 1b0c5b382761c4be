package framework

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// DataSpec describes a data source: its name, its attributes, and how to complete the model of its configuration.
type DataSpec[M any] struct {
	// Name is the name without the provider's prefix: listener for agentplane_listener.
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
func NewDataSource[M any](spec DataSpec[M]) datasource.DataSource {
	return &dataSource{name: spec.Name, description: spec.Description, attributes: spec.Attributes,
		read: func(ctx context.Context, p ProviderData, req datasource.ReadRequest, resp *datasource.ReadResponse) {
			var config M
			resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
			if !resp.Diagnostics.HasError() {
				resp.Diagnostics.Append(spec.Read(ctx, p, &config)...)
			}
			if !resp.Diagnostics.HasError() {
				resp.Diagnostics.Append(Write(ctx, resp.State.Schema, &resp.State.Raw, config)...)
			}
		}}
}

// DataListSpec describes a data source that lists objects, as models of type M, for the arguments in a model of type Config.
type DataListSpec[Config, Item, M any] struct {
	// Name is the name without the provider's prefix: listeners for agentplane_listeners.
	Name string
	// Summary is that of the error for a list that can't be read, and Description describes the data source, in Markdown.
	Summary, Description string
	// Arguments returns the arguments in addition to workspace_id; nil if there are none.
	Arguments func() map[string]schema.Attribute
	// List is the attribute with the items. Default: Name. ListDescription describes it, and Attributes returns the attributes of an item.
	List, ListDescription string
	Attributes            func() map[string]schema.Attribute
	// Items returns the items, and Model the model of one.
	Items func(ctx context.Context, c *client.Client, config Config) iter.Seq2[Item, error]
	Model func(item Item) M
}

// NewDataList returns the data source of a spec.
func NewDataList[Config, Item, M any](spec DataListSpec[Config, Item, M]) datasource.DataSource {
	list := cmp.Or(spec.List, spec.Name)
	attributes := func() map[string]schema.Attribute {
		all := map[string]schema.Attribute{list: DataList(spec.ListDescription, spec.Attributes())}
		if spec.Arguments != nil {
			maps.Copy(all, spec.Arguments())
		}
		return all
	}
	return &dataSource{name: spec.Name, description: spec.Description, attributes: attributes,
		read: func(ctx context.Context, p ProviderData, req datasource.ReadRequest, resp *datasource.ReadResponse) {
			var config Config
			var in types.String
			resp.Diagnostics.Append(Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
			resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(workspaceID), &in)...)
			if resp.Diagnostics.HasError() {
				return
			}
			models := []M{}
			for item, err := range spec.Items(ctx, p.In(in), config) {
				if err != nil {
					resp.Diagnostics.Append(Failure{Summary: spec.Summary}.Diagnostics(err)...)
					return
				}
				models = append(models, spec.Model(item))
			}
			var err error
			if resp.State.Raw, err = withList(ctx, req.Config.Raw, list, models); err != nil {
				resp.Diagnostics.Append(unconverted("%v", err))
			}
		}}
}

// withList returns a configuration with a list of models in an attribute.
func withList(ctx context.Context, config tftypes.Value, name string, models any) (tftypes.Value, error) {
	var attributes map[string]tftypes.Value
	if err := config.As(&attributes); err != nil {
		return tftypes.Value{}, err
	}
	attributes = maps.Clone(attributes)
	list, err := toTerraform(ctx, reflect.ValueOf(models), attributes[name].Type())
	attributes[name] = list
	return tftypes.NewValue(config.Type(), attributes), err
}

type dataSource struct {
	ProviderData
	name, description string
	attributes        func() map[string]schema.Attribute
	read              func(ctx context.Context, p ProviderData, req datasource.ReadRequest, resp *datasource.ReadResponse)
}

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(d.configure(req.ProviderData)...)
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{workspaceID: WorkspaceAttribute()}
	maps.Copy(attributes, d.attributes())
	resp.Schema = schema.Schema{MarkdownDescription: d.description, Attributes: attributes}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(d.Configured()...)
	if !resp.Diagnostics.HasError() {
		d.read(ctx, d.ProviderData, req, resp)
	}
}
