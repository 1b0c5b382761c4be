package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Kind is what an operation does.
type Kind string

// The kinds of operations. Clients send them in concurrent requests, so either may arrive first.
const (
	// Post creates a run.
	Post Kind = "post"
	// Patch changes the given fields of a run.
	Patch Kind = "patch"
)

// Fields are the fields of a run as they were sent: JSON in UTF-8 without surrounding space. Nulls mean no value and are
// omitted.
type Fields map[string]json.RawMessage

// Operation is one change of one run.
type Operation struct {
	Kind Kind
	// RunID is a UUID in canonical form; empty if a post has none.
	RunID  string
	Fields Fields
}

// Attachment is a file that belongs to a run. Its content was passed to the Sink.
type Attachment struct {
	RunID, Name, MimeType string
	Size                  int64
	// Content is the ID that the Sink has returned.
	Content string
}

// Feedback is feedback on a run, which need not be in the same request.
type Feedback struct {
	ID   string // A UUID in canonical form.
	Body []byte // A JSON object.
}

// Request contains all operations of one request.
type Request struct {
	Operations  []Operation
	Attachments []Attachment
	Feedback    []Feedback
}

// unprocessable refuses an invalid request. The text is for the author of the client.
func unprocessable(format string, args ...any) *form.Error {
	return form.Refuse(form.Unprocessable, unprocessableEntity+format, args...)
}

const unprocessableEntity = "Unprocessable entity: "

// ParseID converts the ID of a run, with or without dashes, to its canonical form.
func ParseID(text string) (string, error) {
	// uuid.Parse accepts more forms than clients send: braces and a urn prefix.
	if length := len(text); length != 36 && length != 32 {
		return "", fmt.Errorf("%q is not a UUID", text)
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%q is not a UUID", text)
	}
	return id.String(), nil
}

// Single reads the body of POST /runs, or of PATCH /runs/{run_id} with the ID from the path.
func Single(kind Kind, pathID string, body []byte) (Operation, error) {
	fields, err := object(body)
	if err != nil {
		return Operation{}, unprocessable("the body is not a run: %s", err)
	}
	return operation(kind, pathID, fields)
}

// Batch reads the body of POST /runs/batch: {"post": […], "patch": […]}.
func Batch(body []byte) ([]Operation, error) {
	var batch struct {
		Post  []json.RawMessage `json:"post"`
		Patch []json.RawMessage `json:"patch"`
	}
	if err := json.Unmarshal(body, &batch); err != nil {
		return nil, unprocessable("the body is not a batch of runs: %s", err)
	}
	operations := make([]Operation, 0, len(batch.Post)+len(batch.Patch))
	for _, part := range []struct {
		kind Kind
		runs []json.RawMessage
	}{{Post, batch.Post}, {Patch, batch.Patch}} {
		for i, run := range part.runs {
			fields, err := object(run)
			if err != nil {
				return nil, unprocessable("%s[%d] is not a run: %s", part.kind, i, err)
			}
			op, err := operation(part.kind, "", fields)
			if err != nil {
				return nil, unprocessable("%s[%d]: %s", part.kind, i, strings.TrimPrefix(err.Error(), unprocessableEntity))
			}
			operations = append(operations, op)
		}
	}
	return operations, nil
}

// Valid reports whether a text is JSON in UTF-8. For large payloads, encoding/json would take most of the time for logging, five times as
// long; it only decides about what the other refuses, as half of a surrogate pair.
func Valid(data []byte) bool {
	return jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) || json.Valid(data) && utf8.Valid(data)
}

// ReadFields splits a JSON object into its fields, which are slices of it: long texts are not copied. It returns false for anything else.
func ReadFields(data []byte) (Fields, bool) {
	if !rawjson.IsObject(data) || !Valid(data) {
		return nil, false
	}
	return membersOf(data), true
}

// membersOf returns the members of an object; nil for anything else.
func membersOf(value json.RawMessage) Fields {
	object, is := rawjson.ReadObject(value)
	if !is {
		return nil
	}
	members := make(Fields, len(object))
	for _, m := range object {
		members[m.Key] = m.Value
	}
	return members
}

// operation finds the ID of a run among its fields, unless it is known.
func operation(kind Kind, id string, fields Fields) (Operation, error) {
	named, given := id, id != ""
	if raw, has := fields["id"]; has && !given {
		given = true
		if err := json.Unmarshal(raw, &named); err != nil {
			return Operation{}, unprocessable("id %s is not a UUID", raw)
		}
	}
	if !given && kind == Patch {
		return Operation{}, unprocessable("a patch needs the id of its run")
	}
	if given {
		var err error
		if id, err = ParseID(named); err != nil {
			return Operation{}, unprocessable("id %s", err)
		}
	}
	delete(fields, "id")
	delete(fields, "replicas") // These may have keys of the other servers to which the client logs.
	return Operation{Kind: kind, RunID: id, Fields: fields}, nil
}

// object reads a JSON object and drops its nulls. The fields are slices of data.
func object(data []byte) (Fields, error) {
	fields, is := ReadFields(data)
	if !is {
		if !utf8.Valid(data) {
			return nil, errors.New("it is not UTF-8")
		}
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("expected an object, found %s", data)
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, nil
}

// mergeDepth is the depth to which extra is merged; below it, a value replaces the other.
const mergeDepth = 5

// Merge applies later operations to earlier ones. Fields replace fields, but extra is merged: clients send only what they
// know, and a patch with metadata must not delete the runtime. Each operation is read once, however many there are.
func Merge(layers ...Fields) Fields {
	merged := Fields{}
	var extra *merging
	for _, layer := range layers {
		maps.Copy(merged, layer)
		switch value, given := layer["extra"]; {
		case !given:
		case extra == nil:
			extra = &merging{raw: value}
		default:
			extra.lay(value, mergeDepth)
		}
	}
	if extra != nil {
		merged["extra"] = extra.json()
	}
	return merged
}

// merging is a value that others are merged into. Its members are decoded with the first of them.
type merging struct {
	raw     json.RawMessage
	members map[string]*merging
}

// lay merges two objects; any other value is replaced.
func (m *merging) lay(later json.RawMessage, depth int) {
	above := membersOf(later)
	if depth == 0 || above == nil || !m.open() {
		*m = merging{raw: later}
		return
	}
	for key, value := range above {
		switch before, known := m.members[key]; {
		case !known:
			m.members[key] = &merging{raw: value}
		case string(value) != "null": // Null means no value.
			before.lay(value, depth-1)
		}
	}
}

// open decodes the members of an object, if it is one.
func (m *merging) open() bool {
	if m.members != nil {
		return true
	}
	members := membersOf(m.raw)
	if members == nil {
		return false
	}
	m.members = make(map[string]*merging, len(members))
	for key, value := range members {
		m.members[key] = &merging{raw: value}
	}
	return true
}

func (m *merging) json() json.RawMessage {
	if m.members == nil {
		return m.raw
	}
	object := make(map[string]json.RawMessage, len(m.members))
	for key, member := range m.members {
		object[key] = member.json()
	}
	return rawjson.EncodeMembers(object)
}
