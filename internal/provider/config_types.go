package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// configTypes are the types of all configurations. A type is nil if the provider doesn't offer it.
type configTypes struct {
	offered *agentplane
	known   sync.Map // By kind and name.
}

// typeKey identifies a type of configuration.
type typeKey struct{ kind, name string }

func (c *configTypes) provider(context.Context) attr.Type {
	return c.remember(typeKey{kind: "provider"}, func() attr.Type { return providerSchema().Type() })
}

func (c *configTypes) resource(ctx context.Context, name string) attr.Type {
	return c.remember(typeKey{"resource", name}, func() attr.Type {
		return find(c.offered.Resources(ctx), name, func(r resource.Resource) (string, func() attr.Type) {
			var named resource.MetadataResponse
			r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerName}, &named)
			return named.TypeName, func() attr.Type {
				var described resource.SchemaResponse
				r.Schema(ctx, resource.SchemaRequest{}, &described)
				return described.Schema.Type()
			}
		})
	})
}

func (c *configTypes) dataSource(ctx context.Context, name string) attr.Type {
	return c.remember(typeKey{"data", name}, func() attr.Type {
		return find(c.offered.DataSources(ctx), name, func(d datasource.DataSource) (string, func() attr.Type) {
			var named datasource.MetadataResponse
			d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerName}, &named)
			return named.TypeName, func() attr.Type {
				var described datasource.SchemaResponse
				d.Schema(ctx, datasource.SchemaRequest{}, &described)
				return described.Schema.Type()
			}
		})
	})
}

func (c *configTypes) ephemeral(ctx context.Context, name string) attr.Type {
	return c.remember(typeKey{"ephemeral", name}, func() attr.Type {
		return find(c.offered.EphemeralResources(ctx), name, func(e ephemeral.EphemeralResource) (string, func() attr.Type) {
			var named ephemeral.MetadataResponse
			e.Metadata(ctx, ephemeral.MetadataRequest{ProviderTypeName: providerName}, &named)
			return named.TypeName, func() attr.Type {
				var described ephemeral.SchemaResponse
				e.Schema(ctx, ephemeral.SchemaRequest{}, &described)
				return described.Schema.Type()
			}
		})
	})
}

func (c *configTypes) list(ctx context.Context, name string) attr.Type {
	return c.remember(typeKey{"list", name}, func() attr.Type {
		return find(c.offered.ListResources(ctx), name, func(l list.ListResource) (string, func() attr.Type) {
			var named resource.MetadataResponse
			l.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerName}, &named)
			return named.TypeName, func() attr.Type {
				var described list.ListResourceSchemaResponse
				l.ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &described)
				return described.Schema.Type()
			}
		})
	})
}

func (c *configTypes) action(ctx context.Context, name string) attr.Type {
	return c.remember(typeKey{"action", name}, func() attr.Type {
		return find(c.offered.Actions(ctx), name, func(a action.Action) (string, func() attr.Type) {
			var named action.MetadataResponse
			a.Metadata(ctx, action.MetadataRequest{ProviderTypeName: providerName}, &named)
			return named.TypeName, func() attr.Type {
				var described action.SchemaResponse
				a.Schema(ctx, action.SchemaRequest{}, &described)
				return described.Schema.Type()
			}
		})
	})
}

func (c *configTypes) remember(key typeKey, read func() attr.Type) attr.Type {
	found, ok := c.known.Load(key)
	if !ok {
		found, _ = c.known.LoadOrStore(key, read())
	}
	kind, _ := found.(attr.Type)
	return kind
}

// find returns the type of the configuration of what has a name.
func find[T any](offered []func() T, name string, describe func(T) (string, func() attr.Type)) attr.Type {
	for _, construct := range offered {
		if found, read := describe(construct()); found == name {
			return read()
		}
	}
	return nil
}
