package rest

import (
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// DecodeBody is Decode for the service's own endpoints, which treat any other content type as a body that isn't JSON.
func DecodeBody[T any](c *Call) (T, error) {
	contentType := c.Request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && (err != nil || media != "application/json" && !strings.HasSuffix(media, "+json")) {
		var none T
		return none, Unprocessable(api.ValidationError{
			Loc:  []api.LocStep{api.Key("body")},
			Msg:  "Input should be a valid dictionary: send it with Content-Type: application/json",
			Type: "dict_type",
		})
	}
	return Decode[T](c.Body, c.Dialect)
}

// BodyValidator checks constraints on single fields that their types don't express, and collects the problems.
type BodyValidator struct{ checker }

// Err returns an error for the request if there are problems.
func (v *BodyValidator) Err() error {
	if len(v.problems) == 0 {
		return nil
	}
	return Unprocessable(v.problems...)
}

// Loc is a nested location: keys are strings, list indices are ints.
func Loc(loc []api.LocStep, deeper ...any) []api.LocStep {
	at := slices.Clone(loc)
	for _, d := range deeper {
		switch step := d.(type) {
		case int:
			at = append(at, api.Index(step))
		case string:
			at = append(at, api.Key(step))
		default:
			panic(fmt.Sprintf("%T is not an element of a location", d))
		}
	}
	return at
}

// Pattern requires a value that matches a pattern.
func (v *BodyValidator) Pattern(value string, pattern *regexp.Regexp, loc []api.LocStep) {
	if !pattern.MatchString(value) {
		v.Add(loc, "string_pattern_mismatch", "String should match pattern '%s'", pattern)
	}
}

// Time reads a date-time; nil if there is none.
func (v *BodyValidator) Time(text *string, loc []api.LocStep) *time.Time {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		v.problems = append(v.problems, notTime(loc, err))
	}
	return &at
}

func notTime(loc []api.LocStep, err error) api.ValidationError {
	return api.ValidationError{Loc: loc, Msg: "Input should be a valid datetime, " + err.Error(), Type: "datetime_parsing"}
}

// Choice requires one of the given values, or none at all.
func (v *BodyValidator) Choice(value *string, allowed []string, loc []api.LocStep) {
	if value != nil && !slices.Contains(allowed, *value) {
		v.problems = append(v.problems, notOneOf(loc, allowed, "literal_error"))
	}
}

// Bounds requires a number from 1 to high.
func (v *BodyValidator) Bounds(n, high int64, loc []api.LocStep) {
	switch {
	case n < 1:
		v.Add(loc, "greater_than_equal", "Input should be greater than or equal to 1")
	case n > high:
		v.Add(loc, "less_than_equal", "Input should be less than or equal to %d", high)
	}
}

// Texts returns the values of an enumeration as strings.
func Texts[S ~string](values []S) []string {
	return Collect(values, func(v S) string { return string(v) })
}
