package framework

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// Resources, data sources, ephemeral resources, list resources and actions all describe themselves by the same methods, but each of these
// has a request and a response of its own type in the framework.

// TypeName returns the name of something that a provider offers.
func TypeName(ctx context.Context, offered any, provider string) string {
	return described(ctx, reflect.ValueOf(offered).MethodByName("Metadata"), provider).FieldByName("TypeName").String()
}

// ConfigType returns the type of the configuration of something that a provider offers.
func ConfigType(ctx context.Context, offered any) attr.Type {
	method := reflect.ValueOf(offered).MethodByName("ListResourceConfigSchema")
	if !method.IsValid() {
		method = reflect.ValueOf(offered).MethodByName("Schema")
	}
	schema, ok := reflect.TypeAssert[typed](described(ctx, method, "").FieldByName("Schema"))
	if !ok {
		panic("a schema has no type")
	}
	return schema.Type()
}

// described returns the response of a method. Of the requests, those for metadata have a field.
func described(ctx context.Context, method reflect.Value, provider string) reflect.Value {
	request, response := reflect.New(method.Type().In(1)).Elem(), reflect.New(method.Type().In(2).Elem())
	if name := request.FieldByName("ProviderTypeName"); name.IsValid() {
		name.SetString(provider)
	}
	method.Call([]reflect.Value{reflect.ValueOf(ctx), request, response})
	return response.Elem()
}
