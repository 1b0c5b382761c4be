package tracing

import (
	"iter"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// measured are runs whose figures are asked for.
//
// How many there are, how many failed and how long they took follows from the runs themselves. Tokens, costs and the first
// token of a run are those of the run and of all below it: a root run has those of its trace, and its first token is the
// earliest of any llm run in the trace, as seen from the start of the root. The sums count no run twice, even where one of
// the runs is below another.
type measured struct {
	runs []*measuredRun
	sum  usage.Totals
	// ratings is the feedback on the runs, if it was asked for.
	ratings ratings

	// counted is the last run that was added to the sum.
	counted string
}

// measuredRun is one of them. It may be in several groups.
type measuredRun struct {
	store.RunTiming
	totals usage.Totals
	groups []*measured
}

// measure finds the figures of the runs that match, in groups: those of by, or what key makes of them. Details of tokens
// and costs are read only when they are asked for.
func measure[K comparable](c *rest.Call, f store.RunFilter, by store.RunGroup, details bool, key func(store.RunTiming) K) (map[K]*measured, error) {
	groups := map[K]*measured{}
	byID := map[string]*measuredRun{}
	err := c.Tx.EachTiming(f, by, func(timing store.RunTiming) error {
		k := key(timing)
		group := groups[k]
		if group == nil {
			group = &measured{}
			groups[k] = group
		}
		run := byID[timing.ID]
		if run == nil {
			run = &measuredRun{RunTiming: timing}
			byID[timing.ID] = run
		}
		group.runs, run.groups = append(group.runs, run), append(run.groups, group)
		return nil
	})
	if err != nil || len(byID) == 0 {
		return groups, err
	}
	return groups, c.Tx.EachFiguresOfTraces(f, details, func(figures store.RunFigures) error {
		own, err := totalsOf(figures)
		if err != nil {
			return err
		}
		for id := range lineage(figures) {
			if run := byID[id]; run != nil {
				run.add(figures.ID, own)
			}
		}
		return nil
	})
}

// add counts the figures of the run with that id, which is r or below it.
func (r *measuredRun) add(id string, own usage.Totals) {
	for _, group := range r.groups {
		if group.counted != id {
			group.counted, group.sum = id, group.sum.Add(own)
		}
	}
	// Of details, only the sums are answered.
	own.PromptTokenDetails, own.CompletionTokenDetails, own.PromptCostDetails, own.CompletionCostDetails = nil, nil, nil, nil
	r.totals = r.totals.Add(own)
}

// lineage are the ids of a run and of all above it, from the root on. They stand in its dotted order, so that a run counts
// for its trace even if one between them has not arrived. A run whose place is not known counts for itself alone.
func lineage(run store.RunFigures) iter.Seq[string] {
	return func(yield func(string) bool) {
		if run.DottedOrder == nil {
			yield(run.ID)
			return
		}
		for segment := range strings.SplitSeq(*run.DottedOrder, ".") {
			if _, id, _ := strings.Cut(segment, "Z"); !yield(id) {
				return
			}
		}
	}
}

// isBelow says that a run, or one that it is below, has an id.
func isBelow(run store.Run, id string) bool {
	for ancestor := range lineage(store.RunFigures{ID: run.ID, DottedOrder: run.DottedOrder}) {
		if ancestor == id {
			return true
		}
	}
	return false
}
