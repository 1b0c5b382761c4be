package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

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
