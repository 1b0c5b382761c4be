package figure

import (
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// member is one of the runs whose figures are requested, or rolled up.
type member struct {
	Run
	quarter int64

	// For rolling up.
	scopes     []store.RollupScope
	root       bool
	order      *string    // Nil while its parent is unknown.
	traceStart *time.Time // Nil if it is unknown.
	call       bool       // Of a model.
	priced     bool       // The call, or a run below it, has a cost.
	unpriced   *store.RollupScope
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

// eachBelow calls visit with the figures of each run in the traces of the matching runs that is a member or below one, and with those
// above it, itself included.
func (all members) eachBelow(r Reader, f store.RunFilter, details bool, visit func(run store.RunFigures, own usage.Totals, above []*member)) error {
	if len(all) == 0 {
		return nil
	}
	return r.EachFiguresOfTraces(f, details, func(run store.RunFigures) error {
		var above []*member
		for id := range run.Lineage() {
			if m := all[id]; m != nil && m.TraceID == run.TraceID {
				above = append(above, m)
			}
		}
		if above == nil {
			return nil
		}
		own, err := totalsOf(run)
		if err != nil {
			return err
		}
		own.FirstTokenTime, run.FirstTokenTime = nil, own.FirstTokenTime
		visit(run, own, above)
		return nil
	})
}

// addOwn adds the figures of a run that the member contains.
func (m *member) addOwn(run store.RunFigures, own usage.Totals) {
	own.FirstTokenTime = run.FirstTokenTime
	m.Run.addOwn(own)
}
