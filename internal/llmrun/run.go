package llmrun

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// RunType is the kind of work of a run.
type RunType string

// The run types. The service refuses any other.
const (
	RunTypeTool      RunType = "tool"
	RunTypeChain     RunType = "chain"
	RunTypeLLM       RunType = "llm"
	RunTypeRetriever RunType = "retriever"
	RunTypeEmbedding RunType = "embedding"
	RunTypePrompt    RunType = "prompt"
	RunTypeParser    RunType = "parser"
)

var runTypes = []string{
	string(RunTypeTool), string(RunTypeChain), string(RunTypeLLM), string(RunTypeRetriever), string(RunTypeEmbedding),
	string(RunTypePrompt), string(RunTypeParser),
}

// CallsModel reports whether a run of the type is a call of a model, which counts tokens.
func (t RunType) CallsModel() bool { return t == RunTypeLLM || t == RunTypeEmbedding }

// Status is the state of a run. It is derived, never sent by clients.
type Status string

// The statuses.
const (
	StatusPending Status = "pending"
	StatusSuccess Status = "success"
	StatusError   Status = "error"
)

// Run is a run as clients log it and as the service returns it. IDs that are uuid.Nil, nil times and JSON values, and empty
// strings were absent or null, which mean the same: no value.
type Run struct {
	ID          uuid.UUID
	TraceID     uuid.UUID
	ParentRunID uuid.UUID
	DottedOrder DottedOrder

	Name    string
	RunType RunType

	StartTime *time.Time
	EndTime   *time.Time

	// Inputs and Outputs are objects or, from clients that don't wrap them, lists.
	Inputs  json.RawMessage
	Outputs json.RawMessage
	Error   string
	Events  []Event
	// Extra is the whole object; Metadata and InvocationParams are members of it.
	Extra            json.RawMessage
	Metadata         document.Extras
	InvocationParams document.Extras
	Tags             []string

	SessionID          uuid.UUID
	SessionName        string
	ReferenceExampleID uuid.UUID

	// Rest holds all other members, verbatim.
	Rest document.Extras
}

// Status returns error if the run has an error, else success if it has ended, else pending.
func (r *Run) Status() Status {
	switch {
	case r.Error != "":
		return StatusError
	case r.EndTime != nil:
		return StatusSuccess
	default:
		return StatusPending
	}
}

// threadKeys are the metadata keys for the conversation that a run belongs to; the first match counts.
var threadKeys = []string{"session_id", "conversation_id", "thread_id"}

// ThreadID returns the conversation that the run belongs to, empty if its metadata contains none.
func (r *Run) ThreadID() string {
	for _, key := range threadKeys {
		raw := r.Metadata[key]
		if raw == nil || rawjson.IsNull(raw) {
			continue
		}
		if id, ok := rawjson.ReadString(raw); ok {
			return id
		}
		return strings.TrimSpace(string(raw))
	}
	return ""
}

// Complete sets the defaults that the service applies to a new run: an ID, the start from the dotted order or else the time
// of receipt, a type, a name, and the place of a root in its own trace. The place of a child follows from its parent's
// dotted order, which the caller has to look up: see Place.
func (r *Run) Complete(newID uuid.UUID, now time.Time) {
	if r.ID == uuid.Nil {
		r.ID = newID
	}
	if r.StartTime == nil {
		start := now.UTC().Truncate(time.Microsecond)
		if last, ok := r.DottedOrder.Last(); ok {
			start = last.Time
		}
		r.StartTime = &start
	}
	if r.RunType == "" {
		r.RunType = RunTypeChain
	}
	if r.Name == "" {
		r.Name = string(r.RunType)
	}
	if r.ParentRunID == uuid.Nil && r.DottedOrder == nil && (r.TraceID == uuid.Nil || r.TraceID == r.ID) {
		r.Place(nil)
	}
}

// Place puts the run below its parent, whose dotted order is empty for a root. The run must have an ID and a start. If
// clocks differ and it seems to start before its parent, its place is at the parent's start.
func (r *Run) Place(parent DottedOrder) {
	start := *r.StartTime
	if last, ok := parent.Last(); ok && start.Before(last.Time) {
		start = last.Time
	}
	r.DottedOrder = NewDottedOrder(parent, start, r.ID)
	r.TraceID = r.DottedOrder.TraceID()
}

// CheckTrace compares the run's IDs with its dotted order once all of them are known: an update may omit what was sent
// before. See DottedOrder.Check.
func (r *Run) CheckTrace() []document.Problem {
	switch {
	case r.DottedOrder == nil && r.TraceID != uuid.Nil:
		return []document.Problem{{Pointer: rawjson.Pointer("dotted_order"), Rule: ruleTracePlace, Message: "the run has a trace_id but no dotted_order",
			Remedy: "send both, or neither"}}
	case r.DottedOrder != nil && r.TraceID == uuid.Nil:
		return []document.Problem{{Pointer: rawjson.Pointer("trace_id"), Rule: ruleTracePlace, Message: "the run has a dotted_order but no trace_id",
			Remedy: "send both, or neither: trace_id is " + r.DottedOrder.TraceID().String()}}
	case r.DottedOrder == nil:
		return nil
	}
	if e, ok := errors.AsType[*DottedOrderError](r.DottedOrder.Check(r.ID, r.TraceID, r.ParentRunID)); ok {
		return []document.Problem{e.Problem}
	}
	return nil
}

// InterruptFilter matches the same runs as Interrupted, in the filter language of tracing services.
const InterruptFilter = `or(like(error, "GraphInterrupt%"), like(error, "%\n\nGraphInterrupt:%"))`

// Interrupted reports whether the error of a run is an interrupt of a LangGraph graph, which waits for input. Clients in Python log the
// exception first; those in JavaScript log its message, an empty line and the stack, which begins with the name of the exception.
func Interrupted(runError string) bool {
	return strings.HasPrefix(runError, "GraphInterrupt") || strings.Contains(runError, "\n\nGraphInterrupt:")
}
