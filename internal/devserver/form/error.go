package form

import (
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Kind is a kind of refusal.
type Kind int

// The kinds.
const (
	BadRequest    Kind = iota + 1 // A rule about more than one field is broken.
	Unprocessable                 // A field is wrong.
	Unauthorized                  // There is no valid key.
	Forbidden                     // The key may not do this.
	NotFound                      // There is no such object.
	Conflict                      // The object exists, or is in use.
	TooLarge                      // The request is larger than a limit.
	Busy                          // The request could not be taken this time; sent again, it may succeed.
	TooLate                       // The request did not arrive in time.
	Unsupported                   // The body is in no known format.
)

// kindNames are those of kinds in metrics and logs.
var kindNames = map[Kind]string{
	BadRequest: "bad_request", Unprocessable: "unprocessable", Unauthorized: "unauthorized", Forbidden: "forbidden", NotFound: "not_found",
	Conflict: "conflict", TooLarge: "too_large", Busy: "busy", TooLate: "too_late", Unsupported: "unsupported",
}

// String returns the kind in a word.
func (k Kind) String() string { return kindNames[k] }

// Error refuses a request.
type Error struct {
	Kind Kind
	// Fields are what is wrong with each field. If there are none, a text says it.
	Fields []api.ValidationError
	format string
	args   []any
}

// Term is an argument of a text that is one of our own terms, such as a field name, and not user data.
type Term string

// Refuse returns a refusal with a text. Its format and its terms are translated; other arguments may be user data and are not.
func Refuse(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, format: format, args: args}
}

// Broken refuses a violation of a rule about more than one field.
func Broken(format string, args ...any) *Error { return Refuse(BadRequest, format, args...) }

// Missing refuses a request about an object that doesn't exist.
func Missing(format string, args ...any) *Error { return Refuse(NotFound, format, args...) }

// Conflicting refuses to create what already exists.
func Conflicting(format string, args ...any) *Error { return Refuse(Conflict, format, args...) }

// OfFields refuses fields, each with its location.
func OfFields(problems ...api.ValidationError) *Error {
	var all Problems
	for _, problem := range problems {
		all.Report(problem)
	}
	return &Error{Kind: Unprocessable, Fields: all.fields()}
}

// Error says all of it in one line, without the first step of each location, which says where a request has the field.
func (e *Error) Error() string {
	if e.Fields == nil {
		return e.Text(api.Neutral)
	}
	texts := make([]string, len(e.Fields))
	for i, field := range e.Fields {
		var at strings.Builder
		for _, step := range field.Loc[min(1, len(field.Loc)):] {
			if step.Index != nil {
				fmt.Fprintf(&at, "[%d]", *step.Index)
				continue
			}
			at.WriteString("." + step.Key)
		}
		texts[i] = strings.TrimPrefix(strings.TrimPrefix(at.String(), ".")+": "+field.Msg, ": ")
	}
	return strings.Join(texts, "; ")
}

// Text returns the text in a dialect's terms; empty if the fields say what is wrong.
func (e *Error) Text(dialect *api.Dialect) string {
	if e.Fields != nil {
		return ""
	}
	args := make([]any, len(e.args))
	for i, arg := range e.args {
		switch word := arg.(type) {
		case Term:
			args[i] = dialect.Text(string(word))
		case api.Source:
			args[i] = dialect.Text(string(word))
		default:
			args[i] = arg
		}
	}
	return ShortenedText(fmt.Sprintf(dialect.Text(e.format), args...))
}

// EnumError is the type of a validation error that lists the allowed values.
const EnumError = "enum"

// Body returns what the service answers, in a dialect's terms.
func (e *Error) Body(dialect *api.Dialect) any {
	if e.Fields == nil {
		return api.ErrorDetail{Detail: e.Text(dialect)}
	}
	body := api.HTTPValidationError{Detail: make([]api.ValidationError, len(e.Fields))}
	for i, field := range e.Fields {
		if field.Type == EnumError {
			field.Msg = dialect.Text(field.Msg) // The message lists the allowed values.
		}
		body.Detail[i] = field
	}
	return body
}
