package pages

import (
	"hash/maphash"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

// maxPreviousCalls is the number of calls before a run whose messages are compared with its own: agents that work side by side make calls
// in turn.
const maxPreviousCalls = 6

// addPrevious finds the call of a model that a run continues, and which of its messages that call has seen: the one before it with the
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
	var most []int
	for _, call := range calls {
		said, err := run.Logged(c.Tx, c.WorkspaceID, call.ID)
		if err != nil {
			return err
		}
		before, _ := documentOf(said["inputs"], document.Inputs)
		seen, whole := seenMessages(before.Messages, view.Inputs.Messages)
		if len(seen) > len(most) {
			most = seen
			view.Previous = &web.PreviousCall{ID: call.ID, TraceID: call.TraceID, Name: call.Name}
		}
		if whole {
			break
		}
	}
	for _, i := range most {
		view.Inputs.Messages[i].Seen = true
	}
	return nil
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

// seenMessages returns which messages of a call the one before it has seen, in this order, without the last message: agents write the first
// message anew, drop old ones, and summarize them. It also reports whether all messages of the call before are
// among them, so that the call continues it.
func seenMessages(before, messages []web.Message) (seen []int, whole bool) {
	places := map[uint64][]int{}
	for i, m := range before {
		hash := hashOf(m)
		places[hash] = append(places[hash], i)
	}
	next := 0 // In the call before.
	for i, m := range messages {
		same := places[hashOf(m)]
		if at, _ := slices.BinarySearch(same, next); at < len(same) {
			next = same[at] + 1
			seen = append(seen, i)
		}
	}
	whole = len(seen) > 0 && len(seen) == len(before)
	return slices.DeleteFunc(seen, func(i int) bool { return i == len(messages)-1 }), whole
}

var messageSeed = maphash.MakeSeed()

// hashOf returns the same for messages that say the same. Other fields differ from call to call, such as marks for caches.
func hashOf(m web.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(messageSeed)
	maphash.WriteComparable(&h, [...]string{m.Role, m.Name, m.ToolCallID})
	for _, b := range m.Content {
		said := [...]string{b.Text, b.URL, b.Base64, b.Name, string(b.Args), string(b.Output)}
		if said == [...]string{5: ""} { // A file with an ID, or a block of an unknown type.
			said[0], said[1] = b.ID, string(b.Extras)
		}
		maphash.WriteComparable(&h, b.Type)
		maphash.WriteComparable(&h, said)
	}
	return h.Sum64()
}
