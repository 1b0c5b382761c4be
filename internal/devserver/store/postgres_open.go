package store

import (
	"context"
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
)

// leastPostgres is the oldest version of PostgreSQL that has all that statements use.
const leastPostgres = 14

// connectTime is how long a connection may take to be made, and how often it is checked.
const connectTime = 5 * time.Second

// stoppedTime is how long a transaction that writes may stay without a statement, and lockTime how long one waits for others.
const stoppedTime, lockTime = 20 * time.Second, 40 * time.Second

// applicationName is what the names of all connections begin with.
const applicationName = "agentplane devserver"

// IsPostgres reports whether data is the address of a PostgreSQL database rather than the path of a file: postgres://…, or postgres: for what
// the variables of libpq say, such as PGHOST. Other addresses count, too, so that none is printed as a path: it may have a password.
func IsPostgres(data string) bool {
	return strings.HasPrefix(data, "postgres:") || strings.Contains(data, "://")
}

// postgresConfig parses an address. Errors don't contain it, because it may have a password.
func postgresConfig(address string) (*pgx.ConnConfig, error) {
	valid := strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
	if address == "postgres:" {
		address, valid = "", true
	}
	config, err := pgx.ParseConfig(address)
	if err != nil || !valid || strings.Contains(config.Database, "@") { // A slash in a password ends the host.
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
		config.RuntimeParams["application_name"] = fmt.Sprintf("%s %s:%d", applicationName, host, os.Getpid())
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
func openPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := postgresConfig(address)
	if err != nil {
		return nil, err
	}
	of := &postgres{growth: growth{due: make(chan struct{}, 1)}}
	var unsafe string
	if of.pooled, unsafe, err = checkPostgres(ctx, config); err != nil {
		return nil, fmt.Errorf("open %s: %w", nameOf(config), err)
	}
	// Only one connection writes: other processes would wait for more of them all the same.
	db := of.pool(config, writerSettings)
	db.SetMaxOpenConns(1)
	s := newDatabase(of, db)
	s.shared, s.now, s.unsafe = true, of.clock.Now, unsafe
	err = postgresSchema.migrate(ctx, db)
	if err == nil {
		err = checkCopied(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", nameOf(config), err), db.Close())
	}
	s.readers = of.pool(config, readerSettings)
	s.readers.SetMaxOpenConns(maxReaders)
	s.readers.SetMaxIdleConns(maxReaders)
	if err := s.startIndexing(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	of.notifier.begin(ctx, config, s, of)
	return s, nil
}

// checkPostgres reports what is wrong with a server or a database, and what to do, and returns Store.Unsafe. If a connection pooler answers, it makes
// the driver use no prepared statements, which belong to one connection of the pooler, and be careful when it cancels statements.
func checkPostgres(ctx context.Context, config *pgx.ConnConfig) (pooled bool, unsafe string, err error) {
	connection, err := pgx.ConnectConfig(ctx, config)
	if of, is := errors.AsType[*pgconn.PgError](err); is {
		switch of.Code {
		case "28P01", "28000":
			return false, "", fmt.Errorf("PostgreSQL refused the user %q: set the password in the variable PGPASSWORD or the file ~/.pgpass, or allow the user in "+
				"pg_hba.conf: %s", config.User, of.Message)
		case "3D000":
			return false, "", fmt.Errorf("there is no database %q: create it with createdb -E UTF8 -T template0 %s", config.Database, config.Database)
		}
		return false, "", err
	}
	if err != nil {
		return false, "", fmt.Errorf("PostgreSQL can't be reached: check that it runs and that the address is right: %w", err)
	}
	defer connection.Close(ctx)
	var version int
	var encoding string
	var process uint32
	row := connection.QueryRow(ctx, "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), pg_backend_pid(), "+
		"coalesce((SELECT string_agg(name, ' and ' ORDER BY name) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'), '')",
		pgx.QueryExecModeExec)
	if err := row.Scan(&version, &encoding, &process, &unsafe); err != nil {
		return false, "", err
	}
	if version < leastPostgres {
		return false, "", fmt.Errorf("PostgreSQL %d is too old: use version %d or later", version, leastPostgres)
	}
	if encoding != "UTF8" {
		return false, "", fmt.Errorf("the encoding of the database %q is %s, not UTF8: create another one with createdb -E UTF8 -T template0", config.Database, encoding)
	}
	if pooled = process != connection.PgConn().PID(); pooled {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		config.BuildContextWatcherHandler = func(connection *pgconn.PgConn) ctxwatch.Handler { return &cancelling{connection: connection} }
	}
	return pooled, unsafe, nil
}
