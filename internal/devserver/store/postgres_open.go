package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
)

// leastPostgres is the oldest version of PostgreSQL that has all that statements use.
const leastPostgres = 14

// connectTime is how long a connection may take to be made, and how often it is checked.
const connectTime = 5 * time.Second

// lockWait is how long a server waits for the lock of another one that may be about to end, and lockAgain how long until it looks again.
const lockWait, lockAgain = 3 * time.Second, 10 * time.Millisecond

// IsPostgres says whether data is the address of a PostgreSQL database rather than the path of a file: postgres://…, or postgres: for what
// the variables of libpq say, such as PGHOST.
func IsPostgres(data string) bool {
	return data == "postgres:" || strings.HasPrefix(data, "postgres://") || strings.HasPrefix(data, "postgresql://")
}

// postgresConfig parses an address. Errors don't contain it, because it may have a password.
func postgresConfig(address string) (*pgx.ConnConfig, error) {
	if address == "postgres:" {
		address = ""
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the PostgreSQL database is invalid: use postgres://user@host:5432/database, with the password in " +
			"the variable PGPASSWORD or the file ~/.pgpass")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: connectTime, Interval: connectTime, Count: 3}}
	config.DialFunc = dialer.DialContext
	// A statement whose context ends is cancelled, and its connection kept; the driver would only close it.
	config.BuildContextWatcherHandler = func(connection *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: connection, DeadlineDelay: connectTime}
	}
	if config.RuntimeParams["application_name"] == "" {
		host, _ := os.Hostname()
		config.RuntimeParams["application_name"] = fmt.Sprintf("agentplane devserver %s:%d", host, os.Getpid())
	}
	return config, nil
}

// PostgresName is the address of a PostgreSQL database without what is secret in it.
func PostgresName(address string) string {
	config, err := postgresConfig(address)
	if err != nil {
		return "postgres:"
	}
	return nameOf(config)
}

func nameOf(config *pgx.ConnConfig) string {
	return fmt.Sprintf("postgres://%s@%s/%s", config.User, net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))), config.Database)
}

// openPostgres opens a database of PostgreSQL, and migrates its schema.
func openPostgres(ctx context.Context, address string) (*database, error) {
	config, err := postgresConfig(address)
	if err != nil {
		return nil, err
	}
	of := &postgres{}
	// Only one connection writes: it has the lock that keeps others from doing so.
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, connection *pgx.Conn) error {
		err := withoutCompiler(ctx, connection)
		if err == nil {
			err = lockDatabase(ctx, connection, nameOf(config))
		}
		if err == nil {
			err = of.checkOwner(ctx, connection)
		}
		return err
	}))
	db.SetMaxOpenConns(1)
	s := newDatabase(of, db)
	err = checkPostgres(ctx, db, config)
	if err == nil {
		err = migratePostgres(ctx, db)
	}
	if err == nil {
		err = of.own(ctx, db)
	}
	if err == nil {
		err = s.ledger.load(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", nameOf(config), err), db.Close())
	}
	s.readers = stdlib.OpenDB(*config, stdlib.OptionAfterConnect(withoutCompiler))
	s.readers.SetMaxOpenConns(maxReaders)
	s.readers.SetMaxIdleConns(maxReaders)
	if err := s.startIndexing(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// withoutCompiler keeps a connection from compiling statements, which takes longer than most of them run.
func withoutCompiler(ctx context.Context, connection *pgx.Conn) error {
	_, err := connection.Exec(ctx, "SET jit = off")
	return err
}

// lockDatabase makes a connection the only one that changes the tables, as long as it lasts. The lock belongs to the schema, of which a
// database can have several.
func lockDatabase(ctx context.Context, connection *pgx.Conn, name string) error {
	const class, object = "x'6170'::int", "('x' || left(md5(current_schema()), 8))::bit(32)::int"
	for began := time.Now(); ; time.Sleep(lockAgain) {
		var locked bool
		if err := connection.QueryRow(ctx, "SELECT pg_try_advisory_lock("+class+", "+object+")").Scan(&locked); err != nil || locked {
			return err
		}
		if time.Since(began) < lockWait {
			continue
		}
		taken := &InUseError{Path: name, Owner: "another process"}
		var by string
		err := connection.QueryRow(ctx, "SELECT a.application_name || ', connected from ' || coalesce(host(a.client_addr), 'the same machine') "+
			"FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = "+class+
			" AND l.objid::bigint = "+object+"::bigint & 4294967295 AND l.database = "+
			"(SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1").Scan(&by)
		if err == nil {
			taken.Owner = by
		}
		return taken
	}
}

// own notes that this server uses the database now.
func (p *postgres) own(ctx context.Context, db *sql.DB) error {
	owner := rand.Text()
	_, err := db.ExecContext(ctx, "UPDATE schema_version SET owner = $1", owner)
	p.owner.Store(&owner)
	return err
}

// checkOwner refuses a new connection if another server has used the database since the last one was lost: what this one remembers may
// not be true anymore.
func (p *postgres) checkOwner(ctx context.Context, connection *pgx.Conn) error {
	own := p.owner.Load()
	if own == nil {
		return nil
	}
	var owner string
	if err := connection.QueryRow(ctx, "SELECT owner FROM schema_version").Scan(&owner); err != nil || owner == *own {
		return err
	}
	return errors.Join(ErrUnavailable, errors.New("another server has used the database while this one had no connection: start it again"))
}

// checkPostgres says what is wrong with a server or a database, and what to do.
func checkPostgres(ctx context.Context, db *sql.DB, config *pgx.ConnConfig) error {
	var version int
	var encoding string
	err := db.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding')").Scan(&version, &encoding)
	if of, is := errors.AsType[*pgconn.PgError](err); is {
		switch of.Code {
		case "28P01", "28000":
			return fmt.Errorf("PostgreSQL refused the user %q: set the password in the variable PGPASSWORD or the file ~/.pgpass, or allow the user in "+
				"pg_hba.conf: %s", config.User, of.Message)
		case "3D000":
			return fmt.Errorf("there is no database %q: create it with createdb -E UTF8 -T template0 %s", config.Database, config.Database)
		}
		return err
	}
	if _, is := errors.AsType[*InUseError](err); is {
		return err
	}
	if err != nil {
		return fmt.Errorf("PostgreSQL can't be reached: check that it runs and that the address is right: %w", err)
	}
	if version < leastPostgres {
		return fmt.Errorf("PostgreSQL %d is too old: use version %d or later", version, leastPostgres)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the encoding of the database %q is %s, not UTF8: create another one with createdb -E UTF8 -T template0", config.Database, encoding)
	}
	return nil
}
