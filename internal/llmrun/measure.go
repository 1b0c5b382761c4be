package llmrun

import "time"

// Measurement is everything that a run's data says in figures.
type Measurement struct {
	Model Model
	Usage Usage
	// UsageSource is the JSON pointer of the usage, empty when the run has none.
	UsageSource    string
	Cost           Cost
	FirstTokenTime *time.Time
	// Problems are about figures that the run has tried to state.
	Problems []Problem
}

// Measure reads the figures of a run by itself, without the runs below it. Prices may be nil.
//
// Prices apply to llm runs only; any run may state a cost. A run whose model has no price, or that names no model, keeps
// its tokens, and its cost is not known.
func (r *Run) Measure(prices *PriceMap) Measurement {
	usage := r.Usage()
	m := Measurement{
		Model: r.Model(), Usage: usage.Usage, UsageSource: usage.Source, FirstTokenTime: r.FirstTokenTime(),
		Problems: append(usage.Problems, r.CheckEvents()...),
	}
	var price *Price
	if r.RunType == RunTypeLLM {
		input, _, _ := m.Usage.Tokens()
		price = prices.Find(m.Model, orTime(r.StartTime), input)
	}
	m.Cost = EstimateCost(m.Usage, price)
	return m
}

// Totals are the figures of the run alone.
func (m Measurement) Totals() Totals { return TotalsOf(m.Usage, m.Cost, m.FirstTokenTime) }

// Node is the run with its own figures.
func (r *Run) Node(m Measurement) Node {
	return Node{ID: r.ID, ParentRunID: r.ParentRunID, TraceID: r.TraceID, Totals: m.Totals()}
}
