package store

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// figure is a measure of a run that can be combined with those of the runs below it.
type figure struct {
	// value is an expression after the alias of a row. earliest says that values are times of which the first counts; others are
	// added up.
	value    string
	earliest bool
	// cost says that the value is stored as text, which holds more digits than a number.
	cost bool
}

// figureFields are the fields that are figures.
var figureFields = map[filter.Field]figure{
	filter.TotalTokens:    {value: "total_tokens"},
	filter.PromptTokens:   {value: "prompt_tokens"},
	filter.OutputTokens:   {value: "completion_tokens"},
	filter.TotalCost:      {value: "total_cost", cost: true},
	filter.PromptCost:     {value: "prompt_cost", cost: true},
	filter.OutputCost:     {value: "completion_cost", cost: true},
	filter.FirstTokenTime: {value: "first_token_time", earliest: true},
}

// figureOf returns the figure of a field; false if the field is no figure.
func figureOf(field filter.Field) (figure, bool) {
	if of, kind, is := field.Detail(); is {
		return figure{value: memberText("figures", string(of), kind), cost: true}, true
	}
	f, is := figureFields[field]
	return f, is
}

// figure returns a figure of the row: its own, or that including all runs below. A run whose place is unknown has nothing
// below it.
//
// The figures of all runs of a trace are computed together and remembered: adding up what is below each run of a deep trace
// would read its runs again and again.
func (r runRow) figure(f figure) condition {
	own := r.column(f.value)
	if f.cost {
		own = realOf(own)
	}
	if !r.whole {
		return where(own)
	}
	trace, question := r.column("trace_id"), treeQuestions.Add(1)
	gathered := "(SELECT " + gatherSubtrees("d", f.value) + " FROM runs d" + using("runs_of_trace") + "WHERE d.trace_id = " + trace +
		" AND d.dotted_order IS NOT NULL AND " + unindexed("d.workspace_id") + " = " + r.column("workspace_id") +
		" AND " + alive("d") + ")"
	return where("CASE WHEN "+r.column("dotted_order")+" IS NULL THEN "+own+" ELSE "+subtreeFigure(trace, r.column("seq"), gathered)+" END",
		question, question, question, f.earliest)
}
