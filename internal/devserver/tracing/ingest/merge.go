package ingest

import (
	"encoding/json"
	"maps"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

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

// membersOf returns the members of an object; nil for anything else.
func membersOf(value json.RawMessage) map[string]json.RawMessage {
	object, is := rawjson.ReadObject(value)
	if !is {
		return nil
	}
	members := make(map[string]json.RawMessage, len(object))
	for _, m := range object {
		members[m.Key] = m.Value
	}
	return members
}
