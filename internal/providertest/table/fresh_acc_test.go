package table

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// TestAccTable_readAfterWrite reads the object until a list that reads share answers without a request, and changes it: the next read is sent
// again.
func TestAccTable_readAfterWrite(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.needs(s.change != nil, "The provider changes nothing of it in place.")
		s.converges("create", s.config)
		rpc := s.Plane.RPC()
		before := s.State.Attributes()
		state := s.encoded(rpc, before)
		sends := func() bool {
			sent := len(s.Plane.Seen())
			read, err := rpc.Server.ReadResource(s.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: s.typeName, CurrentState: state})
			rpc.OK(err, read.Diagnostics)
			return len(s.Plane.Seen()) > sent
		}
		const many = 50
		reads := 0
		for reads < many && sends() {
			reads++
		}
		if reads == many {
			s.t.Fatalf("each of %d reads is sent: no list answers them", many)
		}
		config := s.with(s.change)
		maps.Copy(before, s.change)
		planned, err := rpc.Server.PlanResourceChange(s.t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: s.typeName, PriorState: state, ProposedNewState: s.encoded(rpc, before), Config: s.encoded(rpc, config),
		})
		rpc.OK(err, planned.Diagnostics)
		applied, err := rpc.Server.ApplyResourceChange(s.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
			TypeName: s.typeName, PriorState: state, PlannedState: planned.PlannedState, Config: s.encoded(rpc, config),
		})
		rpc.OK(err, applied.Diagnostics)
		if !sends() {
			s.t.Error("a read after a write has the answer of a list from before")
		}
	})
}
