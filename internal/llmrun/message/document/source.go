package document

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Source is one half of a run as it was logged. Many formats look at the same lists and wrappers until one recognizes them, so that a
// source keeps what it has split. It must not be used concurrently.
type Source struct {
	Raw  json.RawMessage
	Side Side
	// Object contains the members of Raw; nil if that isn't an object.
	Object rawjson.Object

	known *known
}

// known is what a source has split, by key.
type known struct {
	lists map[string][]json.RawMessage
	inner map[string]Source
}

// NewSource reads the members of one half of a run, which must be valid JSON.
func NewSource(raw json.RawMessage, side Side) Source {
	o, _ := rawjson.ReadObject(raw)
	return Source{Raw: raw, Side: side, Object: o, known: &known{lists: map[string][]json.RawMessage{}, inner: map[string]Source{}}}
}

// List returns the elements of the array under a key, which must not be changed. Those of a document that is an array have no key.
func (s Source) List(key string) ([]json.RawMessage, bool) {
	raw := s.Raw
	if key != "" {
		raw = s.Object.Get(key)
	}
	if !rawjson.IsArray(raw) {
		return nil, false
	}
	list, ok := s.known.lists[key]
	if !ok {
		list, _ = rawjson.ReadArray(raw)
		s.known.lists[key] = list
	}
	return list, true
}

// Within returns the value under the key of a client's wrapper.
func (s Source) Within(key string) Source {
	inner, ok := s.known.inner[key]
	if !ok {
		inner = NewSource(s.Object.Get(key), s.Side)
		s.known.inner[key] = inner
	}
	return inner
}
