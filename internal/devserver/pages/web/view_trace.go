package web

import "time"

// TraceView is one trace: a tree of runs, and one of them beside it.
type TraceView struct {
	Frame
	ID string
	// Roots are the root run, and runs whose parents are not known.
	Roots  []TraceNode
	Totals Totals
	// Run is the one that is chosen.
	Run RunView
	// Depth is how many levels of the tree are unfolded; zero is all of them. Levels lead to another number.
	Depth  int
	Levels []Range
	// PreviousURL and NextURL lead to the traces before and after this one in the conversation.
	PreviousURL, NextURL string
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
