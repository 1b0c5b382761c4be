package web

import "time"

// ProjectsView is the list of tracing projects.
type ProjectsView struct {
	Frame
	// NameContains is what the form above the list says; it is sent as name_contains.
	NameContains string
	// Ranges are the spans of time that the figures can be of.
	Ranges   []Range
	Projects []ProjectSummary
	Paging   Paging
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
	// Groupings are what figures can be grouped by, GroupedBy is the word for the chosen one and Groups are these. Charts show the
	// first of them in place of the project as a whole.
	Groupings []Range
	GroupedBy string
	Groups    []FiguresGroup
	Runs      RunList
	// DeploymentID leads to the deployment that the project is of; empty for any other project.
	DeploymentID string
}

// FiguresGroup are the figures of the runs that have a model or a tag, in all and for each of ProjectView.Points.
type FiguresGroup struct {
	Name    string
	Figures Figures
	Points  []Figures
}

// ErrorRate is the part of the runs that failed, from 0 to 1; false without any runs.
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

// Range is a span of time that can be chosen.
type Range struct {
	// Label is as in "last 24 hours", URL the address of the page that shows it.
	Label, URL string
	Current    bool
}

// FeedbackView is the list of what is said of a project and of its runs, the newest first.
type FeedbackView struct {
	Frame
	ProjectID, ProjectName string
	Ranges                 []Range
	Feedback               []ListedFeedback
	Paging                 Paging
}

// ListedFeedback is feedback in a list. Without a run it is on the project.
type ListedFeedback struct {
	RunID string
	Feedback
}
