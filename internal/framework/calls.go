package framework

import (
	"context"
	"maps"
	"math/big"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Answered is a call of a resource or data source that was made without the plugin framework. If the framework makes the same call again,
// it gets the same response: another one would send requests to the service twice.
type Answered[Req, Resp any] struct {
	Req  Req
	Resp Resp
	// Repeated is called with the framework's request. Nil except in tests.
	Repeated func(Req)
}

type answeredKey[Req, Resp any] struct{}

// Repeating returns a context in which Repeat returns the response.
func (a *Answered[Req, Resp]) Repeating(ctx context.Context) context.Context {
	return context.WithValue(ctx, answeredKey[Req, Resp]{}, a)
}

// Repeat reports whether a call was already answered, and then sets its response.
func Repeat[Req, Resp any](ctx context.Context, req Req, resp *Resp) bool {
	a, ok := ctx.Value(answeredKey[Req, Resp]{}).(*Answered[Req, Resp])
	if !ok {
		return false
	}
	if a.Repeated != nil {
		a.Repeated(req)
	}
	*resp = a.Resp
	return true
}

// Repeater is implemented by resources and data sources whose methods Read and ModifyPlan begin with Repeat.
type Repeater interface{ Repeats() }

// Same reports whether two values of the same type are equal, in a fraction of the time of tftypes.Value.Equal, which also
// describes differences. Sets in another order count as different.
func Same(a, b tftypes.Value) bool {
	if a.IsNull() != b.IsNull() || a.IsKnown() != b.IsKnown() {
		return false
	}
	if a.IsNull() || !a.IsKnown() {
		return true
	}
	switch a.Type().(type) {
	case tftypes.Object, tftypes.Map:
		return sameAs(a, b, func(a, b map[string]tftypes.Value) bool { return maps.EqualFunc(a, b, Same) })
	case tftypes.List, tftypes.Set, tftypes.Tuple:
		return sameAs(a, b, func(a, b []tftypes.Value) bool { return slices.EqualFunc(a, b, Same) })
	}
	switch {
	case a.Type().Is(tftypes.String):
		return sameAs(a, b, func(a, b string) bool { return a == b })
	case a.Type().Is(tftypes.Bool):
		return sameAs(a, b, func(a, b bool) bool { return a == b })
	case a.Type().Is(tftypes.Number):
		return sameAs(a, b, func(a, b big.Float) bool { return a.Cmp(&b) == 0 })
	}
	return a.Equal(b)
}

// sameAs compares two values in their Go form.
func sameAs[T any](a, b tftypes.Value, equal func(a, b T) bool) bool {
	var left, right T
	return a.As(&left) == nil && b.As(&right) == nil && equal(left, right)
}

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
