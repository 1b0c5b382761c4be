package pages

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// maxPreviousCalls is the number of calls before a run whose messages are compared with its own: agents that work side by side make calls
// in turn.
const maxPreviousCalls = 6

// addPrevious finds the call of a model that a run continues, and how many of its messages that call has seen: the one before it with the
// most messages in common, of the same trace, or else of the conversation's previous one.
func (s *Service) addPrevious(c *rest.Call, row store.Run, view *web.RunView) error {
	if llmrun.RunType(row.RunType) != llmrun.RunTypeLLM || len(view.Inputs.Messages) < 2 {
		return nil
	}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: row.TraceID, RunType: row.RunType, To: &row.StartTime}
	calls, err := c.Tx.Runs(f, false, nil, maxPreviousCalls)
	if err == nil && len(calls) == 0 {
		calls, err = callsOfPreviousTurn(c, row)
	}
	if err != nil {
		return err
	}
	var most int
	for _, call := range calls {
		said, err := run.Logged(c.Tx, c.WorkspaceID, call.ID)
		if err != nil {
			return err
		}
		common, whole := commonMessages(messagesOf(said["inputs"]), view.Inputs.Messages)
		if common > most {
			most = common
			view.Previous = &web.PreviousCall{ID: call.ID, TraceID: call.TraceID, Name: call.Name}
		}
		if whole {
			break
		}
	}
	view.Inputs.Earlier = int64(min(most, len(view.Inputs.Messages)-1))
	return nil
}

// messagesOf returns the messages of a run's inputs.
func messagesOf(inputs json.RawMessage) []web.Message {
	if inputs == nil {
		return nil
	}
	found, err := message.Normalize(inputs, document.Inputs)
	if err != nil {
		return nil // It is valid JSON, so this can't happen.
	}
	return form.Collect(found.Messages, messageOf)
}

// callsOfPreviousTurn returns the last calls of the trace before the run's in its conversation.
func callsOfPreviousTurn(c *rest.Call, row store.Run) ([]store.Run, error) {
	roots, err := c.Tx.Runs(store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: row.TraceID, Root: new(true)}, true, nil, 1)
	if err != nil || len(roots) == 0 || roots[0].ThreadID == nil {
		return nil, err
	}
	root := roots[0]
	talk := store.RunFilter{WorkspaceID: c.WorkspaceID, ProjectIDs: []string{root.ProjectID}, To: &root.StartTime}
	turns, err := c.Tx.ThreadRuns(talk, []string{*root.ThreadID})
	turns = slices.DeleteFunc(turns, func(turn store.Run) bool { return turn.TraceID == row.TraceID })
	if err != nil || len(turns) == 0 {
		return nil, err
	}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, TraceID: turns[len(turns)-1].TraceID, RunType: string(llmrun.RunTypeLLM)}
	return c.Tx.Runs(f, false, nil, maxPreviousCalls)
}

// commonMessages returns how many messages at the beginning of a call the one before it has seen, in this order: agents drop old messages
// from the middle of a long history. It also reports whether the last one is among them, so that the call continues the other one.
func commonMessages(seen, messages []web.Message) (n int, whole bool) {
	for i := range seen {
		if n < len(messages) && sameMessage(seen[i], messages[n]) {
			n++
			whole = i == len(seen)-1
		}
	}
	return n, whole
}

// sameMessage reports whether two messages say the same. Other fields differ from call to call, such as marks for caches.
func sameMessage(a, b web.Message) bool {
	return a.Role == b.Role && a.ToolCallID == b.ToolCallID && slices.EqualFunc(a.Content, b.Content, func(a, b web.Block) bool {
		return a.Type == b.Type && a.Text == b.Text && a.URL == b.URL && a.Base64 == b.Base64 && a.Name == b.Name &&
			bytes.Equal(a.Args, b.Args) && bytes.Equal(a.Output, b.Output)
	})
}
