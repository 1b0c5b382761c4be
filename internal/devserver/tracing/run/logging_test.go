package run

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
)

// TestChangesAreLinear checks that four times as many patches of a run take about four times as much work, not sixteen times. It counts allocations, so it isn't parallel.
func TestChangesAreLinear(t *testing.T) {
	patches := func(n int) []ingest.Operation {
		all := make([]ingest.Operation, n)
		for i := range all {
			extra := fmt.Sprintf(`{"metadata":{"k%d":%d}}`, i, i)
			all[i] = ingest.Operation{Kind: ingest.Patch, RunID: "r", Fields: ingest.Fields{"extra": json.RawMessage(extra)}}
		}
		return all
	}
	few, many := patches(200), patches(800)
	work := func(operations []ingest.Operation) float64 {
		return testing.AllocsPerRun(1, func() { changes(operations) })
	}
	if ratio := work(many) / work(few); ratio > 6 {
		t.Errorf("four times as many patches take %.1f times as many allocations, want at most 6", ratio)
	}
	var extra struct{ Metadata map[string]int }
	if err := json.Unmarshal(changes(few)[0].patch["extra"], &extra); err != nil || len(extra.Metadata) != len(few) {
		t.Errorf("%d entries of metadata, %v; want %d", len(extra.Metadata), err, len(few))
	}
}
