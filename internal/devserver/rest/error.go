package rest

import (
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Error is an error with its own answer; all other errors are answered with status 500.
type Error struct {
	Status int
	Header http.Header
	// Body is the body of the answer; if nil, it is a detail built from format and args.
	Body   any
	format string
	args   []any
}

// Term is an argument of a detail that is one of our own terms, such as a field name, and not user data.
type Term string

func (p *Error) Error() string {
	return fmt.Sprintf("%d %s: %v", p.Status, http.StatusText(p.Status), p.In(api.Neutral))
}

// In returns the body in a dialect's terms. The format and the terms are translated; the other arguments may be user data
// and are not.
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
				e.Msg = dialect.Text(e.Msg) // The message lists the allowed values.
			}
			return e
		})}
	}
	return p.Body
}

// NewError returns an error with a detail.
func NewError(status int, format string, args ...any) *Error {
	return &Error{Status: status, format: format, args: args}
}

// BadRequest refuses a violation of a rule about more than one field.
func BadRequest(format string, args ...any) *Error {
	return NewError(http.StatusBadRequest, format, args...)
}

// Conflict refuses to create what already exists.
func Conflict(format string, args ...any) *Error {
	return NewError(http.StatusConflict, format, args...)
}

// Unprocessable refuses fields, each with its location.
func Unprocessable(problems ...api.ValidationError) *Error {
	return &Error{Status: http.StatusUnprocessableEntity, Body: api.HTTPValidationError{Detail: problems}}
}

// notServedDetail is the body for a path without an endpoint.
var notServedDetail = api.ErrorDetail{Detail: "Not Found"}

// PathNotServed refuses a path without an endpoint.
func PathNotServed() *Error { return &Error{Status: http.StatusNotFound, Body: notServedDetail} }

// NotServed says whether the error means that the path has no endpoint.
func (p *Error) NotServed() bool { return p.Body == notServedDetail }
