package figure

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Reader reads what figures are computed from.
type Reader interface {
	EachTiming(f store.RunFilter, by store.RunGroup, visit func(store.RunTiming) error) error
	EachFiguresOfTraces(f store.RunFilter, whole bool, visit func(store.RunFigures) error) error
}

// gathering are runs whose figures are requested, together.
type gathering struct {
	*Figures

	members []*Run
	sum     usage.Totals
	// counted is the last run that was added to the sum.
	counted string
}

// Run is one of the runs. It may be in several groups.
type Run struct {
	store.RunTiming
	totals usage.Totals
	groups []*gathering
}

// measureGroups computes the figures of the matching runs, in groups: those of by, or those that key returns. Details of tokens
// and costs are read only if they are requested.
func measureGroups[K comparable](r Reader, f store.RunFilter, by store.RunGroup, details bool, key func(store.RunTiming) K) (map[K]*gathering, error) {
	groups := map[K]*gathering{}
	byID := map[string]*Run{}
	err := r.EachTiming(f, by, func(timing store.RunTiming) error {
		k := key(timing)
		group := groups[k]
		if group == nil {
			group = &gathering{}
			groups[k] = group
		}
		run := byID[timing.ID]
		if run == nil {
			run = &Run{RunTiming: timing}
			byID[timing.ID] = run
		}
		group.members, run.groups = append(group.members, run), append(run.groups, group)
		return nil
	})
	if err != nil || len(byID) == 0 {
		return groups, err
	}
	err = r.EachFiguresOfTraces(f, details, func(figures store.RunFigures) error {
		own, err := totalsOf(figures)
		if err != nil {
			return err
		}
		for id := range figures.Lineage() {
			if run := byID[id]; run != nil && run.TraceID == figures.TraceID {
				run.add(figures.ID, own)
			}
		}
		return nil
	})
	for _, group := range groups {
		group.Figures = figuresOf(group.members, group.sum)
	}
	return groups, err
}

// add adds the figures of the run with that ID, which is r or a run below it.
func (r *Run) add(id string, own usage.Totals) {
	for _, group := range r.groups {
		if group.counted != id {
			group.counted, group.sum = id, group.sum.Add(own)
		}
	}
	r.addOwn(own)
}

// addOwn adds figures to those of the run alone. Responses contain only the sums of details.
func (r *Run) addOwn(own usage.Totals) {
	r.totals = r.totals.Add(withoutDetails(own))
}

func withoutDetails(t usage.Totals) usage.Totals {
	t.PromptTokenDetails, t.CompletionTokenDetails, t.PromptCostDetails, t.CompletionCostDetails = nil, nil, nil, nil
	return t
}
