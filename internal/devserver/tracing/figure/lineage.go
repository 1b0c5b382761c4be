package figure

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// member is one of the runs whose figures are requested, or rolled up.
type member struct {
	Run
	runType string
	quarter int64
	root    bool // It is known to be a root run.
}

// members are runs by ID.
type members map[string]*member

// keep returns a visitor that adds runs. Their groups are their types.
func (all members) keep(root bool) func(store.RunTiming) error {
	return func(timing store.RunTiming) error {
		m := all[timing.ID]
		if m == nil {
			m = &member{Run: Run{RunTiming: timing}, runType: timing.Group, quarter: store.QuarterOf(timing.StartTime)}
			all[timing.ID] = m
		}
		m.root = m.root || root
		return nil
	}
}

// byType is the group that keep expects.
var byType = store.RunGroup{Column: store.ByRunType}

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
