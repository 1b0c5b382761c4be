package web

import (
	"slices"
	"time"
)

// TraceView is one trace: a tree of runs, and one of them beside it.
type TraceView struct {
	Frame
	ID string
	// Roots are the root run, and runs whose parents are unknown.
	Roots  []TraceNode
	Totals Totals
	// Run is the selected run.
	Run RunView
	// Live says that the page is kept up to date, because a run is pending.
	Live bool
	// Order is one of TreeOrders, by which runs with the same parent are sorted; empty means by their start. Only is one of TreeFilters, and
	// Find a text: only matching runs are shown, below those above them. Empty shows all.
	Order, Only, Find string
	// Unread is the number of runs whose contents were too large, or too many, to be read.
	Unread int64
	// Unsearched is the number of failed calls whose arguments weren't searched for in earlier outputs, because they were too many.
	Unsearched int64
	// Unexamined is the number of calls of models without a row, whose outputs weren't examined for errors.
	Unexamined int64
	// Zoom is the part of the time that is shown, with the runs in it; nil means all.
	Zoom *Zoom
	// ByModel, ByTool and ByName are the figures of calls of models, of tools and of all runs, the most expensive ones first.
	ByModel, ByTool, ByName []TraceGroup
	// Depth is the number of expanded levels of the tree; zero means all. Levels link to other numbers.
	Depth  int
	Levels []Range
	// PreviousURL and NextURL link to the traces before and after this one in the conversation.
	PreviousURL, NextURL string
}

// ChosenRunView is what changes on the page of a trace when another run is selected.
type ChosenRunView struct{ TraceView }

// TraceNode is a run and those below it, in the order of their start.
type TraceNode struct {
	RunSummary
	// SelfTime is the time without the runs directly below; nil while the run is pending.
	SelfTime *time.Duration
	// OwnTokens and OwnCost are those of the run alone. The cost is as in Figures.TotalCost.
	OwnTokens int64
	OwnCost   string
	// RunsBelow and ErrorsBelow are the numbers of runs below, and of the failed ones among them, without interrupts.
	RunsBelow, ErrorsBelow int64
	// CallsModel says that the run calls a model itself.
	CallsModel bool
	// Line is what the run was asked and has answered, if its row is shown. Found says that its inputs or outputs contain the text that is searched for.
	Line     string
	Found    bool
	Marks    []Mark
	Children []TraceNode
}

// EachNode calls visit with every run of a tree.
func EachNode(nodes []TraceNode, visit func(*TraceNode)) {
	for i := range nodes {
		visit(&nodes[i])
		EachNode(nodes[i].Children, visit)
	}
}

// Mark is something remarkable about a run, which may be no error.
type Mark struct{ Label, Reason string }

// Totals are the figures of a run including all runs below it, or of a trace.
type Totals struct {
	// Errors are the failed runs without Interrupts, those of graphs that wait for input.
	Runs, Errors, Interrupts                    int64
	PromptTokens, CompletionTokens, TotalTokens int64
	// Costs are as in Figures.TotalCost. OtherCost is the part of the total that belongs to neither side, such as costs of
	// tools.
	PromptCost, CompletionCost, OtherCost, TotalCost string
	Gaps
	Latency, FirstToken *time.Duration
}

// Zoom is a part of the time of a trace, from its start.
type Zoom struct{ From, To time.Duration }

// TreeOrders are the columns by which the runs of a tree can be sorted, and TreeFilters the runs that can be selected.
var (
	TreeOrders  = []string{"time", "self", "tokens", "cost"}
	TreeFilters = []string{"errors", "calls", "marked"}
)

// TraceGroup are runs of a trace with the same model or name. The figures are those of these runs alone, without the runs below them.
type TraceGroup struct {
	Name         string
	Runs, Errors int64
	// Time and SelfTime are added up: runs side by side can take longer than their trace.
	Time, SelfTime time.Duration
	Tokens         int64
	// Cost is as in Figures.TotalCost.
	Cost string
}

// ExportURL is the file of the trace's runs, without its format.
func (v TraceView) ExportURL() string { return ExportOf(v.Paths().Trace(v.ID)) }

// Shown returns the IDs of the runs whose rows are shown.
func (v TraceView) Shown() map[string]bool {
	v.Roots = slices.Clone(v.Roots) // They are sorted for the page.
	return newSpan(v).shown
}
