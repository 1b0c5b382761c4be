package web

import (
	"net/url"
	"time"
)

// ThreadsView is the list of the conversations of a project.
type ThreadsView struct {
	Frame
	ProjectID, ProjectName string
	Ranges                 []Range
	Threads                []ThreadSummary
	Paging                 Paging
}

// ThreadSummary is a conversation in a list.
type ThreadSummary struct {
	ID                     string
	Turns, Errors          int64
	TotalTokens            int64
	FirstInput, LastOutput string
	LastTime               time.Time
}

// ThreadView is one conversation.
type ThreadView struct {
	Frame
	ID, ProjectID, ProjectName string
	// Turns is the number of turns, and Errors that of the failed ones, without interrupts. Shown are those on this page, the newest first, or the oldest. OrderURL
	// is the page in the other order.
	Turns, Errors int64
	Shown         []Turn
	Oldest        bool
	OrderURL      string
	Duration      *time.Duration
	// These are the sums of all runs of the conversation. TotalCost is as in Figures.
	PromptTokens, CompletionTokens, TotalTokens int64
	TotalCost                                   string
	Gaps
	Paging Paging
}

// ExportURL is the file of the conversation's runs, without its format.
func (v ThreadView) ExportURL() string {
	return ExportOf(v.Paths().Threads(v.ProjectID)) + "?" + url.Values{"thread": {v.ID}}.Encode()
}

// Turn is a trace of a conversation.
type Turn struct {
	Number int64
	Run    ListedRun
}

// threadPage is the data for the template of a conversation.
type threadPage struct {
	ThreadView
	TurnsShown []shownTurn
}

type shownTurn struct {
	Turn
	Input, Output longText
}

func newThreadPage(v ThreadView) threadPage {
	p := threadPage{ThreadView: v}
	r := room{2 * sideRoom}
	for _, t := range v.Shown {
		p.TurnsShown = append(p.TurnsShown, shownTurn{t, newMarkdown(t.Run.Inputs, &r), newMarkdown(t.Run.Outputs, &r)})
	}
	return p
}
