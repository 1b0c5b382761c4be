package web

import "time"

// ProjectsView is the list of tracing projects.
type ProjectsView struct {
	Frame
	// NameContains is the value of the form above the list; it is sent as name_contains.
	NameContains string
	// Ranges are the available time ranges of the figures.
	Ranges   []Range
	Range    RangeForm
	Projects []ProjectSummary
	Paging   Paging
}

// ProjectSummary is a project in a list, and the heading of its own page.
type ProjectSummary struct {
	ID, Name, Description string
	StartTime             time.Time
	Figures               Figures
	// LastRunTime is the start of the newest run; zero if there is none.
	LastRunTime time.Time
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
	// Ranges are the available time ranges of the charts; if there are none, there is no choice.
	Ranges []Range
	Range  RangeForm
	// Previous are the figures of the period before; nil if they aren't compared. Comparisons are the available ones.
	Previous    *Figures
	Comparisons []Range
	// Points are the figures of consecutive time spans, from Start, each of length Step. The charts show them. If there are
	// none, there are no charts.
	Start  time.Time
	Step   time.Duration
	Points []Figures
	// PointURLs are the addresses of the page for each of Points.
	PointURLs []string
	// Groupings are the available groupings, GroupedBy is the name of the chosen one and Groups are its groups. Charts show
	// the first of them instead of the project as a whole.
	Groupings []Range
	GroupedBy string
	Groups    []FiguresGroup
	Runs      RunList
	// Views are the saved ones, and ViewQuery is what would be saved.
	Views     []SavedView
	ViewQuery string
	// UnreadSpans is the number of spans with content that isn't understood, and UnreadURL the list of their runs.
	UnreadSpans int64
	UnreadURL   string
	// Interrupts is the number of failed traces that are interrupts, and InterruptsURL their list. MoreInterrupts says that there may be more.
	Interrupts     int64
	InterruptsURL  string
	MoreInterrupts bool
	// DeploymentID is the deployment of the project; empty if it has none.
	DeploymentID string
}

// SavedView is a search in the project that the user has named.
type SavedView struct {
	Name, URL string
	Current   bool
}

// FiguresGroup contains the figures of the runs with a model or a tag, in total and for each of ProjectView.Points.
type FiguresGroup struct {
	Name    string
	Figures Figures
	Points  []Figures
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
	return percent(100 * rate)
}

// Range is a time range that can be selected.
type Range struct {
	// Label is the text of the link, such as "last 24 hours", URL the address of the page.
	Label, URL string
	Current    bool
	// ByDay says that it depends on the time zone.
	ByDay bool
}

// RangeForm is the form for a time range, with the values of the chosen one.
type RangeForm struct {
	// Label describes the range.
	Label string
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
	Ranges                 []Range
	Range                  RangeForm
	Feedback               []ListedFeedback
	Paging                 Paging
}

// ListedFeedback is feedback in a list. Without a run, it is feedback on the project.
type ListedFeedback struct {
	RunID string
	Feedback
}
