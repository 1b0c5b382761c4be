package web

import "time"

// TraceView is one trace: a tree of runs, and one of them beside it.
type TraceView struct {
	Frame
	ID string
	// Roots are the root run, and runs whose parents are unknown.
	Roots  []TraceNode
	Totals Totals
	// Run is the selected run.
	Run RunView
	// Depth is the number of expanded levels of the tree; zero means all. Levels link to other numbers.
	Depth  int
	Levels []Range
	// PreviousURL and NextURL link to the traces before and after this one in the conversation.
	PreviousURL, NextURL string
}

// TraceNode is a run and those below it, in the order of their start.
type TraceNode struct {
	RunSummary
	Children []TraceNode
}

// Totals are the figures of a run including all runs below it, or of a trace.
type Totals struct {
	Runs, Errors                                int64
	PromptTokens, CompletionTokens, TotalTokens int64
	// Costs are as in Figures.TotalCost. OtherCost is the part of the total that belongs to neither side, such as costs of
	// tools.
	PromptCost, CompletionCost, OtherCost, TotalCost string
	// UnpricedRuns are calls of models without a cost, and UnpricedTokens are theirs.
	UnpricedRuns, UnpricedTokens int64
	Latency, FirstToken          *time.Duration
}
