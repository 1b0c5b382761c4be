package ingest

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Valid reports whether a text is JSON in UTF-8. It takes a fifth of the time of encoding/json, which for large payloads is
// most of the time for logging, and is slightly stricter: half of a surrogate pair is invalid.
func Valid(data []byte) bool { return jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) }

// decode reads JSON. Values nested deeper than encoding/json supports are kept as strings, unparsed: the server doesn't
// interpret the payload of a run.
func decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	if shallow, is := withoutDepth(data); is && json.Unmarshal(shallow, into) == nil {
		return nil
	}
	return err
}

// withoutDepth converts the lists and objects at the maximum depth to strings. It returns false if nothing is that deep, if
// the nesting exceeds what is allowed, or if brackets are missing.
func withoutDepth(data []byte) ([]byte, bool) {
	var shallow []byte
	depth, start, kept := 0, 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfText(data, i)
		case '[', '{':
			if depth == limits.PayloadDepth {
				start = i
			}
			if depth++; depth > limits.RefusedDepth {
				return nil, false
			}
		case ']', '}':
			if depth--; depth == limits.PayloadDepth {
				text, err := json.Marshal(string(data[start : i+1]))
				if err != nil || !utf8.Valid(data[start:i+1]) {
					return nil, false
				}
				shallow = append(append(shallow, data[kept:start]...), text...)
				kept = i + 1
			}
		}
	}
	if depth != 0 || kept == 0 {
		return nil, false
	}
	return append(shallow, data[kept:]...), true
}

// endOfText returns the end of the string that starts at i.
func endOfText(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}
