package postgrestest

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Wanted reports whether tests are to use PostgreSQL where they can.
func Wanted() bool { return os.Getenv("AGENTPLANE_TEST_DATA") == "postgres" || pooled() }

// pooled reports whether they are to use it through a connection pooler.
func pooled() bool { return os.Getenv("AGENTPLANE_TEST_DATA") == "pgbouncer" }

// Required skips a test of what only PostgreSQL has, unless it is wanted.
func Required(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("needs PostgreSQL: set AGENTPLANE_TEST_DATA=postgres, as make test ONLY=postgres does")
	}
}

// Own starts a server for a test of what only PostgreSQL has.
func Own(t testing.TB) *Server {
	t.Helper()
	Required(t)
	server, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// shared is the server of a process, with the databases that no test uses at the moment.
var shared struct {
	sync.Mutex
	*Server
	failed error
	// tables are those that tests fill.
	tables string
	last   int
	free   []*database
}

// database is a database, and a connection to it.
type database struct {
	name       string
	connection *pgx.Conn
}

// prepared is the database that others are copied from.
const prepared = "prepared"

// New returns the address of a database for a test, or nothing, which stands for memory, if tests are not to use PostgreSQL. The first call in a
// process starts the server, and makes in a database, by opening it once, what all others begin with. As making one takes long, those that
// earlier tests have used are emptied.
func New[S io.Closer](t testing.TB, open func(ctx context.Context, address string) (S, error)) string {
	t.Helper()
	if !Wanted() {
		return ""
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.Server == nil && shared.failed == nil {
		shared.failed = start(open)
	}
	if shared.failed != nil {
		t.Fatal(shared.failed)
	}
	d, err := next()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.empty(); err != nil {
			t.Error(err)
			return
		}
		shared.Lock()
		defer shared.Unlock()
		shared.free = append(shared.free, d)
	})
	address := shared.Address(d.name)
	if pooled() {
		if address, err = shared.Pool(context.Background(), d.name); err != nil {
			t.Fatal(err)
		}
	}
	return address
}

func start[S io.Closer](open func(ctx context.Context, address string) (S, error)) (err error) {
	ctx := context.Background()
	if shared.Server, err = Start(ctx); err != nil {
		return err
	}
	if err := shared.exec(ctx, "CREATE DATABASE "+prepared+" ENCODING 'UTF8' TEMPLATE template0"); err != nil {
		return err
	}
	opened, err := open(ctx, shared.Address(prepared))
	if err == nil {
		err = opened.Close()
	}
	if err != nil {
		return err
	}
	connection, err := pgx.Connect(ctx, shared.Address(prepared))
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	// What that has stored, beyond what the schema begins with, is not for other tests.
	if err := connection.QueryRow(ctx, "SELECT string_agg(oid::regclass::text, ', ') FROM pg_class WHERE relkind = 'r' AND "+
		"relnamespace = current_schema()::regnamespace AND relname NOT IN ('schema_version', 'commits')").Scan(&shared.tables); err != nil {
		return err
	}
	return begin(ctx, connection)
}

// begin deletes the rows of a database.
func begin(ctx context.Context, connection *pgx.Conn) error {
	if _, err := connection.Exec(ctx, "TRUNCATE "+shared.tables+" RESTART IDENTITY"); err != nil {
		return err
	}
	_, err := connection.Exec(ctx, "UPDATE commits SET number = 1, priced = 0, indexed = 0")
	return err
}

// next returns an empty database.
func next() (*database, error) {
	if n := len(shared.free) - 1; n >= 0 {
		d := shared.free[n]
		shared.free = shared.free[:n]
		return d, nil
	}
	shared.last++
	d := &database{name: fmt.Sprintf("test%d", shared.last)}
	if err := shared.exec(context.Background(), "CREATE DATABASE "+d.name+" TEMPLATE "+prepared); err != nil {
		return nil, err
	}
	var err error
	d.connection, err = pgx.Connect(context.Background(), shared.Address(d.name))
	return d, err
}

// empty ends the connections of a test that has ended, and deletes its rows.
func (d *database) empty() error {
	ctx := context.Background()
	if _, err := d.connection.Exec(ctx, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
		return err
	}
	return begin(ctx, d.connection)
}

// exec runs a statement about databases.
func (s *Server) exec(ctx context.Context, statement string) error {
	if s.admin == nil || s.admin.IsClosed() {
		var err error
		if s.admin, err = pgx.Connect(ctx, s.Address("postgres")); err != nil {
			return err
		}
	}
	_, err := s.admin.Exec(ctx, statement)
	return err
}

// Execute runs the statements of a script in a database, such as a dump.
func (s *Server) Execute(ctx context.Context, database, script string) error {
	connection, err := pgx.Connect(ctx, s.Address(database))
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.PgConn().Exec(ctx, script).ReadAll()
	return err
}
