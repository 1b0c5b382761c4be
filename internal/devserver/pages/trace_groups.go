package pages

import (
	"cmp"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// groups adds up runs by a property.
type groups map[string]*group

type group struct {
	web.TraceGroup
	sum usage.Totals
}

func (all groups) add(name string, n *web.TraceNode, own usage.Totals) {
	g := all[name]
	if g == nil {
		g = &group{TraceGroup: web.TraceGroup{Name: name}}
		all[name] = g
	}
	g.Runs++
	if n.Failed() {
		g.Errors++
	}
	if n.Latency != nil {
		g.Time += *n.Latency
	}
	if n.SelfTime != nil {
		g.SelfTime += *n.SelfTime
	}
	g.sum.Include(own)
}

// list returns the groups, those with the highest costs first, and then those with the longest time.
func (all groups) list() []web.TraceGroup {
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *group) int {
		return cmp.Or(cmp.Compare(amountOf(b.sum.TotalCost), amountOf(a.sum.TotalCost)), cmp.Compare(b.SelfTime, a.SelfTime), cmp.Compare(a.Name, b.Name))
	})
	return form.Collect(sorted, func(g *group) web.TraceGroup {
		g.Tokens, g.Cost = g.sum.TotalTokens, costText(g.sum.TotalCost)
		return g.TraceGroup
	})
}

// traceGroups returns the figures of a trace by model, by tool, and by name.
func traceGroups(trace *figure.Trace, roots []web.TraceNode) (byModel, byTool, byName []web.TraceGroup) {
	models, tools, names := groups{}, groups{}, groups{}
	web.EachNode(roots, func(n *web.TraceNode) {
		own := trace.Of[n.ID].Own
		switch {
		case n.CallsModel && len(n.Models) > 0:
			models.add(n.Models[0], n, own) // A run comes before those below it.
		case llmrun.RunType(n.RunType) == llmrun.RunTypeTool:
			tools.add(n.Name, n, own)
		}
		names.add(n.Name, n, own)
	})
	return models.list(), tools.list(), names.list()
}
