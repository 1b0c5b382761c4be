package tracing

import (
	"iter"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// measured are runs whose figures are requested.
//
// The number of runs, failures and latencies are those of the runs themselves. Tokens, costs and the first token of a run
// include all runs below it: a root run has those of its trace, and its first token is the earliest of any llm run in the
// trace, relative to the start of the root. The sums count no run twice, even if one of the runs is below another.
type measured struct {
	runs []*measuredRun
	sum  usage.Totals
	// ratings is the feedback on the runs, if requested.
	ratings ratings

	// counted is the last run that was added to the sum.
	counted string
}

// measuredRun is one of the runs. It may be in several groups.
type measuredRun struct {
	store.RunTiming
	totals usage.Totals
	groups []*measured
}

// measure computes the figures of the matching runs, in groups: those of by, or those that key returns. Details of tokens
// and costs are read only if they are requested.
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

// add adds the figures of the run with that ID, which is r or a run below it.
func (r *measuredRun) add(id string, own usage.Totals) {
	for _, group := range r.groups {
		if group.counted != id {
			group.counted, group.sum = id, group.sum.Add(own)
		}
	}
	// Responses contain only the sums of details.
	own.PromptTokenDetails, own.CompletionTokenDetails, own.PromptCostDetails, own.CompletionCostDetails = nil, nil, nil, nil
	r.totals = r.totals.Add(own)
}

// lineage returns the IDs of a run and all of its ancestors, starting with the root. They are part of its dotted order, so
// that a run counts for its trace even if one in between has not arrived. A run whose place is unknown counts only for
// itself.
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

// isBelow says whether a run, or one of its ancestors, has an ID.
func isBelow(run store.Run, id string) bool {
	for ancestor := range lineage(store.RunFigures{ID: run.ID, DottedOrder: run.DottedOrder}) {
		if ancestor == id {
			return true
		}
	}
	return false
}
