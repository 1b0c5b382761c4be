package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// runsPath is where runs are logged.
const runsPath = tracingPrefix + "/runs"

// LogRun logs a run with all that is known of it. The run has its id from the caller, so that a request which is sent again
// logs nothing twice: a service that notices answers 409, which is no error.
func (c *Client) LogRun(ctx context.Context, run api.RunIngest) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: runsPath, body: run, tracing: true, repeatable: true})
	if isReceived(err) {
		return nil
	}
	return err
}

// isReceived says that the service has the run already, from an attempt whose answer was lost.
func isReceived(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status == http.StatusConflict && strings.Contains(refused.Detail, "already received")
}
