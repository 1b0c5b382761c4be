package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// cancelling cancels the statement of a connection when its context ends, and keeps the connection, as the driver's own handler does. It never
// leaves a request to cancel before that is answered, though: PgBouncer 1.18, for one, exits when a client does.
type cancelling struct {
	connection *pgconn.PgConn
	answered   chan struct{}
}

// settleTime is how long a request to cancel that was answered may take to reach the statement. It must not reach the next one.
const settleTime = 100 * time.Millisecond

// HandleCancel implements ctxwatch.Handler.
func (c *cancelling) HandleCancel(context.Context) {
	answered := make(chan struct{})
	c.answered = answered
	// The connection is of no use otherwise.
	_ = c.connection.Conn().SetDeadline(time.Now().Add(connectTime))
	go func() { //nolint:gosec,contextcheck // The context that it could have has ended.
		defer close(answered)
		ctx, cancel := context.WithTimeout(context.Background(), connectTime)
		defer cancel()
		_ = c.connection.CancelRequest(ctx) // The deadline ends what it can't.
		time.Sleep(settleTime)
	}()
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (c *cancelling) HandleUnwatchAfterCancel() {
	<-c.answered
	_ = c.connection.Conn().SetDeadline(time.Time{})
}
