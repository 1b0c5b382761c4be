package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// runsPath is the path at which runs are logged.
const runsPath = tracingPrefix + "/runs"

// LogRun logs a complete run. The caller sets its ID, so that a repeated request doesn't log it twice: a service that notices
// answers 409, which is not an error.
func (c *Client) LogRun(ctx context.Context, run api.RunIngest) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: runsPath, body: run, tracing: true, repeatable: true})
	if isReceived(err) {
		return nil
	}
	return err
}

// isReceived reports whether the service already has the run, from an attempt whose reply was lost.
func isReceived(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status == http.StatusConflict && strings.Contains(refused.Detail, "already received")
}
