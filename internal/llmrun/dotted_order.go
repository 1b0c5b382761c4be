package llmrun

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Segment is one run's part of a dotted order.
type Segment struct {
	Time time.Time
	ID   uuid.UUID
}

// DottedOrder is the path from the root of a trace to a run. In its text form, it sorts the runs of a trace so that each
// one follows its parent, in the order of their starts.
//
// Its times may differ from the run's start_time: clients may correct that later, but never change the order.
type DottedOrder []Segment

// Layouts of the time in a segment. Go reads and writes fractions only after a dot, which the text doesn't have.
const (
	segmentLayout  = "20060102T150405.000000"
	segmentSeconds = len("20060102T150405")
)

// NewDottedOrder places a run below its parent, whose dotted order is empty for a root.
func NewDottedOrder(parent DottedOrder, start time.Time, id uuid.UUID) DottedOrder {
	order := make(DottedOrder, 0, len(parent)+1)
	return append(append(order, parent...), Segment{Time: start.UTC().Truncate(time.Microsecond), ID: id})
}

// ParseDottedOrder reads segments of 22 characters of time and 36 of the run's ID, joined by dots. The error is a
// *DottedOrderError.
func ParseDottedOrder(s string) (DottedOrder, error) {
	order := make(DottedOrder, 0, strings.Count(s, ".")+1)
	for text := range strings.SplitSeq(s, ".") {
		segment, err := parseSegment(text, len(order))
		if err != nil {
			return nil, err
		}
		order = append(order, segment)
	}
	return order, nil
}

func parseSegment(text string, index int) (Segment, error) {
	stamp, id, _ := strings.Cut(text, "Z")
	badStamp := func(how string) error {
		short := rawjson.Shorten(stamp)
		return invalidOrder(ruleDottedOrderFormat, fmt.Sprintf("invalid timestamp in dotted_order %s at index %d: parsing time %q%s", short, index, short, how),
			"write the time as YYYYMMDDTHHMMSSffffffZ, with six fractional digits")
	}
	if len(stamp) <= segmentSeconds {
		return Segment{}, badStamp(": six fractional digits are missing")
	}
	fraction := stamp[segmentSeconds:]
	t, err := time.Parse(segmentLayout, stamp[:segmentSeconds]+"."+fraction)
	if err != nil || strings.Trim(fraction, "0123456789") != "" { // Package time accepts a sign as a digit.
		return Segment{}, badStamp(fmt.Sprintf(" as %q", strings.Replace(segmentLayout, ".", "", 1)))
	}
	run, err := ParseID(id)
	if err != nil || len(id) != dashedIDLength {
		return Segment{}, invalidOrder(ruleDottedOrderFormat, fmt.Sprintf("invalid run id in dotted_order %q at index %d", rawjson.Shorten(id), index),
			"write the run's ID, with dashes, after the time")
	}
	return Segment{Time: t, ID: run}, nil
}

// String returns the text form.
func (d DottedOrder) String() string {
	segments := make([]string, len(d))
	for i, segment := range d {
		segments[i] = strings.Replace(segment.Time.UTC().Format(segmentLayout), ".", "", 1) + "Z" + segment.ID.String()
	}
	return strings.Join(segments, ".")
}

// TraceID returns the ID of the root, uuid.Nil for an empty order.
func (d DottedOrder) TraceID() uuid.UUID {
	if len(d) == 0 {
		return uuid.Nil
	}
	return d[0].ID
}

// Last returns the segment of the run itself.
func (d DottedOrder) Last() (Segment, bool) {
	if len(d) == 0 {
		return Segment{}, false
	}
	return d[len(d)-1], true
}

// ParentRunID returns the second-to-last ID, uuid.Nil for a root.
func (d DottedOrder) ParentRunID() uuid.UUID {
	if len(d) < 2 {
		return uuid.Nil
	}
	return d[len(d)-2].ID
}

// ParentRunIDs returns the IDs of all ancestors, from the root to the parent.
func (d DottedOrder) ParentRunIDs() []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(d))
	for _, segment := range d[:max(len(d)-1, 0)] {
		ids = append(ids, segment.ID)
	}
	return ids
}

// Check compares the order with the IDs of its run; the parent of a root is uuid.Nil. The service refuses a mismatch, and
// with it the whole batch. Check stops at the first difference, in this order: the number of segments, the trace, the run,
// the parent, the times. The error is a *DottedOrderError.
func (d DottedOrder) Check(id, traceID, parentRunID uuid.UUID) error {
	last, _ := d.Last()
	refuse := func(rule, reason, remedy string) error {
		return invalidOrder(rule, fmt.Sprintf("%s for run_id:%s trace_id:%s dotted_order:%s parent_run_id:%s", reason, orNil(id), orNil(traceID), d, orNil(parentRunID)), remedy)
	}
	switch {
	case parentRunID == uuid.Nil && len(d) != 1:
		return refuse(ruleDottedOrderParts, "dotted_order must contain a single part for root runs", "send parent_run_id, or only the run's own part of the dotted_order")
	case parentRunID != uuid.Nil && len(d) < 2:
		return refuse(ruleDottedOrderParts, "dotted_order must contain at least two parts for child runs", "put the parent's dotted_order and a dot before the run's own part")
	case d.TraceID() != traceID:
		return refuse(ruleDottedOrderTraceID, fmt.Sprintf("trace_id %s does not match first part of dotted_order %s", traceID, d),
			"set trace_id to "+d.TraceID().String()+", the ID of the root")
	case last.ID != id:
		return refuse(ruleDottedOrderID, fmt.Sprintf("run_id %s does not match last part of dotted_order %s", id, d), "end dotted_order with the run's ID")
	case d.ParentRunID() != parentRunID:
		return refuse(ruleDottedOrderParentRunID, fmt.Sprintf("parent_run_id %s does not match second-to-last part of dotted_order %s", parentRunID, d),
			"set parent_run_id to "+d.ParentRunID().String())
	}
	const layout = "2006-01-02 15:04:05.000000"
	for i := 1; i < len(d); i++ {
		if d[i].Time.Before(d[i-1].Time) {
			return invalidOrder(ruleDottedOrderTime,
				fmt.Sprintf("dotted_order has timestamp %s earlier than parent timestamp %s", d[i].Time.Format(layout), d[i-1].Time.Format(layout)),
				"write the time at which the run started, which can't be before its parent's start")
		}
	}
	return nil
}

func orNil(id uuid.UUID) string {
	if id == uuid.Nil {
		return "<nil>"
	}
	return id.String()
}

// DottedOrderError is the error for an invalid dotted order. Its message is that of the service's answer.
type DottedOrderError struct{ document.Problem }

// Error returns the message.
func (e *DottedOrderError) Error() string { return e.Message }

func invalidOrder(rule, reason, remedy string) error {
	return &DottedOrderError{document.Problem{
		Pointer: rawjson.Pointer("dotted_order"), Rule: rule, Message: "invalid 'dotted_order': " + reason, Remedy: remedy,
	}}
}

// Clients write IDs with dashes or, where they have only the hexadecimal digits, without.
const (
	dashedIDLength = 36
	hexIDLength    = 32
)

// ParseID reads the ID of a run or a project: a UUID of any version, with or without dashes. Its String method returns the
// canonical form.
func ParseID(s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != dashedIDLength && len(s) != hexIDLength {
		return uuid.Nil, fmt.Errorf("%q is not a UUID: write 32 hexadecimal digits, with dashes (8-4-4-4-12) or without", rawjson.Shorten(s))
	}
	return id, nil
}
