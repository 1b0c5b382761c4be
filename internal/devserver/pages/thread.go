package pages

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
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
func (s *Service) showThreads(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "session_id", session.Read)
	if err != nil {
		return nil, err
	}
	if id := c.Request.URL.Query().Get("thread"); id != "" {
		return s.showThread(c, frame, row, id)
	}
	path := frame.Paths().Threads(row.ID)
	view := web.ThreadsView{Frame: frame, ProjectID: row.ID, ProjectName: row.Name, Search: c.Request.URL.Query().Get("q")}
	chosen := chosenRange(c)
	view.Range = rangeMenu(c, frame, path, chosen)
	from, to := chosen.bounds(c.Now)
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ID}, From: &from, To: &to}
	view.Hidden = addressOf(c, path).Hidden("q")
	p, page := paged(c, path)
	searched := f // The figures are those of all turns.
	if err := run.Narrow(&searched, view.Search); err != nil {
		return nil, err
	}
	found, err := c.Tx.Threads(searched, nil, page.Limit, page.Offset)
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
	view.Threads = form.Collect(found, func(t store.Thread) web.ThreadSummary { return threadSummary(t.ID, turns, summaries) })
	return view, nil
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

// maxTurns is the number of turns of a conversation on a page, and maxTurnCalls that of the calls of tools that each of them shows.
const (
	maxTurns     = 50
	maxTurnCalls = 20
)

func (s *Service) showThread(c *rest.Call, frame web.Frame, project store.Project, id string) (web.View, error) {
	view, err := s.threadView(c, frame, addressOf(c, frame.Paths().Threads(project.ID)), project.ID, id)
	if err != nil {
		return nil, err
	}
	view.ProjectName = project.Name
	view.ShareToken, err = c.Tx.ThreadShare(c.WorkspaceID, project.ID, id)
	if store.Missing(&err) {
		view.ShareToken = ""
	}
	return view, err
}

// threadView returns what the page of a conversation at an address shows.
func (s *Service) threadView(c *rest.Call, frame web.Frame, at web.Address, projectID, id string) (view web.ThreadView, _ error) {
	of := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{projectID}}
	turns, err := c.Tx.ThreadRuns(of, []string{id})
	if err != nil {
		return view, err
	}
	if len(turns) == 0 {
		return view, form.Missing("Thread '%s' not found.", id)
	}
	view = web.ThreadView{Frame: frame, ID: id, ProjectID: projectID, Turns: int64(len(turns)), Find: at.Query.Get("find"), ClearURL: at.With("find", "", "from", "")}
	if err := s.addThreadTotals(c, turns, &view); err != nil {
		return view, err
	}
	matching := turns
	if view.Find != "" {
		of.Where = filter.Search{Text: view.Find}
		if matching, err = c.Tx.ThreadRuns(of, []string{id}); err != nil {
			return view, err
		}
		view.Matches = int64(len(matching))
	}
	from := turnsFrom(at, len(matching), &view)
	shown := matching[from:min(from+maxTurns, len(matching))]
	summaries, err := runSummaries(c, shown)
	if err != nil {
		return view, err
	}
	read := contents{}
	view.Shown = make([]web.Turn, len(shown))
	for i, turn := range slices.Backward(shown) { // What can't be read of all turns is that of the oldest ones.
		number := 1 + slices.IndexFunc(turns, func(other store.Run) bool { return other.ID == turn.ID })
		view.Shown[i] = web.Turn{Number: int64(number), Run: summaries[i]}
		if err := addTurn(c, turn, &view.Shown[i], read); err != nil {
			return view, err
		}
	}
	return view, nil
}

// turnsFrom returns the first of the turns on a page, which is the last page unless the query says from which one, and adds links to others.
func turnsFrom(at web.Address, turns int, view *web.ThreadView) int {
	from := max(0, turns-maxTurns)
	if first, err := strconv.Atoi(at.Query.Get("from")); err == nil && first > 0 && first <= turns {
		from = first - 1
	}
	if from > 0 {
		view.Paging.PreviousURL = at.With("from", strconv.Itoa(max(0, from-maxTurns)+1))
	}
	if from+maxTurns < turns {
		view.Paging.NextURL = at.With("from", strconv.Itoa(from+maxTurns+1))
	}
	return from
}

// addTurn adds what a turn says, and the attachments and the calls of tools in its trace.
func addTurn(c *rest.Call, turn store.Run, one *web.Turn, read contents) error {
	said, err := run.Logged(c.Tx, c.WorkspaceID, turn.ID)
	if err != nil {
		return err
	}
	inputs, besideInputs := documentOf(said["inputs"], document.Inputs)
	outputs, besideOutputs := documentOf(said["outputs"], document.Outputs)
	one.Input = turnSide(inputs, newMessages(inputs.Messages), besideInputs, document.Inputs)
	one.Output = turnSide(outputs, answersTo(outputs.Messages, inputs.Messages), besideOutputs, document.Outputs)
	if one.Attachments, err = c.Tx.TraceAttachments(c.WorkspaceID, turn.TraceID); err != nil {
		return err
	}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: turn.TraceID, RunType: string(llmrun.RunTypeTool)}
	calls, err := c.Tx.Runs(f, true, nil, maxTurnCalls+1)
	if err != nil {
		return err
	}
	one.MoreCalls = len(calls) > maxTurnCalls
	calls = calls[:min(len(calls), maxTurnCalls)]
	if err := read.read(c, idsOf(calls, func(*store.Run) bool { return true })); err != nil {
		return err
	}
	shown, err := runSummaries(c, calls)
	one.Calls = form.Collect(shown, func(call web.RunSummary) web.TurnCall {
		return web.TurnCall{RunSummary: call, Line: lineOf(llmrun.RunTypeTool, read[call.ID])}
	})
	return err
}

// turnSide returns one side of a turn: some messages, and the names of the fields beside them, or a text that stands for what has none.
func turnSide(d web.Document, messages []web.Message, beside document.Extras, side document.Side) web.TurnSide {
	if len(d.Messages) == 0 {
		return web.TurnSide{Text: previewOf(string(d.Raw), side)}
	}
	others := strings.Join(slices.Sorted(maps.Keys(beside)), ", ")
	return web.TurnSide{Messages: messages, Hidden: int64(len(d.Messages) - len(messages)), Others: others}
}

// newMessages returns the messages of a turn's input that no earlier turn has answered.
func newMessages(messages []web.Message) []web.Message {
	for i, m := range slices.Backward(messages) {
		if i+1 < len(messages) && m.Role != "user" {
			return messages[i+1:]
		}
	}
	return messages
}

// answersTo returns the messages of a turn's output after those of its input: graphs return the whole conversation.
func answersTo(messages, inputs []web.Message) []web.Message {
	if len(inputs) > 0 {
		last := hashOf(inputs[len(inputs)-1])
		for i, m := range slices.Backward(messages) {
			if hashOf(m) == last {
				return messages[i+1:]
			}
		}
	}
	return messages
}

// addThreadTotals adds the figures of a whole conversation.
func (s *Service) addThreadTotals(c *rest.Call, turns []store.Run, view *web.ThreadView) error {
	last := turns[len(turns)-1]
	end := *cmp.Or(last.EndTime, &last.StartTime)
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
