package form

import (
	"encoding/json"
	"slices"
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

// Tolerant is Decode for the tracing service, whose clients differ in what they send. It also returns the names of the members
// that T doesn't have and that aren't null, sorted, those of inner objects with a path.
func Tolerant[T any](body []byte) (request T, unknown []string, _ error) {
	c := checker{dialect: api.Neutral}
	request, err := decode[T](body, &c)
	slices.Sort(c.unknown)
	return request, slices.Compact(c.unknown), err
}

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
