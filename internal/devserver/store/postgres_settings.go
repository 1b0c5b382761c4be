package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// settings are what connections set. A connection pooler lends its connections for a transaction to any client: there, each transaction sets them
// for itself.
type settings []string

var (
	// writerSettings limit what a process may make others wait for: one that has stopped in the middle of a transaction loses it, and one that
	// waits longer than that gives up. Statements that write find rows by indexes: PostgreSQL would read whole tables as long as they are small,
	// and keep doing that when they are not.
	writerSettings = settings{
		"jit = off", "enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off",
		fmt.Sprintf("idle_in_transaction_session_timeout = %d", stoppedTime.Milliseconds()), fmt.Sprintf("lock_timeout = %d", lockTime.Milliseconds()),
	}
	// readerSettings keep a connection, as those of writers do, from compiling statements, which takes longer than most of them run, and from
	// reading the whole table of runs: where nearly all belong to one project, PostgreSQL expects to find most of them, because it doesn't know
	// the bounds that a subquery returns. The log of requests, which is written on such a connection, needn't wait for the disk.
	readerSettings = settings{"jit = off", "enable_seqscan = off", "synchronous_commit = off"}
)

// waiting is an expression that makes the commits of a session, or of a transaction if local, wait for the disk, unless the database or the role
// says how they wait.
func waiting(local bool) string {
	return fmt.Sprintf("CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', %t) END", local)
}

// set is a statement for a scope, SESSION or LOCAL.
func (s settings) set(scope string) string {
	return "SET " + scope + " " + strings.Join(s, "; SET "+scope+" ")
}

// pool returns connections with settings.
func (p *postgres) pool(config *pgx.ConnConfig, s settings) *sql.DB {
	if p.pooled {
		return stdlib.OpenDB(*config)
	}
	return stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, connection *pgx.Conn) error {
		_, err := connection.Exec(ctx, s.set("SESSION"))
		if err != nil { // The driver forgets such a connection without closing it.
			_ = connection.PgConn().Conn().Close()
		}
		return err
	}))
}

// ready applies settings to a transaction whose connection doesn't have them.
func (p *postgres) ready(ctx context.Context, tx *sql.Tx, s settings) error {
	if !p.pooled {
		return nil
	}
	_, err := tx.ExecContext(ctx, s.set("LOCAL"))
	return err
}
