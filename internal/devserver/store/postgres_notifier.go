package store

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

const (
	// pollEvery is how often a process reads what others have written if it receives nothing, as behind a connection pooler.
	pollEvery = time.Second
	// notifyEvery is the minimum time between two notifications of a process.
	notifyEvery = 20 * time.Millisecond
)

// channel is the name of the channel on which processes notify each other, one for each schema.
const channel = "'agentplane_' || md5(current_schema())"

// notifier announces and receives commits. A notification is only a hint to poll: what counts is in the database.
type notifier struct {
	stop    context.CancelFunc
	running sync.WaitGroup
}

// begin starts to announce and to receive.
func (n *notifier) begin(ctx context.Context, config *pgx.ConnConfig, s *Store, of *postgres) {
	ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	config = config.Copy()
	// Waiting for a notification is no statement that could be cancelled.
	config.BuildContextWatcherHandler = func(connection *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: connection.Conn()}
	}
	n.running.Go(func() {
		for ctx.Err() == nil {
			_ = poll(ctx, config, s, of) // Everything else reports that the database is gone.
			wait(ctx, pollEvery)
		}
	})
	n.running.Go(func() { of.growth.run(ctx, s) })
	n.running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.committed:
			}
			of.growth.check()
			_, _ = s.readers.ExecContext(ctx, "SELECT pg_notify("+channel+", '')") // The others poll, too.
			wait(ctx, notifyEvery)
		}
	})
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (n *notifier) close() {
	if n.stop != nil {
		n.stop()
		n.running.Wait()
	}
}

// poll notes what has been written, and the time of the database, until its connection is lost.
func poll(ctx context.Context, config *pgx.ConnConfig, s *Store, of *postgres) error {
	newest := postgresSchema.newest()
	connection, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), pollEvery)
		defer cancel()
		_ = connection.Close(ending) // There is nothing to lose.
	}()
	if !of.pooled {
		if err := listen(ctx, connection); err != nil {
			return err
		}
	}
	for {
		var latest snapshot
		var version int
		row := connection.QueryRow(ctx, "SELECT number, priced, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT), ("+
			selectAhead+"), ("+postgresSchema.version+") FROM commits")
		if err := row.Scan(&latest.number, &latest.priced, &latest.now, &latest.ahead, &version); err != nil {
			return err
		}
		if version > newest {
			s.outdated.Store(new(postgresSchema.newer(version)))
		}
		of.clock.observe(latest.now)
		s.learn(latest)
		waiting, stop := context.WithTimeout(ctx, pollEvery)
		_, err := connection.WaitForNotification(waiting)
		over := waiting.Err() != nil
		stop()
		if err != nil && !over || ctx.Err() != nil {
			return err
		}
	}
}

func listen(ctx context.Context, connection *pgx.Conn) error {
	var name string
	if err := connection.QueryRow(ctx, "SELECT "+channel).Scan(&name); err != nil {
		return err
	}
	_, err := connection.Exec(ctx, "LISTEN "+pgx.Identifier{name}.Sanitize())
	return err
}
