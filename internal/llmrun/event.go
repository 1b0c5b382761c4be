package llmrun

import (
	"encoding/json"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// EventNewToken is the name of the event for the arrival of a streamed token. Some clients log only the first one, others
// all of them.
const EventNewToken = "new_token"

// Event is something that happened during a run.
type Event struct {
	Name string
	// Time is nil if the event has none: some clients add new_token with only its name.
	Time *time.Time
	// Raw is the whole event.
	Raw json.RawMessage
}

// readEvent reads an event. It keeps events of any name, even invalid ones.
func readEvent(raw json.RawMessage, at string) (Event, []document.Problem) {
	e := Event{Raw: raw}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return e, []document.Problem{{Pointer: at, Rule: ruleRunEvents, Message: "the event is " + rawjson.Show(raw) + ", not an object",
			Remedy: `write it as {"name": …, "time": …}`}}
	}
	var problems []document.Problem
	name := o.Get("name")
	if e.Name, ok = rawjson.ReadString(name); !ok && name != nil {
		problems = append(problems, document.Problem{Pointer: at + rawjson.Pointer("name"), Rule: ruleRunEvents,
			Message: "the event's name is " + rawjson.Show(name) + ", not a string", Remedy: "write it as a string, such as " + EventNewToken})
	}
	if at := at + rawjson.Pointer("time"); o.Has("time") && !rawjson.IsNull(o.Get("time")) {
		t, err := timestamp.Read(o.Get("time"))
		if err != nil {
			return e, append(problems, document.Problem{Pointer: at, Rule: ruleRunTime, Message: "the event's time: " + err.Error(),
				Remedy: "write an ISO 8601 time, or seconds or milliseconds since 1970"})
		}
		e.Time = &t
	}
	return e, problems
}

// FirstTokenTime returns the time of the earliest new_token event of an llm run, nil if no such event has a time. As in the
// service, other data of the run about its first token doesn't count.
func (r *Run) FirstTokenTime() *time.Time {
	if r.RunType != RunTypeLLM {
		return nil
	}
	var first *time.Time
	for _, e := range r.Events {
		if e.Name == EventNewToken && e.Time != nil && (first == nil || e.Time.Before(*first)) {
			first = e.Time
		}
	}
	return first
}

// TimeToFirstToken returns the duration from the start of an llm run to its first token; ok is false if it is unknown.
//
// It is never negative. Clients replace the microseconds of the start with a counter, to keep runs in order that start in
// the same millisecond, so a quick first token can seem to be up to a millisecond early.
func (r *Run) TimeToFirstToken() (d time.Duration, ok bool) {
	first := r.FirstTokenTime()
	if first == nil || r.StartTime == nil {
		return 0, false
	}
	return max(0, first.Sub(*r.StartTime)), true
}

// CheckEvents explains why an llm run with new_token events has no first token time: none of them has a time. The time of
// receipt would be that of the end, because clients send events in batches.
func (r *Run) CheckEvents() []document.Problem {
	if r.RunType != RunTypeLLM || r.FirstTokenTime() != nil {
		return nil
	}
	for i, e := range r.Events {
		if e.Name == EventNewToken {
			return []document.Problem{{Pointer: rawjson.Pointer("events", i), Rule: ruleNewTokenTime,
				Message: "no " + EventNewToken + " event has a time, so there is no time to first token",
				Remedy:  `add the time to the event: {"name": "` + EventNewToken + `", "time": …}`}}
		}
	}
	return nil
}
