package web

import (
	"strconv"
	"strings"
	"time"
)

// ProjectsView is the list of tracing projects.
type ProjectsView struct {
	Frame
	// NameContains is the value of the form above the list; it is sent as name_contains.
	NameContains string
	Range        RangeMenu
	Projects     []ListedProject
	// Models are the figures of the calls of models in these projects.
	Models  []FiguresGroup
	Columns []Column
	Paging  Paging
}

// ProjectSummary is the heading of a project's page.
type ProjectSummary struct {
	ID, Name, Description string
	StartTime             time.Time
	// LastRunTime is the start of the newest run; zero if there is none.
	LastRunTime time.Time
}

// ListedProject is a project in a list, with its figures and those of the period before.
type ListedProject struct {
	ProjectSummary
	Figures, Before Figures
}

// Gaps are why costs aren't all that providers bill.
type Gaps struct {
	// UnpricedRuns are calls of models without a cost, and UnpricedTokens are theirs.
	UnpricedRuns, UnpricedTokens int64
	// IncompleteRuns are calls whose cost lacks charges, and UncheckedRuns those that were stored before that was known.
	IncompleteRuns, UncheckedRuns int64
}

// Figures are those of the runs of a project, or of a time range.
type Figures struct {
	Runs, Errors                                int64
	PromptTokens, CompletionTokens, TotalTokens int64
	// TotalCost is US dollars as an exact decimal without a symbol, such as "0.0042"; empty if no run's cost is known.
	TotalCost string
	Gaps
	// Nil means unknown, because no run has ended or none has streamed.
	LatencyP50, LatencyP95, LatencyP99          *time.Duration
	FirstTokenP50, FirstTokenP95, FirstTokenP99 *time.Duration
	// Approximate says that there are too many runs for exact percentiles.
	Approximate bool
}

// ProjectView is one project.
type ProjectView struct {
	Frame
	Project ProjectSummary
	Range   RangeMenu
	// Groupings are the available groupings of the figures.
	Groupings []Range
	// Figures are those of the matching runs. Without them, FiguresProblem says why, or they are at FiguresURL.
	Figures        *FiguresView
	FiguresProblem string
	FiguresURL     string
	Runs           RunList
	// Views are the saved ones, and ViewQuery is what would be saved.
	Views     []SavedView
	ViewQuery string
	// DeploymentID is the deployment of the project; empty if it has none.
	DeploymentID string
}

// SavedView is a search in the project that the user has named.
type SavedView struct {
	Name, URL string
	Current   bool
}

// FiguresView are the figures of runs, and of groups of them.
type FiguresView struct {
	Frame
	// Counted names what is counted, such as traces.
	Counted string
	// Newest, unless it is 0, says that they are the figures of that many newest runs of the project.
	Newest int64
	All    FiguresGroup
	// GroupedBy is the grouping of Groups; empty if there is none. The charts show the first of the groups, else All.
	GroupedBy string
	Columns   []Column
	Groups    []FiguresGroup
	// Compared is what the form that compares two of the groups sends besides them.
	Compared []Setting
	// Start and Step are those of the points.
	Start time.Time
	Step  time.Duration
	// PointURLs are the addresses of the page for each of the points.
	PointURLs []string
	Rollouts  []RolloutMark
	// UnreadSpans is the number of spans with content that isn't understood, and UnreadURL the list of their runs.
	UnreadSpans int64
	UnreadURL   string
	// Interrupts is the number of failed traces that are interrupts, and InterruptsURL their list. MoreInterrupts says that there may be more.
	Interrupts     int64
	InterruptsURL  string
	MoreInterrupts bool
}

// FiguresGroup contains the figures of a group of runs, of the period before, and of each point in time.
type FiguresGroup struct {
	Name string
	// URL is the list of these runs; empty if there is none.
	URL             string
	Figures, Before Figures
	Points          []Figures
}

// RolloutMark is a rollout that has succeeded.
type RolloutMark struct {
	DeploymentID, RevisionID, Reference string
	At                                  time.Time
}

// ProjectFiguresView are figures of a project on their own page.
type ProjectFiguresView struct {
	Frame
	ProjectID, ProjectName, RangeLabel, Problem string
	// BackURL is the page of the project.
	BackURL string
	Figures *FiguresView
}

// ErrorRate is the share of the runs that failed, from 0 to 1; false without any runs.
func (f Figures) ErrorRate() (rate float64, known bool) {
	if f.Runs == 0 {
		return 0, false
	}
	return float64(f.Errors) / float64(f.Runs), true
}

// ErrorPercent is the error rate as a text.
func (f Figures) ErrorPercent() string {
	rate, known := f.ErrorRate()
	if !known {
		return unknown
	}
	return strings.TrimSuffix(strconv.FormatFloat(100*rate, 'f', 1, 64), ".0") + " %"
}

// Range is a time range that can be selected.
type Range struct {
	// Label is the text of the link, such as "last 24 hours", URL the address of the page.
	Label, URL string
	Current    bool
	// ByDay says that it depends on the time zone.
	ByDay bool
}

// RangeMenu has the time ranges of the page at a path, and the form for another one with the values of the chosen one.
type RangeMenu struct {
	Frame
	Path string
	// Label describes the chosen range.
	Label  string
	Ranges []Range
	// From and To are times without a zone, and Zone is the name of theirs; empty is UTC.
	From, To, Zone string
	// Hidden are the other parameters of the page, which the form keeps.
	Hidden []Setting
	// Custom says that it is none of those that are offered, Problem why a query could not be read.
	Custom  bool
	Problem string
}

// FeedbackView is the list of feedback on a project and on its runs, newest first.
type FeedbackView struct {
	Frame
	ProjectID, ProjectName string
	Range                  RangeMenu
	Feedback               []ListedFeedback
	Paging                 Paging
}

// ListedFeedback is feedback in a list. Without a run, it is feedback on the project.
type ListedFeedback struct {
	RunID string
	Feedback
}
