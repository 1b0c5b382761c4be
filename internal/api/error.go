package api

import (
	"encoding/json"
)

// ErrorDetail is the body of every error except 422.
type ErrorDetail struct {
	Detail string `json:"detail"`
}

// HTTPValidationError is the body of a 422.
type HTTPValidationError struct {
	Detail []ValidationError `json:"detail"`
}

// ValidationError is one problem in a request.
type ValidationError struct {
	// Loc is the path from "body", "query" or "path" to the invalid value.
	Loc []LocStep `json:"loc"`
	Msg string    `json:"msg"`
	// Type is machine readable, for example "missing" or "int_type".
	Type string `json:"type"`
}

// LocStep is one step of ValidationError.Loc: an object key or, if Index is set, a list index.
type LocStep struct {
	Key   string
	Index *int64
}

// Key returns a step to an object key.
func Key(name string) LocStep { return LocStep{Key: name} }

// Index returns a step to a list index.
func Index(i int) LocStep {
	n := int64(i)
	return LocStep{Index: &n}
}

// MarshalJSON writes a string or an integer.
func (s LocStep) MarshalJSON() ([]byte, error) {
	if s.Index != nil {
		return json.Marshal(*s.Index)
	}
	return json.Marshal(s.Key)
}

// UnmarshalJSON reads a string or an integer.
func (s *LocStep) UnmarshalJSON(data []byte) error {
	*s = LocStep{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &s.Key)
	}
	s.Index = new(int64)
	return json.Unmarshal(data, s.Index)
}

// MaxDepth is the maximum nesting of the control plane's JSON. Its messages need a dozen levels; deeper ones are made to exhaust
// the reader's stack.
const MaxDepth = 1000

// MaxBody is the maximum size in bytes of a request to the control plane.
const MaxBody = 10 << 20

// TooDeep reports whether JSON is nested deeper than MaxDepth. It isn't recursive and only counts brackets, so the body need not be
// valid.
func TooDeep(body []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++ // Skips the escaped character.
			}
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// List is one page of a list: {"resources": […], "offset": N}. Some endpoints and older installations return a bare array instead.
type List[T any] struct {
	Resources []T `json:"resources"`
	// Offset is the service's suggestion for the next page. Its value on the last page is not documented, so readers count by
	// themselves.
	Offset int64 `json:"offset"`
}
