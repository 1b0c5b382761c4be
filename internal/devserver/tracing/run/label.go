package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// ownKeys are the keys of metadata by which the server itself finds or groups runs: they get a label in any case.
var ownKeys = []string{otlp.TraceIDKey, otlp.SpanIDKey, otlp.ParentSpanIDKey, otlp.UnreadKey, "ls_model_name", "ls_user_id"}

// labelsOf returns the tags and metadata by which runs can be found: at most limits.Labels of each, and always the same ones. Of more
// metadata than that, they are the entries with the fewest keys in their path, and of these the first by key.
func labelsOf(run *llmrun.Run) []store.Label {
	tags := run.Tags[:min(len(run.Tags), limits.Labels)]
	labels := make([]store.Label, 0, len(tags)+min(len(run.Metadata), limits.Labels))
	for _, tag := range tags {
		labels = append(labels, store.Label{Value: tag})
	}
	level := []entries{{members: run.Metadata}}
	for depth := 1; depth <= limits.MetadataDepth && len(level) > 0; depth++ {
		labels, level = appendLevel(labels, level, len(tags)+limits.Labels)
	}
	return labels
}

// entries are the members of an object in metadata, with the path of the object before their keys.
type entries struct {
	prefix  string
	members map[string]json.RawMessage
}

// appendLevel appends the entries of objects, up to a number of labels, and returns the objects among them. An entry that is an object is
// one entry as a whole, and its members are further entries.
func appendLevel(labels []store.Label, level []entries, most int) (_ []store.Label, next []entries) {
	slices.SortFunc(level, func(a, b entries) int { return cmp.Compare(a.prefix, b.prefix) })
	for _, object := range level {
		for _, key := range object.keys(most - len(labels)) {
			raw := object.members[key]
			if raw[0] == 'n' { // null
				continue
			}
			if len(labels) == most {
				return labels, nil
			}
			labels = append(labels, store.Label{Kind: store.Metadata, Key: object.prefix + key, Value: labelText(raw)})
			var inner map[string]json.RawMessage
			if raw[0] == '{' && json.Unmarshal(raw, &inner) == nil {
				next = append(next, entries{object.prefix + key + ".", inner})
			}
		}
	}
	return labels, next
}

// keys returns the keys of an object, in an order that matters only if there is no room for all.
func (e entries) keys(room int) []string {
	if len(e.members) <= room {
		return slices.Collect(maps.Keys(e.members))
	}
	return slices.SortedFunc(maps.Keys(e.members), func(a, b string) int {
		return cmp.Or(cmp.Compare(e.rank(a), e.rank(b)), cmp.Compare(a, b))
	})
}

// rank is 0 for the keys that get a label in any case.
func (e entries) rank(key string) int {
	if e.prefix == "" && slices.Contains(ownKeys, key) {
		return 0
	}
	return 1
}

// labelText returns the value of an entry as a text.
func labelText(raw json.RawMessage) string {
	value := string(raw)
	switch raw[0] {
	case '"':
		_ = json.Unmarshal(raw, &value) // It was read before.
	case '[', '{':
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			value = compact.String()
		}
	}
	return value
}
