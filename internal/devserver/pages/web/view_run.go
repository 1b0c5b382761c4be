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
	// ProjectID and ProjectName lead to the project. ParentID and ThreadID are empty when there is none.
	ProjectID, ProjectName, ParentID, ThreadID string
	// EndTime is zero while the run is pending.
	EndTime  time.Time
	Tags     []string
	Metadata []Setting

	Inputs, Outputs Document
	Usage           []UsageRow
	// UsageSource is the JSON pointer of the usage in the run, PriceName the entry of the price map that costs follow from.
	// Both may be empty.
	UsageSource, PriceName string
	// Below are the figures together with the runs below; nil when there are none below.
	Below *Totals

	Events      []Event
	Attachments []Attachment
	Feedback    []Feedback
	// Problems are those of the run as a whole, Document.Problems those of its inputs and outputs.
	Problems []Problem
	// Peers are runs of the same name to compare this one with.
	Peers []Peer
	// RawSize is how many bytes the whole run has as JSON, which has an address of its own; zero without any.
	RawSize int64
}

// Peer is another run of the same name.
type Peer struct {
	ID, Name, Status string
	StartTime        time.Time
	Latency          *time.Duration
}

// Feedback is what somebody says about a run: a score or a text, a comment, or both.
type Feedback struct {
	Key, Said, Comment, Source string
	Time                       time.Time
}

// Document is the inputs or the outputs of a run.
type Document struct {
	// Format is the word for the shape that was recognized, as in chat_completions; "unrecognized" and empty show the raw
	// JSON alone.
	Format   string
	Messages []Message
	Problems []Problem
	// Raw is the JSON that was logged; nil when there was none.
	Raw json.RawMessage
}

// Message is a message of the normal form.
type Message struct {
	// Role is as in "assistant"; it may be empty or anything else that was logged. Name is the speaker's, if it has one.
	Role, Name string
	// ToolCallID names the call that a message of role tool answers; empty for other messages.
	ToolCallID string
	Content    []Block
	// Extras are what the normal form has no field for, as a JSON object; nil when there is nothing.
	Extras json.RawMessage
}

// Block is a content block of the normal form, with its field names. Texts that are empty were absent.
type Block struct {
	// Type is as in "text" or "tool_call"; any other is shown as JSON.
	Type string
	Text string
	// Annotations are a list of JSON objects, as they were logged.
	Annotations json.RawMessage
	// URL, Base64 and MIMEType belong to image, file, audio and video. ID is that of a file there, and of the call or of
	// the result elsewhere.
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
	// Label is as in "Input", "cache_read", "Total".
	Label string
	// Part says that the line is a part of the last one that isn't.
	Part bool
	// Tokens is a number, or empty when only the cost is known. Cost is as Figures.TotalCost.
	Tokens, Cost string
}

// Event is something that happened during a run.
type Event struct {
	Name string
	// Time is zero when the event has none; Offset is from the start of the run, nil when it isn't known.
	Time   time.Time
	Offset *time.Duration
	// FirstToken says that this is the event that the time to the first token follows from.
	FirstToken bool
}

// Problem is a broken rule.
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

// maxPicture is how large an attachment may be that is shown as a picture.
const maxPicture = 4 << 20

// Picture is the address of an attachment that is safe to show, else empty.
func (a Attachment) Picture() string {
	if a.Size > maxPicture || !slices.Contains(mediaTypes["image"], plainType(a.MIMEType)) {
		return ""
	}
	return local(a.URL)
}
