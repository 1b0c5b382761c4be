package api

import "encoding/json"

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
