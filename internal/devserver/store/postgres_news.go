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
	// pollEvery is how often a process looks for what others have written, in case it hears nothing, as behind a connection pooler.
	pollEvery = time.Second
	// tellEvery is the minimum time between two notifications of a process.
	tellEvery = 20 * time.Millisecond
)

// channel is the name of the channel on which processes notify each other, one for each schema.
const channel = "'agentplane_' || md5(current_schema())"

// news tells other processes that this one has written, and hears of theirs. What is heard is never more than a hint to look: what counts
// is in the database.
type news struct {
	wrote   chan struct{} // Receives a value when there is something to tell.
	stop    context.CancelFunc
	running sync.WaitGroup
}

// begin starts to tell and to hear.
func (n *news) begin(ctx context.Context, config *pgx.ConnConfig, s *database, of *postgres) {
	ctx, n.stop = context.WithCancel(context.WithoutCancel(ctx))
	n.wrote = make(chan struct{}, 1)
	config = config.Copy()
	// Waiting for a notification is no statement that could be cancelled.
	config.BuildContextWatcherHandler = func(connection *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: connection.Conn()}
	}
	n.running.Go(func() {
		for ctx.Err() == nil {
			_ = hear(ctx, config, s, of) // Without the database there are no news; everything else reports that it is gone.
			wait(ctx, pollEvery)
		}
	})
	n.running.Go(func() { of.growth.run(ctx, s) })
	n.running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-n.wrote:
			}
			_, _ = s.readers.ExecContext(ctx, "SELECT pg_notify("+channel+", '')") // The others look, too.
			wait(ctx, tellEvery)
		}
	})
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell lets other processes know that there is something new, soon.
func (n *news) tell() {
	select {
	case n.wrote <- struct{}{}:
	default:
	}
}

func (n *news) close() {
	if n.stop != nil {
		n.stop()
		n.running.Wait()
	}
}

// hear notes what has been written, and the time of the database, until its connection is lost.
func hear(ctx context.Context, config *pgx.ConnConfig, s *database, of *postgres) error {
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
		var news past
		var version int
		row := connection.QueryRow(ctx, "SELECT number, priced, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT), ("+
			selectAhead+"), ("+postgresSchema.version+") FROM commits")
		if err := row.Scan(&news.number, &news.priced, &news.now, &news.ahead, &version); err != nil {
			return err
		}
		if version > newest {
			s.outdated.Store(new(postgresSchema.newer(version)))
		}
		of.clock.observe(news.now)
		s.learn(news)
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
