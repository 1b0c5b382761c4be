package provider

import (
	"context"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// configTypes are the types of the configurations of what a provider offers, by typeKey.
type configTypes struct {
	offered *agentplane
	known   sync.Map
}

// typeKey identifies a type of configuration. The kind is the framework's interface.
type typeKey struct {
	kind reflect.Type
	name string
}

// typeOf returns the type of the configuration of what is offered under a name; nil if nothing is.
func typeOf[T any](ctx context.Context, c *configTypes, offered func(context.Context) []func() T, name string) attr.Type {
	key := typeKey{reflect.TypeFor[T](), name}
	if known, ok := c.known.Load(key); ok {
		kind, _ := known.(attr.Type)
		return kind
	}
	for _, construct := range offered(ctx) {
		if one := construct(); framework.TypeName(ctx, one, providerName) == name {
			kind := framework.ConfigType(ctx, one)
			c.known.Store(key, kind)
			return kind
		}
	}
	return nil
}
