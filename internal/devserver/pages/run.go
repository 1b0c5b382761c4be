package pages

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// loggedRun reads the run named by the path, and what was logged about it.
func (s *Service) loggedRun(c *rest.Call) (row store.Run, said map[string]json.RawMessage, err error) {
	if row, err = rest.Named(c, "run_id", run.Read); err == nil {
		said, err = run.Logged(c.Tx, c.WorkspaceID, row.ID)
	}
	return row, said, err
}

func (s *Service) showRun(c *rest.Call, frame web.Frame) (web.View, error) {
	row, err := rest.Named(c, "run_id", run.Read)
	if err != nil {
		return nil, err
	}
	view, err := s.runView(c, frame, row, nil)
	if err == nil {
		err = errors.Join(s.addPrevious(c, row, &view), addShare(c, row, &view))
	}
	return view, err
}

// runView returns everything shown about a run. Without the figures of its trace, it adds them up.
func (s *Service) runView(c *rest.Call, frame web.Frame, row store.Run, trace *figure.Trace) (web.RunView, error) {
	none := web.RunView{}
	said, err := run.Logged(c.Tx, c.WorkspaceID, row.ID)
	if err != nil {
		return none, err
	}
	run, _ := llmrun.DecodeRunMembers(said)
	run.StartTime = &row.StartTime
	var below map[string]figure.Subtree
	if trace != nil {
		below = trace.Of
	} else if below, err = figure.Summarize(c.Tx, c.WorkspaceID, []store.Run{row}); err != nil {
		return none, err
	}
	sum, own, count := below[row.ID].Totals, below[row.ID].Own, below[row.ID].Count
	inputs, offered := documentOf(run.Inputs, document.Inputs)
	outputs, _ := documentOf(run.Outputs, document.Outputs)
	view := web.RunView{
		Frame: frame, Run: runSummary(row, sum, nil), ProjectID: row.ProjectID, ParentID: api.OrEmpty(row.ParentRunID), ThreadID: api.OrEmpty(row.ThreadID),
		Tags: run.Tags, Inputs: inputs, Outputs: outputs, Tools: toolsOf(run.InvocationParams, offered),
		Usage: usageRows(own), OwnTokens: own.TotalTokens, OwnCost: costText(own.TotalCost), Unpriced: own.UnpricedRuns > 0, Unchecked: own.UncheckedRuns > 0, Events: eventsOf(run), RawSize: rawjson.MembersSize(said),
	}
	if stored, err := figure.ReadStored(row.ID, row.Figures); err == nil && stored.CostIncomplete != nil {
		view.Incomplete = *stored.CostIncomplete
	}
	view.EndTime = api.OrEmpty(row.EndTime)
	if model := run.Model().Name; model != "" {
		view.Run.Models = []string{model}
	}
	for _, key := range slices.Sorted(maps.Keys(run.Metadata)) {
		view.Metadata = append(view.Metadata, web.Setting{Name: key, Value: plain(run.Metadata[key])})
	}
	if project, err := c.Tx.Project(c.WorkspaceID, row.ProjectID); err == nil {
		view.ProjectName = project.Name
	}
	m := run.Measure(nil)
	view.UsageSource = m.UsageSource
	view.Problems = problemsView(m.Problems)
	view.PriceName = s.priceNameOf(c, row, m.Model)
	if count.Runs > 1 {
		view.Below = new(totalsView(sum, count, row))
	}
	files, err := c.Tx.Attachments(c.WorkspaceID, row.ID)
	if err != nil {
		return none, err
	}
	view.Attachments = form.Collect(files, func(a store.Attachment) web.Attachment {
		return web.Attachment{Name: a.Name, MIMEType: a.MimeType, Size: a.Size, URL: "/attachments/" + a.ID}
	})
	feedback := store.RunFilter{WorkspaceID: c.WorkspaceID, IDs: []string{row.ID}}
	err = c.Tx.EachFeedback(feedback, func(f store.Feedback) error {
		view.Feedback = append(view.Feedback, feedbackView(f))
		return nil
	})
	if err != nil {
		return none, err
	}
	err = s.addPeers(c, row, &view)
	return view, err
}

// addPeers finds runs to compare a run with: those with the same name, the last successful one and the last failed one, if
// they are among the newest of the project.
func (s *Service) addPeers(c *rest.Call, row store.Run, view *web.RunView) error {
	for _, status := range []string{string(llmrun.StatusSuccess), string(llmrun.StatusError)} {
		f := store.RunFilter{
			WorkspaceID: c.WorkspaceID, ProjectIDs: []string{row.ProjectID}, RunType: row.RunType, Status: status, Newest: maxPeersSought,
		}
		peers, err := run.NewestNamed(c.Tx, f, row.Name, maxPeers)
		if err != nil {
			return err
		}
		for _, peer := range peers {
			if peer.ID != row.ID {
				view.Peers = append(view.Peers, web.Peer{ID: peer.ID, Name: peer.Name, Status: peer.Status, StartTime: peer.StartTime, Latency: latency(peer)})
				break
			}
		}
	}
	return nil
}

// maxPeersSought is the number of runs of the project in which the others are searched.
const maxPeersSought = 10_000

// maxPeers is one more than is shown of each kind, because the run itself is among them.
const maxPeers = 2

func feedbackView(f store.Feedback) web.Feedback {
	view := web.Feedback{Key: f.Key, Value: api.OrEmpty(f.Value), Comment: api.OrEmpty(f.Comment), Source: f.Source, Time: f.ModifiedAt}
	if f.Score != nil {
		view.Score = strconv.FormatFloat(*f.Score, 'f', -1, 64)
	}
	return view
}

// plain returns a JSON string without its quotes, and any other value unchanged.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// documentOf returns one side of a run in the normal form, with its problems, and what stands beside the messages.
func documentOf(raw json.RawMessage, side document.Side) (web.Document, document.Extras) {
	if raw == nil {
		return web.Document{}, nil
	}
	view := web.Document{Raw: raw}
	found, err := message.Normalize(raw, side)
	if err != nil {
		return view, nil // It is valid JSON, so this can't happen.
	}
	view.Format = string(found.Format)
	if found.Format != document.FormatUnrecognized {
		view.Problems = problemsView(message.ValidateRead(found))
	}
	view.Messages = form.Collect(found.Messages, messageOf)
	return view, found.Extras
}

func messageOf(m document.Message) web.Message {
	extras := m.Extras
	name := plain(extras["name"])
	return web.Message{
		Role: m.Role, Name: name, ToolCallID: api.OrEmpty(m.ToolCallID), Content: form.Collect(m.Content, blockOf), Extras: encodedExtras(extras, "name"),
	}
}

func blockOf(b document.Block) web.Block {
	return web.Block{
		Type: b.Type, Text: api.OrEmpty(b.Text), Annotations: b.Annotations, URL: api.OrEmpty(b.URL), Base64: api.OrEmpty(b.Base64),
		MIMEType: api.OrEmpty(b.MimeType), ID: api.OrEmpty(b.ID), Name: api.OrEmpty(b.Name), Args: b.Args, ToolCallID: api.OrEmpty(b.ToolCallID),
		Status: api.OrEmpty(b.Status), Output: b.Output, Extras: encodedExtras(b.Extras),
	}
}

// encodedExtras returns extras without some keys; nil if none are left.
func encodedExtras(extras document.Extras, but ...string) json.RawMessage {
	left := map[string]json.RawMessage{}
	for key, value := range extras {
		if !slices.Contains(but, key) {
			left[key] = value
		}
	}
	if len(left) == 0 {
		return nil
	}
	return rawjson.EncodeMembers(left)
}

// usageRows returns the breakdown of tokens and costs.
func usageRows(t usage.Totals) []web.UsageRow {
	if t.TotalTokens == 0 && t.TotalCost == nil {
		return nil
	}
	rows := sideRows(nil, "Input", t.PromptTokens, t.PromptCost, t.PromptTokenDetails, t.PromptCostDetails)
	rows = sideRows(rows, "Output", t.CompletionTokens, t.CompletionCost, t.CompletionTokenDetails, t.CompletionCostDetails)
	if t.OtherCost != nil {
		rows = append(rows, web.UsageRow{Label: "Other", Cost: costText(t.OtherCost)})
	}
	return append(rows, web.UsageRow{Label: "Total", Tokens: decimal.Of(t.TotalTokens).String(), Cost: costText(t.TotalCost)})
}

func sideRows(rows []web.UsageRow, label string, tokens int64, cost *decimal.Decimal, counts usage.Counts, costs usage.Costs) []web.UsageRow {
	rows = append(rows, web.UsageRow{Label: label, Tokens: decimal.Of(tokens).String(), Cost: costText(cost)})
	kinds := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(counts)), slices.Collect(maps.Keys(costs)))))
	for _, kind := range slices.Compact(kinds) {
		part := web.UsageRow{Label: kind, Part: true}
		if n, given := counts[kind]; given {
			part.Tokens = n.String()
		}
		if price, given := costs[kind]; given {
			part.Cost = price.String()
		}
		rows = append(rows, part)
	}
	return rows
}

// eventsOf returns the events of a run; one of them may be its first token.
func eventsOf(run *llmrun.Run) []web.Event {
	first := run.FirstTokenTime()
	marked := false
	return form.Collect(run.Events, func(e llmrun.Event) web.Event {
		shown := web.Event{Name: e.Name}
		if e.Time == nil {
			return shown
		}
		shown.Time = *e.Time
		after := e.Time.Sub(*run.StartTime)
		shown.Offset = &after
		if !marked && first != nil && e.Name == llmrun.EventNewToken && e.Time.Equal(*first) {
			shown.FirstToken, marked = true, true
		}
		return shown
	})
}

func problemsView(problems []document.Problem) []web.Problem {
	return form.Collect(problems, func(p document.Problem) web.Problem {
		return web.Problem{Pointer: p.Pointer, Rule: p.Rule, Message: p.Message, Remedy: p.Remedy}
	})
}
