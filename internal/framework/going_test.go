package framework_test

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestGoing looks references up to objects that a plan replaces, destroys or creates again.
func TestGoing(t *testing.T) {
	t.Parallel()
	name, id := framework.Reference{TypeName: "thing", Attribute: "name"}, framework.Reference{TypeName: "thing", Attribute: "id"}
	object := func(id, name, workspace string) map[string]string {
		return map[string]string{"id": id, "name": name, "workspace_id": workspace}
	}
	var going framework.Going
	for _, stored := range []map[string]string{object("1", "tainted", "w"), object("2", "tainted", "other"), object("3", "stays", "w")} {
		going.Store(name, func(context.Context) map[string]string { return maps.Clone(stored) })
	}
	ctx := framework.WithGoing(t.Context(), &going)
	for range 2 { // Plans in any number.
		going.Recreate(ctx, name, func(context.Context) map[string]string { return object("", "tainted", "w") })
		going.Recreate(ctx, name, func(context.Context) map[string]string { return object("", "new", "w") })
		unknown := object("", "stays", "")
		delete(unknown, "workspace_id")
		going.Recreate(ctx, name, func(context.Context) map[string]string { return unknown })
	}
	going.Add("thing", object("4", "replaced", "w"))
	for _, test := range []struct {
		to               framework.Reference
		workspace, value string
		want             bool
	}{
		{id, "w", "1", true}, {id, "w", "2", false}, {id, "w", "3", false}, {id, "w", "4", true},
		{id, "other", "4", true}, {name, "w", "replaced", true}, {name, "other", "replaced", false},
		{framework.Reference{TypeName: "other", Attribute: "id"}, "w", "4", false}, {framework.Reference{}, "w", "4", false}, {id, "w", "", false},
	} {
		if got := test.to.Goes(ctx, types.StringValue(test.workspace), types.StringValue(test.value)); got != test.want {
			t.Errorf("%v: %q in workspace %q goes = %t, want %t", test.to, test.value, test.workspace, got, test.want)
		}
	}
	if id.Goes(t.Context(), types.StringValue("w"), types.StringValue("4")) {
		t.Error("something goes in a context without objects")
	}
}
