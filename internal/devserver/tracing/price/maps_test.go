package price

import (
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// view is what a transaction sees.
type view struct {
	rows     []store.ModelPrice
	snapshot int64
}

// TestMapsCurrent changes a price map while others read and compile it.
func TestMapsCurrent(t *testing.T) {
	t.Parallel()
	const workspace = "w"
	price := func(name string) []store.ModelPrice {
		return []store.ModelPrice{{ID: name, Entry: `{"name":"` + name + `","match_pattern":".","prompt_cost":1,"completion_cost":1}`}}
	}
	before, after := view{price("old"), 5}, view{price("new"), 6}
	var m Maps
	priced := int64(0) // What the last change of prices was.
	ready := func(workspace string) *usage.PriceMap { return m.Ready(priced, workspace) }
	of := func(v view, want string) *usage.PriceMap {
		t.Helper()
		prices := ready(workspace)
		if prices == nil {
			latest, err := m.compile(workspace, v.rows)
			assert.Must(t, err)
			prices = m.keep(priced, workspace, compiled{v.rows, latest, v.snapshot})
		}
		assert.Same(t, "price", want, prices.Find(usage.Model{Name: "m"}, time.Time{}, 0).Name)
		return prices
	}
	if ready(workspace) != nil {
		t.Error("a price map is ready that nobody has compiled")
	}
	first := of(before, "old")
	if ready(workspace) != first || of(before, "old") != first {
		t.Error("an unchanged price map isn't the same")
	}
	priced = after.snapshot // By the transaction that comes after five others.
	if ready(workspace) != nil {
		t.Error("a changed price map is ready")
	}
	of(view{price("new"), 5}, "new") // By that transaction itself, which may still fail.
	of(before, "old")                // By a transaction that began before it.
	if ready(workspace) != nil {
		t.Error("a price map is ready that was read before it changed")
	}
	second := of(after, "new")
	if ready(workspace) != second || second == first {
		t.Error("a price map that was read after its change isn't kept")
	}
	of(before, "new") // What is ready is good enough for everybody.
	priced = 7        // By another workspace.
	if of(view{price("new"), 7}, "new") != second || ready(workspace) != second {
		t.Error("a price map isn't the same after prices of another workspace have changed")
	}
	if ready("other") != nil {
		t.Error("the price map of another workspace is ready")
	}
}
