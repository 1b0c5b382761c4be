package framework

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

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
