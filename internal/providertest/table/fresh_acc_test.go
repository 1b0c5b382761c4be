package table

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// TestAccTable_order plans two objects in one walk of the provider, before and after their creation: neither plan, nor what it says, depends on
// which of them comes first.
func TestAccTable_order(t *testing.T) {
	eachRow(t, func(s *subject) {
		if s.refers {
			provide(s.Plane, "other")
		}
		driven := []*providertest.Driven{s.Driven, s.Plane.Drive(s.t, s.typeName)}
		configs := []object{s.config, s.with(object{s.key: "other"})}
		plans := func(order ...int) map[int]string {
			command, err := core.NewDriver(s.typeName, s.Plane.Factories()["agentplane"]).Command(s.t.Context())
			if err != nil {
				s.t.Fatal(err)
			}
			all := map[int]string{}
			for _, i := range order {
				now, read := command.Refresh(s.t.Context(), driven[i].State)
				planned, out := command.Plan(s.t.Context(), now, configs[i])
				all[i] = fmt.Sprint(planned, providertest.Told(append(read.Diagnostics, out.Diagnostics...)))
			}
			return all
		}
		for _, when := range []string{"creations", "changes"} {
			if diff := cmp.Diff(plans(0, 1), plans(1, 0)); diff != "" {
				s.t.Errorf("%s (-forwards +backwards):\n%s", when, diff)
			}
			for i, d := range driven {
				d.Make(configs[i])
				maps.Copy(configs[i], s.change)
			}
		}
	})
}

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
