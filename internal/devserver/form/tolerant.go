package form

import (
	"encoding/json"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Truth is a boolean as clients write it in queries, including 1 and 0.
type Truth bool

// truth reads a Truth.
func (c *checker) truth(v any, loc []api.LocStep) any {
	switch v {
	case json.Number("1"):
		return true
	case json.Number("0"):
		return false
	}
	return scalar[bool](c, v, loc, "bool_type", "Input should be a valid boolean")
}

// OneOrMany is a list that clients may write as its only element.
type OneOrMany[T any] []T

// memberPath returns the names of a location in a body, without its list indices.
func memberPath(loc []api.LocStep) string {
	var names []string
	for _, step := range loc[1:] {
		if step.Index == nil {
			names = append(names, step.Key)
		}
	}
	return strings.Join(names, ".")
}
