package framework

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Answered is a call of a resource that was made without the plugin framework. If the framework makes the same call again,
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
	a.Req, a.Resp = *new(Req), *new(Resp) // The framework keeps the contexts of its calls until it stops.
	return true
}

// Repeater is implemented by resources whose methods Read and ModifyPlan begin with Repeat.
type Repeater interface{ Repeats() }

// Same reports whether two values have the same contents. The type of a null or unknown value doesn't count, but it does for those inside.
// Unlike with tftypes.Value.Equal, sets in another order count as different, and so do numbers of another precision.
func Same(a, b tftypes.Value) bool {
	if a.IsNull() || !a.IsKnown() { // Whatever its type.
		return a.IsNull() == b.IsNull() && a.IsKnown() == b.IsKnown()
	}
	return reflect.DeepEqual(a, b)
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

// Reference is an attribute of objects to which other resources refer.
type Reference struct{ TypeName, Attribute string }

// Going are the objects that the running plan replaces or destroys. Terraform plans what refers to one of them later, so that plan can
// tell that an unknown value will be another one. The zero Going is ready to use.
type Going struct {
	mu sync.Mutex
	// stored are the objects in state by what identifies them in their workspace, and going those that the plan replaces or destroys by type.
	stored map[Reference][]Object
	going  map[string][]map[string]string
}

// Object returns the known texts among the attributes of an object; null is empty.
type Object func(ctx context.Context) map[string]string

// Store adds an object in state. Its key identifies it in its workspace.
func (g *Going) Store(key Reference, object Object) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stored == nil {
		g.stored = map[Reference][]Object{}
	}
	g.stored[key] = append(g.stored[key], object)
}

// Add adds an object that the plan replaces or destroys.
func (g *Going) Add(typeName string, object map[string]string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.add(typeName, object)
}

func (g *Going) add(typeName string, object map[string]string) {
	if g.going == nil {
		g.going = map[string][]map[string]string{}
	}
	g.going[typeName] = append(g.going[typeName], object)
}

// Recreate adds the object in state that has the key of an object that the plan creates. For a tainted object, and for a replacement on
// request, Terraform asks for the plan of a creation.
func (g *Going) Recreate(ctx context.Context, key Reference, created Object) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.stored[key]) == 0 {
		return
	}
	is := created(ctx)
	for i, object := range g.stored[key] {
		was := object(ctx)
		g.stored[key][i] = func(context.Context) map[string]string { return was }
		same := func(attribute string) bool { text, known := is[attribute]; return known && text == was[attribute] }
		if same(key.Attribute) && same(workspaceID) {
			g.add(key.TypeName, was)
		}
	}
}

const workspaceID = "workspace_id"

type goingKey struct{}

// WithGoing returns a context in which references are looked up.
func WithGoing(ctx context.Context, g *Going) context.Context {
	return context.WithValue(ctx, goingKey{}, g)
}

// isName reports whether the reference is one within a workspace.
func (to Reference) isName() bool { return to.Attribute == "name" }

// Goes reports whether the running plan replaces or destroys the object to which an object of a workspace refers by a value.
func (to Reference) Goes(ctx context.Context, workspace, value types.String) bool {
	g, ok := ctx.Value(goingKey{}).(*Going)
	if !ok || value.ValueString() == "" {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.going[to.TypeName], func(object map[string]string) bool {
		return object[to.Attribute] == value.ValueString() && (!to.isName() || object[workspaceID] == workspace.ValueString())
	})
}
