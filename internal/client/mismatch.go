package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// unechoed are the fields of source_config that installations accept and don't return.
var unechoed = []string{"listener_config", "install_command", "build_command"}

// mismatch compares the sent values with the returned ones, as JSON, and describes the first difference. Only sent values count,
// because services add defaults.
func mismatch(sent, reported any) (string, bool) {
	want, got := tree(sent), tree(reported)
	if fields, ok := want.(map[string]any); ok {
		reported, _ := got.(map[string]any)
		for _, name := range unechoed {
			if reported[name] == nil {
				delete(fields, name)
			}
		}
	}
	return difference(want, got)
}

// tree preserves the spelling of numbers. Both sides use the same structs, so equal numbers are spelt alike.
func tree(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out any
	if decoder.Decode(&out) != nil {
		return nil
	}
	return out
}

// difference looks for a part of want that is missing or different in got, and describes where. An empty list or object equals a
// missing one.
func difference(want, got any) (string, bool) {
	switch w := want.(type) {
	case nil:
		return "", false
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok && (got != nil || len(w) > 0) {
			return "", true
		}
		for _, name := range slices.Sorted(maps.Keys(w)) {
			if path, different := difference(w[name], g[name]); different {
				return "." + name + path, true
			}
		}
		return "", false
	case []any:
		g, ok := got.([]any)
		if !ok && got != nil || len(g) != len(w) {
			return "", true
		}
		for i := range w {
			if path, different := difference(w[i], g[i]); different {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
		return "", false
	default:
		return "", want != got
	}
}
