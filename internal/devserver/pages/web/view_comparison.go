package web

import "encoding/json"

// ComparisonView is two runs side by side.
type ComparisonView struct {
	Frame
	// ProjectID and ProjectName are those of the first run.
	ProjectID, ProjectName string
	A, B                   ComparedRun
}

// ComparedRun is one of the two.
type ComparedRun struct {
	RunSummary
	// Inputs and Outputs are what was logged.
	Inputs, Outputs json.RawMessage
	Metadata        []Setting
}

// GroupComparisonView is two groups of a project's runs side by side.
type GroupComparisonView struct {
	Frame
	ProjectID, ProjectName string
	// RangeLabel describes the time range, GroupedBy the grouping, and Counted what is counted.
	RangeLabel, GroupedBy, Counted string
	// Newest is as in FiguresView.
	Newest int64
	A, B   ComparedGroup
}

// ComparedGroup is one of the two. URL is the list of its runs; empty if there is none.
type ComparedGroup struct {
	Name, URL string
	Figures   Figures
}
