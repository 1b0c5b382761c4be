package devserver

import (
	"fmt"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// problem is an error that has an answer of its own; every other error is answered with a 500.
type problem struct {
	status int
	body   any
	header http.Header
}

func (p *problem) Error() string {
	return fmt.Sprintf("%d %s: %v", p.status, http.StatusText(p.status), p.body)
}

func detail(status int, format string, args ...any) *problem {
	return &problem{status: status, body: api.ErrorDetail{Detail: fmt.Sprintf(format, args...)}}
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

func deploymentNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Deployment ID %s not found.", id)
}

func revisionNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Revision ID %s not found.", id)
}

func listenerNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Listener ID %s not found.", id)
}

func integrationNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Integration ID %s not found.", id)
}

func oauthProviderNotFound(slug string) *problem {
	return detail(http.StatusNotFound, "OAuth provider '%s' not found.", slug)
}

func sessionNotFound(id string) *problem {
	return detail(http.StatusNotFound, "Session ID %s not found.", id)
}
