package pages

import (
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/session"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// showThreads lists the conversations of a project, or shows the one that the query names.
func (s *Service) showThreads(c *rest.Call, frame web.Frame) (rendering, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	if id := c.Request.URL.Query().Get("thread"); id != "" {
		return s.showThread(c, frame, row, id)
	}
	path := frame.Paths().Threads(row.ID)
	view := web.ThreadsView{Frame: frame, ProjectID: row.ID, ProjectName: row.Name}
	var chosen projectRange
	chosen, view.Ranges = chosenRange(c, path)
	from, to := chosen.bounds(c.Now)
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, From: &from, To: &to}
	p, page := paged(c, path)
	found, err := c.Tx.Threads(f, nil, page.Limit, page.Offset)
	if err != nil {
		return nil, err
	}
	found, view.Paging = window(p, found)
	turns, err := c.Tx.ThreadRuns(f, form.Collect(found, func(t store.Thread) string { return t.ID }))
	if err != nil {
		return nil, err
	}
	summaries, err := summaries(c, turns)
	if err != nil {
		return nil, err
	}
	for _, t := range found {
		view.Threads = append(view.Threads, threadSummary(t.ID, turns, summaries))
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Threads(w, view) }, nil
}

// threadSummary returns a conversation as shown in lists, from its turns in the time range, oldest first.
func threadSummary(id string, turns []store.Run, summaries []web.ListedRun) web.ThreadSummary {
	summary := web.ThreadSummary{ID: id}
	for i, turn := range turns {
		if turn.ThreadID == nil || *turn.ThreadID != id {
			continue
		}
		summary.Turns++
		summary.TotalTokens += summaries[i].TotalTokens
		if turn.Error != nil && !llmrun.Interrupted(*turn.Error) {
			summary.Errors++
		}
		if summary.Turns == 1 {
			summary.FirstInput = summaries[i].Inputs
		}
		summary.LastOutput, summary.LastTime = summaries[i].Outputs, turn.StartTime
	}
	return summary
}

// maxTurns is the number of turns of a conversation on a page.
const maxTurns = 50

// oldestFirst is the order of a conversation's turns in a query; otherwise, the newest comes first.
const oldestFirst = "oldest"

func (s *Service) showThread(c *rest.Call, frame web.Frame, project store.Project, id string) (rendering, error) {
	turns, err := c.Tx.ThreadRuns(store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{project.ID}}, []string{id})
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, form.Missing("Thread '%s' not found.", id)
	}
	view := web.ThreadView{Frame: frame, ID: id, ProjectID: project.ID, ProjectName: project.Name, Turns: int64(len(turns))}
	if err := s.addThreadTotals(c, turns, &view); err != nil {
		return nil, err
	}
	at := addressOf(c, frame.Paths().Threads(project.ID))
	p, page := paged(c, at.path)
	number, step := page.Offset+1, 1
	if view.Oldest = at.query.Get("order") == oldestFirst; view.Oldest {
		view.OrderURL = at.with("order", "")
	} else {
		turns = slices.Clone(turns)
		slices.Reverse(turns)
		number, step = len(turns)-page.Offset, -1
		view.OrderURL = at.with("order", oldestFirst)
	}
	page.Limit = maxTurns + 1
	var shown []store.Run
	shown, view.Paging = window(p, store.Window(turns, page))
	totals, models, err := figure.Summarize(c.Tx, c.WorkspaceID, shown)
	if err != nil {
		return nil, err
	}
	for _, turn := range shown {
		said, err := run.Said(c.Tx, c.WorkspaceID, turn.ID)
		if err != nil {
			return nil, err
		}
		one := web.Turn{Number: int64(number)}
		number += step
		one.Run.RunSummary = runSummary(turn, totals[uuid.MustParse(turn.ID)], models[turn.ID])
		one.Run.Inputs = previewOf(string(said["inputs"]), document.Inputs)
		one.Run.Outputs = previewOf(string(said["outputs"]), document.Outputs)
		view.Shown = append(view.Shown, one)
	}
	return func(pages *web.Pages, w io.Writer) error { return pages.Thread(w, view) }, nil
}

// addThreadTotals adds the figures of a whole conversation.
func (s *Service) addThreadTotals(c *rest.Call, turns []store.Run, view *web.ThreadView) error {
	last := turns[len(turns)-1]
	end := last.StartTime
	if last.EndTime != nil {
		end = *last.EndTime
	}
	view.Duration = new(max(0, end.Sub(turns[0].StartTime)).Round(time.Millisecond))
	for _, turn := range turns {
		if turn.Error != nil && !llmrun.Interrupted(*turn.Error) {
			view.Errors++
		}
	}
	sum, err := figure.SumOfTraces(c.Tx, c.WorkspaceID, form.Collect(turns, func(turn store.Run) string { return turn.ID }))
	view.PromptTokens, view.CompletionTokens, view.TotalTokens = sum.PromptTokens, sum.CompletionTokens, sum.TotalTokens
	view.TotalCost, view.Gaps = costText(sum.TotalCost), gapsOf(sum)
	return err
}
