package devserver

import (
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// decodeBody is decode for the service's own endpoints, which take another content type for something that is no JSON.
func decodeBody[T any](c *call) (T, error) {
	contentType := c.request.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if contentType != "" && (err != nil || media != "application/json" && !strings.HasSuffix(media, "+json")) {
		var none T
		return none, unprocessable(api.ValidationError{
			Loc:  []api.LocStep{api.Key("body")},
			Msg:  "Input should be a valid dictionary: send it with Content-Type: application/json",
			Type: "dict_type",
		})
	}
	return decode[T](c.body, c.dialect)
}

// form checks the form of single fields, which the types do not tell, and collects what is wrong.
type form struct{ checker }

func (f *form) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	return unprocessable(f.problems...)
}

// in is a deeper place: keys are strings, places in a list are ints.
func in(loc []api.LocStep, deeper ...any) []api.LocStep {
	at := slices.Clone(loc)
	for _, d := range deeper {
		switch step := d.(type) {
		case int:
			at = append(at, api.Index(step))
		case string:
			at = append(at, api.Key(step))
		default:
			panic(fmt.Sprintf("%T is no step of a location", d))
		}
	}
	return at
}

func (f *form) pattern(value string, pattern *regexp.Regexp, loc []api.LocStep) {
	if !pattern.MatchString(value) {
		f.add(loc, "string_pattern_mismatch", "String should match pattern '%s'", pattern)
	}
}

func (f *form) choice(value *string, allowed []string, loc []api.LocStep) {
	if value != nil && !slices.Contains(allowed, *value) {
		f.problems = append(f.problems, notOneOf(loc, allowed, "literal_error"))
	}
}

// bounds wants a number from 1 to high.
func (f *form) bounds(n, high int64, loc []api.LocStep) {
	switch {
	case n < 1:
		f.add(loc, "greater_than_equal", "Input should be greater than or equal to 1")
	case n > high:
		f.add(loc, "less_than_equal", "Input should be less than or equal to %d", high)
	}
}
