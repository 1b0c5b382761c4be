package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// pooler is a pgbouncer, which lends few connections for a transaction at a time.
type pooler struct {
	guard *exec.Cmd
	alive io.Closer
}

// PoolSize is how many connections of a database a pooler has at most.
const PoolSize = 20

const poolerConfig = `[databases]
* = host=%[1]s user=postgres
[pgbouncer]
listen_port = 6432
unix_socket_dir = %[1]s
logfile = %[1]s/pooler.log
auth_type = any
pool_mode = transaction
default_pool_size = %[2]d
max_client_conn = 1000
`

// servePooler runs pgbouncer until standard input ends.
const servePooler = `"$1" -q "$2/pooler.ini" >>"$2/pooler.log" 2>&1 &
read -r _
kill "$!"
wait`

// Pool starts a connection pooler before a server, and returns the address of a database behind it.
func (s *Server) Pool(ctx context.Context, database string) (address string, err error) {
	address = s.Address(database) + "&port=6432"
	if s.pooler != nil {
		return address, nil
	}
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // Not in the path of every user.
	}
	if _, err := os.Stat(program); err != nil {
		return "", errors.New("needs a connection pooler: apt-get install pgbouncer")
	}
	config := fmt.Sprintf(poolerConfig, s.directory, PoolSize)
	if err := os.WriteFile(filepath.Join(s.directory, "pooler.ini"), []byte(config), 0o644); err != nil { //nolint:gosec // Its user is another one.
		return "", err
	}
	p := &pooler{guard: exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", servePooler, "sh", program, s.directory)} //nolint:gosec // pgbouncer.
	p.guard.Dir, p.guard.SysProcAttr = s.directory, s.guard.SysProcAttr
	if p.alive, err = p.guard.StdinPipe(); err == nil {
		err = p.guard.Start()
	}
	if err != nil {
		return "", err
	}
	s.pooler = p
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		connection, err := pgx.Connect(ctx, s.Address("postgres")+"&port=6432")
		if err == nil {
			return address, connection.Close(ctx)
		}
		if time.Since(began) > time.Minute {
			log, _ := os.ReadFile(filepath.Join(s.directory, "pooler.log"))
			return "", fmt.Errorf("pgbouncer doesn't start: %w\n%s", err, log)
		}
	}
}

// stop ends the pooler.
func (p *pooler) stop() {
	if p == nil {
		return
	}
	_ = p.alive.Close()
	_ = p.guard.Wait()
}
