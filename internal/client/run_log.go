package client

import (
	"context"
	"encoding/json"
	"time"
)

// FinishedRun is a run whose end is known when it is logged.
type FinishedRun struct {
	RunConfig
	Outputs json.RawMessage
	// Failure makes it a run with an error, unless it is empty.
	Failure string
	// FirstTokenTime is when the first token of a stream arrived; zero where nothing was streamed.
	FirstTokenTime time.Time
	// EndTime is now where it is zero.
	EndTime time.Time
}

// LogRun logs a run of its own trace in one request. Logging it again under the same id is no error.
//
// The error is a *RunContentError if the run was sent, but its content could not be sent as it was given.
func (c *Client) LogRun(ctx context.Context, run FinishedRun) error {
	t := c.NewRun(run.RunConfig)
	if !run.FirstTokenTime.IsZero() {
		t.NewToken(run.FirstTokenTime)
	}
	t.End(run.Outputs, run.Failure, run.EndTime)
	return t.Post(ctx)
}
