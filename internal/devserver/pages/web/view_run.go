package web

import (
	"encoding/json"
	"slices"
	"time"
)

// RunView is one run.
type RunView struct {
	Frame
	Run RunSummary
	// ProjectID and ProjectName are those of the run's project. ParentID and ThreadID are empty if there is none.
	ProjectID, ProjectName, ParentID, ThreadID string
	// EndTime is zero while the run is pending.
	EndTime  time.Time
	Tags     []string
	Metadata []Setting

	Inputs, Outputs Document
	// Previous is the previous call of a model, if the run is one that continues it.
	Previous *PreviousCall
	// Tools are those that the run offers to a model.
	Tools []Tool
	// OwnTokens, OwnCost and Usage are those of the run alone. The cost is as in Figures.TotalCost.
	OwnTokens int64
	OwnCost   string
	Usage     []UsageRow
	// SelfTime is the time without the runs directly below; nil if it is unknown.
	SelfTime *time.Duration
	// UsageSource is the JSON pointer of the usage in the run, PriceName the entry of the price map from which costs were
	// calculated. Both may be empty.
	UsageSource, PriceName string
	// Unpriced says that the run calls a model and has no cost, and Incomplete why its cost isn't all that the provider bills. Unchecked says
	// that it was stored before that was known.
	Unpriced   bool
	Incomplete []string
	Unchecked  bool
	// Below are the figures of the run and of all runs below it; nil if there are none below.
	Below *Totals

	Events      []Event
	Attachments []Attachment
	Feedback    []Feedback
	// Problems are those of the run as a whole, Document.Problems those of its inputs and outputs.
	Problems []Problem
	// Peers are runs with the same name to compare this one with.
	Peers []Peer
	// ShareToken is the token with which anybody can read the run; empty if it isn't shared.
	ShareToken string
	// LastCallID is the last call of a model below the run; empty if there is none, or if its trace isn't shown.
	LastCallID string
	// RawSize is the size in bytes of the whole run as JSON, which has its own URL; zero if there is none.
	RawSize int64
}

// SharedRunView is a run for readers that have just its link.
type SharedRunView struct{ RunView }

// Peer is another run of the same name. Latency is nil while it is pending.
type Peer struct {
	ID, Name, Status string
	StartTime        time.Time
	Latency          *time.Duration
}

// Feedback is feedback on a run: a score, a value, a comment, or several of them.
type Feedback struct {
	Key, Score, Value, Comment, Source string
	Time                               time.Time
}

// Document is the inputs or the outputs of a run.
type Document struct {
	// Format is the recognized format, such as chat_completions; "unrecognized" and empty show only the raw JSON.
	Format   string
	Messages []Message
	Problems []Problem
	// Raw is the JSON that was logged; nil when there was none.
	Raw json.RawMessage
}

// PreviousCall is the call of a model whose messages a run continues, in the same trace or in the conversation's previous one.
type PreviousCall struct {
	ID, TraceID, Name string
}

// Tool is a tool that a call offers to a model.
type Tool struct {
	Name, Description string
	// Definition is all of it, as it was logged.
	Definition json.RawMessage
}

// Message is a message of the normal form.
type Message struct {
	// Role is a role such as "assistant"; it may be empty or any other logged value. Name is the speaker's, if there is
	// one.
	Role, Name string
	// ToolCallID is the ID of the call that a message with role tool answers; empty for other messages.
	ToolCallID string
	Content    []Block
	// Seen says that the previous call of a model has seen the message as well.
	Seen bool
	// Extras are fields without a place in the normal form, as a JSON object; nil if there are none.
	Extras json.RawMessage
}

// Block is a content block of the normal form, with its field names. Empty texts were absent.
type Block struct {
	// Type is a type such as "text" or "tool_call"; any other block is shown as JSON.
	Type string
	Text string
	// Annotations are a list of JSON objects, as they were logged.
	Annotations json.RawMessage
	// URL, Base64 and MIMEType belong to image, file, audio and video. For these, ID is that of a file; otherwise, it is
	// that of the call or of the result.
	URL, Base64, MIMEType, ID string
	Name                      string
	// Args belong to calls; ToolCallID, Status and Output to results of server tools.
	Args               json.RawMessage
	ToolCallID, Status string
	Output             json.RawMessage
	Extras             json.RawMessage
}

// UsageRow is a line of the breakdown of usage.
type UsageRow struct {
	// Label is a text such as "Input", "cache_read" or "Total".
	Label string
	// Part says that the row is a part of the last row that isn't one.
	Part bool
	// Tokens is a number, or empty if only the cost is known. Cost is as in Figures.TotalCost.
	Tokens, Cost string
}

// Event is something that happened during a run.
type Event struct {
	Name string
	// Time is zero if the event has none; Offset is from the start of the run, nil if it is unknown.
	Time   time.Time
	Offset *time.Duration
	// FirstToken says that this event determines the time to the first token.
	FirstToken bool
}

// Problem is a violation of a rule.
type Problem struct {
	// Pointer is the JSON pointer of the value; empty is the document.
	Pointer, Rule, Message, Remedy string
}

// Attachment is a file that belongs to a run.
type Attachment struct {
	Name, MIMEType string
	// Size is in bytes.
	Size int64
	// URL is the path on this server that downloads it; anything but a path is not linked.
	URL string
}

// maxPicture is the maximum size of an attachment that is shown as a picture.
const maxPicture = 4 << 20

// Picture returns the URL of an attachment that is safe to show, else "".
func (a Attachment) Picture() string {
	if a.Size > maxPicture || !slices.Contains(mediaTypes["image"], plainType(a.MIMEType)) {
		return ""
	}
	return local(a.URL)
}

// SharesView is the list of the shared runs and conversations of a workspace.
type SharesView struct {
	Frame
	Shares []Share
	Paging Paging
}

// Share is a shared run, or a conversation of a project. Anybody who has the token can read it. StartTime is that of the run, or of the last turn.
type Share struct {
	Token, RunID, TraceID, Name, ProjectID, ThreadID string
	StartTime                                        time.Time
}
