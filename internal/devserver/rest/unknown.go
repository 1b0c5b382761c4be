package rest

import (
	"encoding/json"
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Truth is true or false, as clients write it in queries: also as 1 or 0.
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

// DecodeKnown is Decode for a body in which nothing may be said that T doesn't have: a question whose conditions are ignored has a
// wrong answer. Null says nothing.
func DecodeKnown[T any](body []byte) (T, error) {
	request, err := Decode[T](body, api.Neutral)
	if err != nil {
		return request, err
	}
	raw, err := Parse(body)
	if err != nil {
		return request, err
	}
	known := map[string]bool{}
	for _, of := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		known[WireField(of).Name] = true
	}
	given, _ := raw.(map[string]any) // Nothing else has been decoded.
	var problems []api.ValidationError
	for _, name := range SortedKeys(given) {
		if !known[name] && given[name] != nil {
			problems = append(problems, api.ValidationError{
				Loc: []api.LocStep{api.Key("body"), api.Key(name)}, Type: "extra_forbidden",
				Msg: "Extra inputs are not permitted: this service doesn't know '" + name + "'",
			})
		}
	}
	if problems != nil {
		return request, Unprocessable(problems...)
	}
	return request, nil
}
