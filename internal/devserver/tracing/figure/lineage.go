package figure

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// member is one of the runs whose figures are requested, or rolled up.
type member struct {
	Run
	quarter int64

	// For rolling up.
	rolled *store.RolledRun
	scopes []store.RollupScope
	priced bool // The run, or one below it, has a cost.
}

func newMember(timing store.RunTiming) *member {
	return &member{Run: Run{RunTiming: timing}, quarter: store.QuarterOf(timing.StartTime)}
}

// members are runs by ID.
type members map[string]*member

// keep adds a run.
func (all members) keep(timing store.RunTiming) error {
	if all[timing.ID] == nil {
		all[timing.ID] = newMember(timing)
	}
	return nil
}

// above returns the members that a run counts for: those above it, and itself.
func (all members) above(run store.RunFigures) (above []*member) {
	for id := range run.Lineage() {
		if m := all[id]; m != nil && m.TraceID == run.TraceID {
			above = append(above, m)
		}
	}
	return above
}

// ownBelow returns the figures of a run, and the members that it counts for.
func (all members) ownBelow(run store.RunFigures) (own usage.Totals, above []*member, err error) {
	if above = all.above(run); above != nil {
		own, err = totalsOf(run)
	}
	return own, above, err
}
