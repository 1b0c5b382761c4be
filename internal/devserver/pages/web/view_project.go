package web

import "time"

// ProjectsView is the list of tracing projects.
type ProjectsView struct {
	Frame
	// NameContains is what the form above the list says; it is sent as name_contains.
	NameContains string
	Projects     []ProjectSummary
	Paging       Paging
}

// ProjectSummary is a project in a list, and the head of its own page.
type ProjectSummary struct {
	ID, Name, Description string
	StartTime             time.Time
	Figures               Figures
	// LastRunTime is the start of the newest run; zero when there is none.
	LastRunTime time.Time
}

// Figures are those of the runs of a project, or of a span of its time.
type Figures struct {
	Runs, Errors                                int64
	PromptTokens, CompletionTokens, TotalTokens int64
	// TotalCost is US dollars as an exact decimal without a sign, as in "0.0042"; empty where no run's cost is known.
	TotalCost string
	// What is nil is not known, as no run has ended or none has streamed.
	LatencyP50, LatencyP99       *time.Duration
	FirstTokenP50, FirstTokenP99 *time.Duration
}

// ProjectView is one project.
type ProjectView struct {
	Frame
	Project ProjectSummary
	// Ranges are the spans of time that can be chosen for the charts; none shows no choice.
	Ranges []Range
	// Points are the figures of equal spans of time without a gap, from Start, each of them Step long. They are what the
	// charts show. None shows no charts.
	Start  time.Time
	Step   time.Duration
	Points []Figures
	Filter RunFilter
	// Runs are those of this page of the list, newest first.
	Runs   []RunSummary
	Paging Paging
}

// Range is a span of time that can be chosen.
type Range struct {
	// Label is as in "last 24 hours", URL the address of the page that shows it.
	Label, URL string
	Current    bool
}

// RunFilter is what the form above the list of runs says. It is sent as the query of the project's own path, under the
// names scope, run_type and status. Empty means any, but for the scope: empty means the root runs, one for each trace.
type RunFilter struct {
	// Scope is empty or "all".
	Scope string
	// RunType is one of RunTypes and Status one of Statuses, which are what can be chosen.
	RunType, Status    string
	RunTypes, Statuses []string
}

// Set says that the list is not that of the root runs.
func (f RunFilter) Set() bool { return f.Scope != "" || f.RunType != "" || f.Status != "" }

// RunSummary is a run in a list or in the tree of its trace.
type RunSummary struct {
	ID, TraceID, Name string
	// RunType and Status are words as in "llm" and "success"; Status is success, error or pending.
	RunType, Status string
	// Model is empty when the run names none.
	Model string
	// Error is what the run says has gone wrong.
	Error     string
	StartTime time.Time
	// Latency is nil while the run is pending. FirstToken is from the start to the first token; nil without one.
	Latency, FirstToken *time.Duration
	// TotalTokens and TotalCost are those of the run together with the runs below it. The cost is as Figures.TotalCost.
	TotalTokens int64
	TotalCost   string
}
