package form

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
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

// NotSupported is the problem of a field or a parameter that the service has and this server hasn't: ignored, it would mislead.
func NotSupported(loc []api.LocStep, name string) api.ValidationError {
	return api.ValidationError{Loc: loc, Msg: "'" + name + "' is not supported by the dev server", Type: "not_supported"}
}

// Known is Decode for a body without fields unknown to T: a query with ignored conditions would return a wrong
// result. Unknown fields that are null are accepted.
func Known[T any](body []byte) (T, error) {
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
	given, _ := raw.(map[string]any) // Decoding has succeeded, so it is an object.
	var problems []api.ValidationError
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !known[name] && given[name] != nil {
			problems = append(problems, api.ValidationError{
				Loc: []api.LocStep{api.Key("body"), api.Key(name)}, Type: "extra_forbidden",
				Msg: "Extra inputs are not permitted: unknown field '" + name + "'",
			})
		}
	}
	if problems != nil {
		return request, refusal.OfFields(problems...)
	}
	return request, nil
}
