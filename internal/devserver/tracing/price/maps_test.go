package price

import (
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// view is what a transaction sees.
type view struct {
	stored

	snapshot int64
}

func (v view) Snapshot() int64 { return v.snapshot }

// TestMapsCurrent changes a price map while others read and compile it.
func TestMapsCurrent(t *testing.T) {
	t.Parallel()
	const workspace = "w"
	price := func(name string) stored {
		return stored{{ID: name, Entry: `{"name":"` + name + `","match_pattern":".","prompt_cost":1,"completion_cost":1}`}}
	}
	before, after := view{price("old"), 5}, view{price("new"), 6}
	var m Maps
	of := func(v view, want string) *usage.PriceMap {
		t.Helper()
		prices, err := m.Of(v, workspace)
		if err != nil {
			t.Fatal(err)
		}
		if got := prices.Find(usage.Model{Name: "m"}, time.Time{}, 0).Name; got != want {
			t.Errorf("price = %q, want %q", got, want)
		}
		return prices
	}
	if m.Ready(before, workspace) != nil {
		t.Error("a price map is ready that nobody has compiled")
	}
	first := of(before, "old")
	if m.Ready(before, workspace) != first || of(before, "old") != first {
		t.Error("an unchanged price map isn't the same")
	}
	m.forget(before, workspace) // By the transaction that comes after five others.
	if m.Ready(before, workspace) != nil {
		t.Error("a changed price map is ready")
	}
	of(view{price("new"), 5}, "new") // By that transaction itself, which may still fail.
	of(before, "old")                // By a transaction that began before it.
	if m.Ready(before, workspace) != nil {
		t.Error("a price map is ready that was read before it changed")
	}
	second := of(after, "new")
	if m.Ready(before, workspace) != second || second == first {
		t.Error("a price map that was read after its change isn't kept")
	}
	of(before, "new") // What is ready is good enough for everybody.
	if m.Ready(before, "other") != nil {
		t.Error("the price map of another workspace is ready")
	}
}
