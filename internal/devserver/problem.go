package devserver

import (
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// problem is an error that has an answer of its own; every other error is answered with a 500.
type problem struct {
	status int
	header http.Header
	// body is what is answered; nil for a detail made of format and args.
	body   any
	format string
	args   []any
}

// term is an argument of a detail that is a word of ours, such as the name of a field, and nobody's data.
type term string

func (p *problem) Error() string {
	return fmt.Sprintf("%d %s: %v", p.status, http.StatusText(p.status), p.in(api.Neutral))
}

// in is the body in the words of a dialect. The format and terms are put into its words; all else may be somebody's data.
func (p *problem) in(dialect *api.Dialect) any {
	switch body := p.body.(type) {
	case nil:
		args := collect(p.args, func(arg any) any {
			switch word := arg.(type) {
			case term:
				return dialect.Text(string(word))
			case api.Source:
				return dialect.Text(string(word))
			}
			return arg
		})
		return api.ErrorDetail{Detail: fmt.Sprintf(dialect.Text(p.format), args...)}
	case api.HTTPValidationError:
		return api.HTTPValidationError{Detail: collect(body.Detail, func(e api.ValidationError) api.ValidationError {
			if e.Type == enumError {
				e.Msg = dialect.Text(e.Msg) // It lists the choices.
			}
			return e
		})}
	}
	return p.body
}

func detail(status int, format string, args ...any) *problem {
	return &problem{status: status, format: format, args: args}
}

func badRequest(format string, args ...any) *problem {
	return detail(http.StatusBadRequest, format, args...)
}

func conflict(format string, args ...any) *problem {
	return detail(http.StatusConflict, format, args...)
}

func unprocessable(problems ...api.ValidationError) *problem {
	return &problem{status: http.StatusUnprocessableEntity, body: api.HTTPValidationError{Detail: problems}}
}

// notServedDetail is the body for a path that no endpoint has.
var notServedDetail = api.ErrorDetail{Detail: "Not Found"}

// pathNotServed refuses a path that no endpoint has.
func pathNotServed() *problem { return &problem{status: http.StatusNotFound, body: notServedDetail} }

func (p *problem) notServed() bool { return p.body == notServedDetail }
