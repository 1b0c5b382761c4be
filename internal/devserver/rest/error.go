package rest

import (
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Error is an error that has an answer of its own; every other error is answered with a 500.
type Error struct {
	Status int
	Header http.Header
	// Body is what is answered; nil for a detail made of format and args.
	Body   any
	format string
	args   []any
}

// Term is an argument of a detail that is a word of ours, such as the name of a field, and nobody's data.
type Term string

func (p *Error) Error() string {
	return fmt.Sprintf("%d %s: %v", p.Status, http.StatusText(p.Status), p.In(api.Neutral))
}

// In is the body in the words of a dialect. The format and terms are put into its words; all else may be somebody's data.
func (p *Error) In(dialect *api.Dialect) any {
	switch body := p.Body.(type) {
	case nil:
		args := Collect(p.args, func(arg any) any {
			switch word := arg.(type) {
			case Term:
				return dialect.Text(string(word))
			case api.Source:
				return dialect.Text(string(word))
			}
			return arg
		})
		return api.ErrorDetail{Detail: fmt.Sprintf(dialect.Text(p.format), args...)}
	case api.HTTPValidationError:
		return api.HTTPValidationError{Detail: Collect(body.Detail, func(e api.ValidationError) api.ValidationError {
			if e.Type == EnumError {
				e.Msg = dialect.Text(e.Msg) // It lists the choices.
			}
			return e
		})}
	}
	return p.Body
}

// NewError is an error with a detail.
func NewError(status int, format string, args ...any) *Error {
	return &Error{Status: status, format: format, args: args}
}

// BadRequest refuses what goes against a rule about more than one thing.
func BadRequest(format string, args ...any) *Error {
	return NewError(http.StatusBadRequest, format, args...)
}

// Conflict refuses what is there already.
func Conflict(format string, args ...any) *Error {
	return NewError(http.StatusConflict, format, args...)
}

// Unprocessable refuses fields, each with its place.
func Unprocessable(problems ...api.ValidationError) *Error {
	return &Error{Status: http.StatusUnprocessableEntity, Body: api.HTTPValidationError{Detail: problems}}
}

// notServedDetail is the body for a path that no endpoint has.
var notServedDetail = api.ErrorDetail{Detail: "Not Found"}

// PathNotServed refuses a path that no endpoint has.
func PathNotServed() *Error { return &Error{Status: http.StatusNotFound, Body: notServedDetail} }

// NotServed says that no endpoint has the path.
func (p *Error) NotServed() bool { return p.Body == notServedDetail }
