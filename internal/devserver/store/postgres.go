package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// postgres is a database of PostgreSQL.
type postgres struct {
	postgresSQL
	// pooled reports whether there is a connection pooler, which may give each transaction, and each statement outside of one, another connection.
	pooled   bool
	notifier notifier
	clock    databaseClock
	growth   growth

	mu sync.Mutex
	// translated are statements for PostgreSQL, by those for SQLite.
	translated map[string]postgresStatement
}

// translate returns a statement for PostgreSQL. Making one of it takes about as long as a short one runs.
func (p *postgres) translate(text string) postgresStatement {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, known := p.translated[text]
	if known {
		return s
	}
	if p.translated == nil || len(p.translated) >= mostStatements {
		p.translated = map[string]postgresStatement{}
	}
	s = newPostgresStatement(text)
	p.translated[text] = s
	return s
}

// statement returns a statement that the driver prepares, and keeps with the connection.
func (p *postgres) statement(t *Tx, text string) (readyStatement, error) {
	return runningStatement{t.tx, p.translate(text)}, nil
}

// runningStatement runs a statement in a transaction.
type runningStatement struct {
	tx *sql.Tx
	postgresStatement
}

func (s runningStatement) ExecContext(ctx context.Context, args ...any) (sql.Result, error) {
	return s.tx.ExecContext(ctx, s.text, s.of(args)...)
}

func (s runningStatement) QueryContext(ctx context.Context, args ...any) (*sql.Rows, error) {
	return s.tx.QueryContext(ctx, s.text, s.of(args)...)
}

func (s runningStatement) QueryRowContext(ctx context.Context, args ...any) *sql.Row {
	return s.tx.QueryRowContext(ctx, s.text, s.of(args)...)
}

// arguments answers the questions among the arguments, and makes texts storable. Statements about runs come after all runs are stored. What is known
// of stored runs is forgotten before one that changes them.
func (p *postgres) arguments(t *Tx, statement string, args []any) (taken []any, end func(), err error) {
	if t.pending.matter() {
		if of := p.translate(statement); of.ofRuns {
			if err := p.saveAll(t); err != nil {
				return nil, nil, err
			}
			if !of.reads {
				t.pending.forget()
			}
		}
	}
	taken = make([]any, len(args))
	for i, arg := range args {
		if taken[i], err = argumentOf(t, arg); err != nil {
			return nil, nil, err
		}
	}
	return taken, func() {}, nil
}

func argumentOf(t *Tx, arg any) (any, error) {
	switch arg := arg.(type) {
	case *askedRuns:
		return arg.answer(t)
	case *subtreeFigures:
		return arg.encode(t)
	case string:
		return storable(arg), nil
	case *string:
		if arg == nil {
			return nil, nil
		}
		return storable(*arg), nil
	case jsonList:
		return storableList(arg).Value()
	case realText:
		n, err := strconv.ParseFloat(string(arg), 64)
		if errors.Is(err, strconv.ErrRange) {
			err = nil // It is infinite, or zero.
		}
		return n, err
	}
	return arg, nil
}

func storableList(list jsonList) jsonList {
	all := slices.Clone(list)
	for i, text := range all {
		all[i] = storable(text)
	}
	return all
}

func (*postgres) row(row scanner) scanner { return storedRow{row} }

// stateOf reads which transactions have written the rows, because there may be other servers.
func (*postgres) stateOf(t *Tx, trace traceKey) (string, error) {
	return queryOne(t, scanText, "SELECT count(*) || ' ' || coalesce(sum(hashint8extended(r.seq, r.xmin::text::bigint)), 0) FROM runs r "+
		"WHERE r.trace_id = ? AND "+unindexed("r.workspace_id")+" = ? AND "+alive("r"), trace.traceID, trace.workspaceID)
}

// interruptible leaves it to the driver, which cancels statements.
func (*postgres) interruptible(context.Context, *sql.Conn) (func(), error) { return func() {}, nil }

// occupied counts nothing else: the size of the database includes rows that are deleted, and that autovacuum hasn't removed.
func (*postgres) occupied(_ *Tx, own Space) (int64, error) {
	return own.Rows + own.Bodies + own.Labels + own.Attachments, nil
}

func (*postgres) size(t *Tx) (pages, error) {
	all, err := queryOne(t, scanNumber, "SELECT pg_database_size(current_database())")
	return pages{all: all, size: 1}, err
}

func (p *postgres) stop() { p.notifier.close() }

// giveBack has nothing to do: autovacuum makes the space of deleted rows free for others.
func (*postgres) giveBack(context.Context, *Store) (bool, error) { return false, nil }

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

// withCause implements backend. A connection that was lost is replaced by the next transaction. PostgreSQL finds damage itself, and keeps it
// to the statements that read it.
func (*postgres) withCause(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrBusy) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrFull) || errors.Is(err, errConflict):
		return err
	case hasCode(err, "53100"):
		return errors.Join(ErrFull, err)
	case hasCode(err, "40001", "40P01"): // A serialization failure, or a deadlock.
		return errors.Join(errConflict, err)
	case isLost(err):
		return errors.Join(ErrUnavailable, err)
	}
	return err
}

func hasCode(err error, codes ...string) bool {
	of, is := errors.AsType[*pgconn.PgError](err)
	return is && slices.Contains(codes, of.Code)
}

// isLost reports whether an error is about the connection, not about the statement: it can't be made, or has ended.
func isLost(err error) bool {
	if of, is := errors.AsType[*pgconn.PgError](err); is {
		// Connection exceptions, too many connections, a shutdown, a crash, and a server that is starting; a transaction that this process has
		// left alone for too long, and one that has waited too long for others.
		return strings.HasPrefix(of.Code, "08") || strings.HasPrefix(of.Code, "57P0") ||
			slices.Contains([]string{"53300", "25P03", "55P03"}, of.Code)
	}
	if _, is := errors.AsType[*pgconn.ConnectError](err); is {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if _, is := errors.AsType[net.Error](err); is {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed")
}
