package llmrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// DecodeRun reads a run: one that a client sends, in whole or in part, or one that the service has returned. It is
// tolerant: invalid values are listed, with the rule by which a server refuses them, and left out of the run. It returns an
// error for data that is not a JSON object.
//
// The run shares memory with data, which therefore must not change.
func DecodeRun(data []byte) (*Run, []document.Problem, error) {
	if !utf8.Valid(data) {
		return nil, nil, errors.New("reading a run: the text is not UTF-8; encode it as UTF-8")
	}
	if !json.Valid(data) {
		var v json.RawMessage
		return nil, nil, fmt.Errorf("reading a run: not JSON: %w; pass the run as one JSON object", json.Unmarshal(data, &v))
	}
	o, ok := rawjson.ReadObject(data)
	if !ok {
		return nil, nil, fmt.Errorf("reading a run: %s is not an object; pass the run as one JSON object", rawjson.Show(data))
	}
	d := &runDecoder{object: o}
	return d.decode(), d.problems, nil
}

// DecodeRunMembers is DecodeRun for an object that is already split. The values must be JSON in UTF-8, without surrounding
// space: they aren't validated again, which would take longer than everything else.
func DecodeRunMembers(members map[string]json.RawMessage) (*Run, []document.Problem) {
	d := &runDecoder{object: rawjson.Object(nil).WithAll(members)}
	return d.decode(), d.problems
}

// runDecoder reads the members of a run and collects their problems.
type runDecoder struct {
	object   rawjson.Object
	problems []document.Problem
}

// runKeys are the members with a field in Run.
var runKeys = []string{
	"id", "trace_id", "parent_run_id", "dotted_order", "name", "run_type", "start_time", "end_time", "inputs", "outputs",
	"error", "events", "extra", "tags", "session_id", "session_name", "reference_example_id",
}

func (d *runDecoder) decode() *Run {
	r := &Run{
		ID: d.id("id"), TraceID: d.id("trace_id"), ParentRunID: d.id("parent_run_id"), DottedOrder: d.dottedOrder(),
		Name: d.text("name"), RunType: d.runType(),
		StartTime: d.time("start_time"), EndTime: d.time("end_time"),
		Inputs: d.values("inputs"), Outputs: d.values("outputs"), Error: d.failure(), Events: d.events(), Tags: d.tags(),
		SessionID: d.id("session_id"), SessionName: d.text("session_name"), ReferenceExampleID: d.id("reference_example_id"),
		Rest: d.object.Rest(runKeys...),
	}
	r.Extra = d.member("extra")
	if r.Extra != nil && !rawjson.IsObject(r.Extra) {
		d.add("extra", ruleRunValues, r.Extra, "not an object", "write it as an object, such as {\"metadata\": {…}}")
		r.Extra = nil
	}
	extra, _ := rawjson.ReadObject(r.Extra)
	r.Metadata = membersOf(extra.Get("metadata"))
	// Version 2 of the runs API returns metadata beside extra.
	for key, value := range membersOf(r.Rest["metadata"]) {
		if _, known := r.Metadata[key]; !known {
			r.Metadata.Put(key, value)
		}
	}
	r.InvocationParams = membersOf(extra.Get("invocation_params"))
	return r
}

func membersOf(raw json.RawMessage) document.Extras {
	o, _ := rawjson.ReadObject(raw)
	return o.Rest()
}

// member returns the value of a member, nil if it is absent or null.
func (d *runDecoder) member(key string) json.RawMessage {
	if raw := d.object.Get(key); raw != nil && !rawjson.IsNull(raw) {
		return raw
	}
	return nil
}

func (d *runDecoder) add(key, rule string, raw json.RawMessage, wrong, remedy string) {
	d.problems = append(d.problems, document.Problem{
		Pointer: rawjson.Pointer(key), Rule: rule, Message: key + " is " + show(key, raw) + ", " + wrong, Remedy: remedy,
	})
}

// show describes a member for a message without revealing the content of a run.
func show(key string, raw json.RawMessage) string {
	if slices.Contains([]string{"inputs", "outputs", "events", "extra", "error"}, key) {
		return rawjson.Show(raw)
	}
	return rawjson.ShowWord(raw)
}

func (d *runDecoder) text(key string) string {
	raw := d.member(key)
	s, ok := rawjson.ReadString(raw)
	if raw != nil && !ok {
		d.add(key, ruleRunText, raw, "not a string", "write it as a string")
	}
	return s
}

func (d *runDecoder) id(key string) uuid.UUID {
	raw := d.member(key)
	if raw == nil {
		return uuid.Nil
	}
	s, _ := rawjson.ReadString(raw)
	id, err := ParseID(s)
	if err != nil {
		d.add(key, ruleRunID, raw, "not a UUID", "write 32 hexadecimal digits, with dashes (8-4-4-4-12) or without")
	}
	return id
}

func (d *runDecoder) time(key string) *time.Time {
	raw := d.member(key)
	if raw == nil {
		return nil
	}
	t, err := timestamp.Read(raw)
	if err != nil {
		d.problems = append(d.problems, document.Problem{Pointer: rawjson.Pointer(key), Rule: ruleRunTime, Message: key + ": " + err.Error(),
			Remedy: "write an ISO 8601 time, or seconds or milliseconds since 1970"})
		return nil
	}
	return &t
}

func (d *runDecoder) dottedOrder() DottedOrder {
	s := d.text("dotted_order")
	if s == "" {
		return nil
	}
	order, err := ParseDottedOrder(s)
	if e, ok := errors.AsType[*DottedOrderError](err); ok {
		d.problems = append(d.problems, e.Problem)
	}
	return order
}

// runType reads the type. Upper case, as version 2 of the runs API returns it, is not a valid type to send.
func (d *runDecoder) runType() RunType {
	s := d.text("run_type")
	if s == "" {
		return ""
	}
	lower := strings.ToLower(s)
	known := slices.Contains(runTypes, lower)
	if !known || s != lower {
		d.add("run_type", ruleRunType, rawjson.Quote(s), "not a run type", "set it to tool, chain, llm, retriever, embedding, prompt or parser")
	}
	if !known {
		return ""
	}
	return RunType(lower)
}

// values reads inputs or outputs. The service's own clients wrap anything that isn't an object; a list of messages and a
// pair of role and content, which other clients send unwrapped, are accepted, too.
func (d *runDecoder) values(key string) json.RawMessage {
	raw := d.member(key)
	if raw == nil || rawjson.IsObject(raw) || rawjson.IsArray(raw) {
		return raw
	}
	d.add(key, ruleRunValues, raw, "not an object", `wrap it, such as {"`+strings.TrimSuffix(key, "s")+`": …}`)
	return nil
}

// failure reads the error. An error that isn't a string still counts as an error.
func (d *runDecoder) failure() string {
	raw := d.member("error")
	if s, ok := rawjson.ReadString(raw); ok || raw == nil {
		return s
	}
	d.add("error", ruleRunText, raw, "not a string", "write it as a string")
	return strings.TrimSpace(string(raw))
}

func (d *runDecoder) tags() []string {
	raw := d.member("tags")
	if raw == nil {
		return nil
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		d.add("tags", ruleRunTags, raw, "not a list", "write a list of strings")
		return nil
	}
	tags := make([]string, 0, len(list))
	for i, raw := range list {
		tag, ok := rawjson.ReadString(raw)
		if !ok {
			d.problems = append(d.problems, document.Problem{Pointer: rawjson.Pointer("tags", i), Rule: ruleRunTags,
				Message: "a tag is " + rawjson.Show(raw) + ", not a string", Remedy: "write it as a string"})
			continue
		}
		tags = append(tags, tag)
	}
	return tags
}

func (d *runDecoder) events() []Event {
	raw := d.member("events")
	if raw == nil {
		return nil
	}
	list, ok := rawjson.ReadArray(raw)
	if !ok {
		d.add("events", ruleRunEvents, raw, "not a list", `write a list of objects, such as [{"name": "new_token", "time": …}]`)
		return nil
	}
	events := make([]Event, len(list))
	for i, raw := range list {
		var problems []document.Problem
		events[i], problems = readEvent(raw, rawjson.Pointer("events", i))
		d.problems = append(d.problems, problems...)
	}
	return events
}
