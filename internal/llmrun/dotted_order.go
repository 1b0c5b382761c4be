package llmrun

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

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
	if len(stamp) <= segmentSeconds {
		return Segment{}, badStamp(stamp, index, fmt.Sprintf("parsing time %q: six fractional digits are missing", rawjson.Shorten(stamp)))
	}
	fraction := stamp[segmentSeconds:]
	t, err := time.Parse(segmentLayout, stamp[:segmentSeconds]+"."+fraction)
	if err != nil || strings.Trim(fraction, "0123456789") != "" { // Package time accepts a sign as a digit.
		return Segment{}, badStamp(stamp, index, fmt.Sprintf("parsing time %q as %q", rawjson.Shorten(stamp), strings.Replace(segmentLayout, ".", "", 1)))
	}
	run, err := ParseID(id)
	if err != nil || len(id) != dashedIDLength {
		return Segment{}, &DottedOrderError{
			Rule:   ruleDottedOrderFormat,
			Reason: fmt.Sprintf("invalid run id in dotted_order %q at index %d", rawjson.Shorten(id), index),
			Remedy: "write the run's ID, with dashes, after the time",
		}
	}
	return Segment{Time: t, ID: run}, nil
}

func badStamp(stamp string, index int, reason string) error {
	return &DottedOrderError{
		Rule:   ruleDottedOrderFormat,
		Reason: fmt.Sprintf("invalid timestamp in dotted_order %s at index %d: %s", rawjson.Shorten(stamp), index, reason),
		Remedy: "write the time as YYYYMMDDTHHMMSSffffffZ, with six fractional digits",
	}
}

// String returns the text form.
func (d DottedOrder) String() string {
	var b strings.Builder
	for i, segment := range d {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strings.Replace(segment.Time.UTC().Format(segmentLayout), ".", "", 1))
		b.WriteByte('Z')
		b.WriteString(segment.ID.String())
	}
	return b.String()
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
	var e *DottedOrderError
	switch {
	case parentRunID == uuid.Nil && len(d) != 1:
		e = &DottedOrderError{Rule: ruleDottedOrderParts, Reason: "dotted_order must contain a single part for root runs",
			Remedy: "send parent_run_id, or only the run's own part of the dotted_order"}
	case parentRunID != uuid.Nil && len(d) < 2:
		e = &DottedOrderError{Rule: ruleDottedOrderParts, Reason: "dotted_order must contain at least two parts for child runs",
			Remedy: "put the parent's dotted_order and a dot before the run's own part"}
	case d.TraceID() != traceID:
		e = &DottedOrderError{Rule: ruleDottedOrderTraceID, Reason: fmt.Sprintf("trace_id %s does not match first part of dotted_order %s", traceID, d),
			Remedy: "set trace_id to " + d.TraceID().String() + ", the ID of the root"}
	case last.ID != id:
		e = &DottedOrderError{Rule: ruleDottedOrderID, Reason: fmt.Sprintf("run_id %s does not match last part of dotted_order %s", id, d),
			Remedy: "end dotted_order with the run's ID"}
	case d.ParentRunID() != parentRunID:
		e = &DottedOrderError{Rule: ruleDottedOrderParentRunID,
			Reason: fmt.Sprintf("parent_run_id %s does not match second-to-last part of dotted_order %s", parentRunID, d),
			Remedy: "set parent_run_id to " + d.ParentRunID().String()}
	default:
		return d.checkTimes()
	}
	e.context = fmt.Sprintf(" for run_id:%s trace_id:%s dotted_order:%s parent_run_id:%s", orNil(id), orNil(traceID), d, orNil(parentRunID))
	return e
}

// checkTimes ensures that no run starts before its parent.
func (d DottedOrder) checkTimes() error {
	const layout = "2006-01-02 15:04:05.000000"
	for i := 1; i < len(d); i++ {
		if d[i].Time.Before(d[i-1].Time) {
			return &DottedOrderError{
				Rule: ruleDottedOrderTime,
				Reason: fmt.Sprintf("dotted_order has timestamp %s earlier than parent timestamp %s",
					d[i].Time.Format(layout), d[i-1].Time.Format(layout)),
				Remedy: "write the time at which the run started, which can't be before its parent's start",
			}
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

// DottedOrderError is the error for an invalid dotted order, in the service's wording.
type DottedOrderError struct {
	// Rule is one of the RuleDottedOrder constants.
	Rule string
	// Reason is the problem, and Remedy how to fix it.
	Reason, Remedy string
	// context contains the IDs of the run.
	context string
}

// Error returns the text of the service's answer.
func (e *DottedOrderError) Error() string { return "invalid 'dotted_order': " + e.Reason + e.context }
