package web

import (
	"net/url"
	"time"
)

// ThreadsView is the list of the conversations of a project.
type ThreadsView struct {
	Frame
	ProjectID, ProjectName string
	Range                  RangeMenu
	// Search are words that a turn of each conversation contains, or a filter.
	Search string
	// Hidden are the other parameters of the query, which the form of the search keeps.
	Hidden  []Setting
	Threads []ThreadSummary
	Paging  Paging
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
	// ShareToken gives anybody access to the conversation; empty if it isn't shared. The page that was opened with it has no IDs.
	ShareToken string
	// Turns is the number of turns, and Errors that of the failed ones, without interrupts. Shown are those on this page, the oldest first.
	Turns, Errors int64
	Shown         []Turn
	// Find is a text that all shown turns contain, Matches the number of such turns, and ClearURL the page with all turns.
	Find     string
	Matches  int64
	ClearURL string
	Duration *time.Duration
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

// SearchPath is the path of the page.
func (v ThreadView) SearchPath() string {
	if v.ID == "" {
		return v.Paths().SharedThread(v.ShareToken)
	}
	return v.Paths().Threads(v.ProjectID)
}

// Turn is a trace of a conversation.
type Turn struct {
	Number        int64
	Run           RunSummary
	Input, Output TurnSide
	// Attachments is the number of those of all runs of the trace.
	Attachments int64
	// Calls are the first calls of tools in the trace. MoreCalls says that there are more.
	Calls     []TurnCall
	MoreCalls bool
}

// TurnSide is what was asked or answered in a turn: messages, or else a text.
type TurnSide struct {
	Messages []Message
	// Hidden is the number of messages before them, of earlier turns or of the system.
	Hidden int64
	// Others are the names of the fields beside the messages.
	Others string
	Text   string
}

// TurnCall is a call of a tool, with its arguments and its result in a line.
type TurnCall struct {
	RunSummary
	Line string
}

// threadPage is the data for the template of a conversation.
type threadPage struct {
	ThreadView
	TurnsShown []shownTurn
}

type shownTurn struct {
	Turn
	Sides []shownSide
}

// shownSide is the input or the output of a turn, as far as there is space for it.
type shownSide struct {
	Label, Role string
	Hidden      int64
	Others      string
	Messages    []shownMessage
	// Omitted is the number of blocks that are left out.
	Omitted int
	Text    longText
}

func newThreadPage(v ThreadView) threadPage {
	p := threadPage{ThreadView: v}
	all := conversation{paths: v.Paths(), room: room{2 * sideRoom}}
	for _, t := range v.Shown {
		p.TurnsShown = append(p.TurnsShown, shownTurn{t, []shownSide{all.side("Input", "user", t.Input), all.side("Output", "assistant", t.Output)}})
	}
	return p
}

// side adds one side of a turn to the conversation.
func (c *conversation) side(label, role string, t TurnSide) shownSide {
	c.Messages = nil
	shown := shownSide{Label: label, Role: role, Hidden: t.Hidden, Others: t.Others, Text: newMarkdown(t.Text, &c.room)}
	calls := map[string]*shownBlock{}
	for i, m := range t.Messages {
		content := m.Content[:min(len(m.Content), maxTurnBlocks)]
		shown.Omitted += len(m.Content) - len(content)
		c.show(shownMessage{Message: m, Number: int(t.Hidden) + i + 1}, content, calls)
	}
	shown.Messages = c.Messages
	return shown
}

// maxTurnBlocks limits what is shown of a message.
const maxTurnBlocks = 20
