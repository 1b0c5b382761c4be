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
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
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
	// Read completes the configuration with what the service returns for a workspace. Unless there is an error, the result becomes the
	// state.
	Read func(ctx context.Context, p *ProviderData, c *client.Client, config *M) diag.Diagnostics
}

// NewDataSource returns the data source of a spec.
func NewDataSource[M any](spec DataSpec[M]) datasource.DataSource {
	return &dataSource{name: spec.Name, description: spec.Description, attributes: spec.Attributes,
		read: func(ctx context.Context, p *ProviderData, c *client.Client, config tfsdk.Config) (map[string]any, diag.Diagnostics) {
			var m M
			diags := Read(ctx, config.Schema, config.Raw, &m)
			if diags.HasError() {
				return nil, diags
			}
			diags.Append(spec.Read(ctx, p, c, &m)...)
			found, from := map[string]any{}, reflect.ValueOf(m)
			for _, f := range fieldsOf(from) {
				found[f.name] = from.FieldByIndex(f.index).Interface()
			}
			return found, diags
		}}
}

// DataArguments returns attributes of a resource as those of a data source, with a workspace_id.
func DataArguments(attributes map[string]resource.Attribute) map[string]schema.Attribute {
	return attributesAs[schema.Attribute](attributes, schema.StringAttribute{}, schema.ListAttribute{})
}

// DataListSpec describes a data source that lists objects, as models of type M, for the arguments in a model of type Config.
type DataListSpec[Config, Item, M any] struct {
	// Name is the name without the provider's prefix: listeners for agentplane_listeners.
	Name string
	// Summary is that of the error for a list that can't be read, and Description describes the data source, in Markdown.
	Summary, Description string
	// Failure replaces Summary if that depends on the arguments.
	Failure func(config Config) Failure
	// Arguments returns the arguments in addition to workspace_id; nil if there are none.
	Arguments func() map[string]schema.Attribute
	// List is the attribute with the items. Default: Name. ListDescription describes it, and Attributes returns the attributes of an item.
	List, ListDescription string
	Attributes            func() map[string]schema.Attribute
	// Items returns the items, and Model the model of one. By default, Flatten converts it.
	Items func(ctx context.Context, c *client.Client, config Config) iter.Seq2[Item, error]
	Model func(c *client.Client, item Item) M
}

// NewDataList returns the data source of a spec.
func NewDataList[Config, Item, M any](spec DataListSpec[Config, Item, M]) datasource.DataSource {
	list := cmp.Or(spec.List, spec.Name)
	if spec.Failure == nil {
		spec.Failure = func(Config) Failure { return Failure{Summary: spec.Summary} }
	}
	if spec.Model == nil {
		spec.Model = func(_ *client.Client, item Item) M { return Flatten(*new(M), item) }
	}
	attributes := func() map[string]schema.Attribute {
		all := map[string]schema.Attribute{list: DataList(spec.ListDescription, spec.Attributes())}
		if spec.Arguments != nil {
			maps.Copy(all, spec.Arguments())
		}
		return all
	}
	return &dataSource{name: spec.Name, description: spec.Description, attributes: attributes,
		read: func(ctx context.Context, _ *ProviderData, c *client.Client, config tfsdk.Config) (map[string]any, diag.Diagnostics) {
			var arguments Config
			diags := Read(ctx, config.Schema, config.Raw, &arguments)
			if diags.HasError() {
				return nil, diags
			}
			models := []M{}
			for item, err := range spec.Items(ctx, c, arguments) {
				if err != nil {
					return nil, spec.Failure(arguments).Diagnostics(err)
				}
				models = append(models, spec.Model(c, item))
			}
			return map[string]any{list: models}, diags
		}}
}

type dataSource struct {
	ProviderData
	name, description string
	attributes        func() map[string]schema.Attribute
	// read returns attributes of the state; the others are those of the configuration.
	read func(ctx context.Context, p *ProviderData, c *client.Client, config tfsdk.Config) (map[string]any, diag.Diagnostics)
}

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(d.configure(req.ProviderData)...)
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{workspaceID: DataFilter(workspaceDescription, UUID())}
	maps.Copy(attributes, d.attributes())
	resp.Schema = schema.Schema{MarkdownDescription: d.description, Attributes: attributes}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var in types.String
	resp.Diagnostics.Append(d.Configured()...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(workspaceID), &in)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, diags := d.read(ctx, &d.ProviderData, d.In(in), req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw, diags = completed(ctx, req.Config.Raw, found)
	resp.Diagnostics.Append(diags...)
}

// completed returns a configuration with other values of some attributes.
func completed(ctx context.Context, config tftypes.Value, found map[string]any) (tftypes.Value, diag.Diagnostics) {
	var attributes map[string]tftypes.Value
	_ = config.As(&attributes) // It is an object.
	attributes = maps.Clone(attributes)
	for name, value := range found {
		converted, diags := convert(ctx, value, attributes[name].Type())
		if diags.HasError() {
			return config, diags
		}
		attributes[name] = converted
	}
	return tftypes.NewValue(config.Type(), attributes), nil
}
