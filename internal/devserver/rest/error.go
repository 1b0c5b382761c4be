package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// Error is an error with its own answer, for what isn't a refusal in the service's own form.
type Error struct{ Answer }

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %v", e.Status, http.StatusText(e.Status), e.Body)
}

// OrMissing returns the refusal of a request about an object that isn't stored, and any other error unchanged.
func OrMissing(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return form.Missing(format, args...)
	}
	return err
}

// OrTaken returns the refusal to create an object if reading one like it ended without an error, and nil if there is none.
func OrTaken(err error, format string, args ...any) error {
	if err == nil {
		return form.Conflicting(format, args...)
	}
	store.Missing(&err)
	return err
}

// statuses are those of refusals.
var statuses = map[form.Kind]int{
	form.BadRequest:    http.StatusBadRequest,
	form.Unprocessable: http.StatusUnprocessableEntity,
	form.Unauthorized:  http.StatusUnauthorized,
	form.Forbidden:     http.StatusForbidden,
	form.NotFound:      http.StatusNotFound,
	form.Conflict:      http.StatusConflict,
	form.TooLarge:      http.StatusRequestEntityTooLarge,
	form.Busy:          http.StatusServiceUnavailable, // Not 429: some clients of the tracing service drop what it refuses.
	form.TooLate:       http.StatusRequestTimeout,
	form.Unsupported:   http.StatusUnsupportedMediaType,
}

// later asks a client to send its request again.
var later = http.Header{"Retry-After": {"1"}}

// Refusal returns the answer to a refusal of some kind.
func Refusal(kind form.Kind, body any) Answer {
	a := Answer{Status: statuses[kind], Body: body}
	if kind == form.Busy {
		a.Header = later
	}
	return a
}

// Refused returns the answer to a refused request, in a dialect's terms. Other errors aren't refusals.
func Refused(err error, dialect *api.Dialect) (a Answer, is bool) {
	if own, is := errors.AsType[*Error](err); is {
		return own.Answer, true
	}
	if refused, is := errors.AsType[*form.Error](err); is {
		return Refusal(refused.Kind, refused.Body(dialect)), true
	}
	return Answer{}, false
}

// failures are the errors of the store that clients learn of, each with its reason in a word.
var failures = []struct {
	err            error
	reason, detail string
	header         http.Header
}{
	{store.ErrFull, "disk_full", "The disk of this server is full. Free some space, then send the request again.", http.Header{"Retry-After": {"30"}}},
	{store.ErrDamaged, "data_damaged", "The data file of this server is damaged. Restore a backup, then start the server again.", nil},
	{store.ErrUnavailable, "database_unavailable", "The database of this server is not available. Send the request again later.", later},
	{store.ErrBusy, "busy", "Too many requests are in progress. Try again later.", later},
}

// AnswerTo turns an error into an answer in a dialect's terms.
func AnswerTo(err error, dialect *api.Dialect) Answer {
	if refused, is := Refused(err, dialect); is {
		return refused
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			return Answer{Status: http.StatusServiceUnavailable, Header: f.header, Body: api.ErrorDetail{Detail: f.detail}}
		}
	}
	return Answer{Status: http.StatusInternalServerError, Body: api.ErrorDetail{Detail: "Internal Server Error"}}
}

// Reason is why a request is refused or fails, in a word.
func Reason(err error) string {
	if refused, is := errors.AsType[*form.Error](err); is {
		return refused.Kind.String()
	}
	switch {
	case errors.Is(err, context.Canceled): // Also while it waits for the store, which then is busy.
		return "client_left"
	case errors.Is(err, errDropped):
		return "fault"
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			return f.reason
		}
	}
	own, is := errors.AsType[*Error](err)
	if !is {
		return "internal"
	}
	for kind, status := range statuses {
		if status == own.Status {
			return kind.String()
		}
	}
	return "other"
}

// notServedDetail is the body for a path without an endpoint.
var notServedDetail = api.ErrorDetail{Detail: "Not Found"}

// PathNotServed refuses a path without an endpoint.
func PathNotServed() *Error {
	return &Error{Answer{Status: http.StatusNotFound, Body: notServedDetail}}
}

// NotServed reports whether an answer means that the path has no endpoint.
func (a Answer) NotServed() bool { return a.Body == notServedDetail }
