package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"sync"

	engine "modernc.org/sqlite"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
)

// figure is a measure of a run that can be combined with those of the runs below it.
type figure struct {
	// value is an expression after the alias of a row. earliest says that values are times of which the first counts; others are
	// added up.
	value    string
	earliest bool
	// cost reports whether the value is stored as text, which holds more digits than a number.
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
func (r runRow) figure(f figure) condition {
	own := r.column(f.value)
	if f.cost {
		own = realOf(own)
	}
	if !r.whole {
		return where(own)
	}
	return where("CASE WHEN " + r.column("dotted_order") + " IS NULL THEN " + own + " ELSE " + r.subtree(f) + " END")
}

// subtree adds up what is below a run, whose dotted order begins with that of the run: a slash is the character after a dot. A root
// contains its whole trace, even what doesn't begin with its order.
func (r runRow) subtree(f figure) string {
	value := "exact_sum(d." + f.value + ")"
	if f.earliest {
		value = "min(d." + f.value + ")"
	}
	order, root, key := r.column("dotted_order"), r.column("is_root"), r.on.orderKey("d.dotted_order")
	return "(SELECT " + value + " FROM runs d" + using("runs_of_trace") + "WHERE d.trace_id = " + r.column("trace_id") +
		" AND " + unindexed("d.workspace_id") + " = " + r.column("workspace_id") + " AND d.dotted_order IS NOT NULL AND " + alive("d") +
		" AND " + key + " >= CASE WHEN " + root + " THEN '' ELSE " + r.on.orderKey(order) + " END" +
		" AND " + key + " <= CASE WHEN " + root + " THEN '~' ELSE " + r.on.orderKey(order+" || '/'") + " END" +
		" AND (" + root + " OR d.seq = " + r.column("seq") + " OR d.dotted_order > " + order + " || '.' AND d.dotted_order < " + order + " || '/'))"
}

// registerExactSum registers the aggregate exact_sum with SQLite.
var registerExactSum = sync.OnceValue(func() error {
	return engine.RegisterFunction("exact_sum", &engine.FunctionImpl{
		NArgs:         1,
		MakeAggregate: func(engine.FunctionContext) (engine.AggregateFunction, error) { return &exactSum{}, nil },
	})
})

// exactSum adds up decimals, and returns the nearest float. Sums of binary fractions would differ from the displayed sums: 0.1 plus 0.2
// would not equal 0.3.
type exactSum struct{ sum *big.Rat } // Nil without values.

// Step adds a number.
func (s *exactSum) Step(_ *engine.FunctionContext, args []driver.Value) error {
	value := args[0]
	if value == nil {
		return nil
	}
	if float, is := value.(float64); is { // It was read from a decimal: use the shortest one that it represents.
		value = strconv.FormatFloat(float, 'g', -1, 64)
	}
	number, is := new(big.Rat).SetString(fmt.Sprint(value))
	if !is {
		return fmt.Errorf("a figure is a number, not %v", value)
	}
	if s.sum != nil {
		number.Add(number, s.sum)
	}
	s.sum = number
	return nil
}

// WindowInverse would remove a number again, for windows.
func (s *exactSum) WindowInverse(*engine.FunctionContext, []driver.Value) error {
	return errors.New("exact sums have no windows")
}

// WindowValue returns the sum.
func (s *exactSum) WindowValue(*engine.FunctionContext) (driver.Value, error) {
	if s.sum == nil {
		return nil, nil
	}
	sum, _ := s.sum.Float64()
	return sum, nil
}

// Final ends the aggregate.
func (s *exactSum) Final(*engine.FunctionContext) {}
