package store

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// figure is a measure of a run that can be combined with those of the runs below it.
type figure struct {
	// value is an expression after the alias of a row, and aggregate combines the values of several rows.
	value, aggregate string
	// cost says that the value is stored as text, which holds more digits than a number.
	cost bool
}

// figureFields are the fields that are figures.
var figureFields = map[filter.Field]figure{
	filter.TotalTokens:    {value: "total_tokens", aggregate: exactSum},
	filter.PromptTokens:   {value: "prompt_tokens", aggregate: exactSum},
	filter.OutputTokens:   {value: "completion_tokens", aggregate: exactSum},
	filter.TotalCost:      {value: "total_cost", aggregate: exactSum, cost: true},
	filter.PromptCost:     {value: "prompt_cost", aggregate: exactSum, cost: true},
	filter.OutputCost:     {value: "completion_cost", aggregate: exactSum, cost: true},
	filter.FirstTokenTime: {value: "first_token_time", aggregate: "min"},
}

// figureOf returns the figure of a field; false if the field is no figure.
func figureOf(field filter.Field) (figure, bool) {
	if of, kind, is := field.Detail(); is {
		return figure{value: memberText("figures", string(of), kind), aggregate: exactSum, cost: true}, true
	}
	f, is := figureFields[field]
	return f, is
}

// figure returns a figure of the row: its own, or that including all runs below. A run whose place is unknown has nothing
// below it.
func (r runRow) figure(f figure) string {
	own := r.column(f.value)
	if f.cost {
		own = realOf(own)
	}
	if !r.whole {
		return own
	}
	// The dotted orders below a run start with that of the run and a dot, and the character after a dot is a slash. A root
	// contains its whole trace: dotted orders start with a digit, and the character after the digits is a colon.
	order, root := r.column("dotted_order"), r.column("is_root")
	from, to := either(root, "''", order), either(root, "':'", order+" || '/'")
	return "CASE WHEN " + order + " IS NULL THEN " + own + " ELSE (SELECT " + f.aggregate + "(d." + f.value +
		") FROM runs d WHERE d.trace_id = " + r.column("trace_id") + " AND d.dotted_order >= " + from + " AND d.dotted_order < " + to +
		" AND " + unindexed("d.workspace_id") + " = " + r.column("workspace_id") + ") END"
}
