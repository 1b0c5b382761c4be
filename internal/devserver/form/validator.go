package form

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Validator checks constraints on single fields that their types don't express, and collects the problems.
type Validator struct{ Problems }

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

// Body is the location of what is in a body: keys are strings, list indices are ints.
func Body(path ...any) []api.LocStep { return Loc([]api.LocStep{api.Key("body")}, path...) }

// Problem is the error of a single problem.
func Problem(loc []api.LocStep, kind, format string, args ...any) error {
	return OfFields(api.ValidationError{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind})
}

// NotEmpty requires a text that isn't empty.
func (v *Validator) NotEmpty(text string, loc []api.LocStep) {
	if text == "" {
		v.Add(loc, "string_too_short", "String should have at least 1 character")
	}
}

// Pattern requires a value that matches a pattern.
func (v *Validator) Pattern(value string, pattern *regexp.Regexp, loc []api.LocStep) {
	if !pattern.MatchString(value) {
		v.Add(loc, "string_pattern_mismatch", "String should match pattern '%s'", pattern)
	}
}

// Time reads a date-time; nil if there is none.
func (v *Validator) Time(text *string, loc []api.LocStep) *time.Time {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		v.Report(NotTime(loc, err))
	}
	return &at
}

// NotSupported is the problem of a field or a parameter that the service has and this server hasn't: ignored, it would mislead.
func NotSupported(loc []api.LocStep, name string) api.ValidationError {
	return api.ValidationError{Loc: loc, Msg: "'" + name + "' is not supported by the dev server", Type: "not_supported"}
}

// NotTime is the problem of a text that isn't a time in the form of RFC 3339.
func NotTime(loc []api.LocStep, err error) api.ValidationError {
	return api.ValidationError{Loc: loc, Msg: "Input should be a valid datetime, " + err.Error(), Type: "datetime_parsing"}
}

// Choice requires one of the given values, or none at all.
func (v *Validator) Choice(value *string, allowed []string, loc []api.LocStep) {
	if value != nil && !slices.Contains(allowed, *value) {
		v.Report(NotOneOf(loc, allowed, "literal_error"))
	}
}

// Bounds requires a number from 1 to high.
func (v *Validator) Bounds(n, high int64, loc []api.LocStep) {
	switch {
	case n < 1:
		v.Add(loc, "greater_than_equal", "Input should be greater than or equal to 1")
	case n > high:
		v.Add(loc, "less_than_equal", "Input should be less than or equal to %d", high)
	}
}
