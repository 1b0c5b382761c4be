package web

import "time"

// TraceView is one trace: a tree of runs.
type TraceView struct {
	Frame
	ID string
	// ProjectID and ProjectName lead to the project; ThreadID is empty when no thread is named.
	ProjectID, ProjectName, ThreadID string
	// Roots are the root run, and runs whose parents are not known.
	Roots  []TraceNode
	Totals Totals
	// Omitted is how many runs of the trace are not in the tree because it would be too large: a page of a thousand runs
	// is written in some tens of milliseconds.
	Omitted int64
}

// TraceNode is a run and those below it, in the order of their start.
type TraceNode struct {
	RunSummary
	Children []TraceNode
}

// Totals are the figures of a run with all those below it, or of a trace.
type Totals struct {
	Runs, Errors                                int64
	PromptTokens, CompletionTokens, TotalTokens int64
	// Costs are as Figures.TotalCost. OtherCost is the part of the total that is of neither side, as tools state it.
	PromptCost, CompletionCost, OtherCost, TotalCost string
	Latency, FirstToken                              *time.Duration
}
