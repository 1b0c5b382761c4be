package ingest

import (
	"encoding/json"
	"maps"
)

// mergeDepth is how deep extra is merged; below it, a value replaces the other.
const mergeDepth = 5

// Merge lays what a later operation says over what earlier ones said. A field replaces the field, but extra is merged:
// clients send what they know of it, and one that only patches metadata must not lose the runtime.
func Merge(earlier, later Fields) Fields {
	merged := make(Fields, len(earlier)+len(later))
	maps.Copy(merged, earlier)
	for name, value := range later {
		if before, known := merged[name]; known && name == "extra" {
			value = mergeObjects(before, value, mergeDepth)
		}
		merged[name] = value
	}
	return merged
}

// mergeObjects merges two JSON objects; anything else is replaced.
func mergeObjects(earlier, later json.RawMessage, depth int) json.RawMessage {
	var below, above map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(earlier, &below) != nil || json.Unmarshal(later, &above) != nil || below == nil || above == nil {
		return later
	}
	for key, value := range above {
		before, known := below[key]
		switch {
		case !known:
			below[key] = value
		case string(value) != "null": // Null says nothing.
			below[key] = mergeObjects(before, value, depth-1)
		}
	}
	merged, err := json.Marshal(below)
	if err != nil {
		return later // Both were valid JSON, so this can't be.
	}
	return merged
}
