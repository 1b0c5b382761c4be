package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running PostgreSQL.
type Server struct {
	directory string
	guard     *exec.Cmd
	alive     io.Closer // As long as it is open, the server runs.
	admin     *pgx.Conn
	pooler    *pooler // Nil unless Pool was called.
}

// programs are the directories that may have PostgreSQL's programs, the newest version first.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(found, func(a, b string) int { return versionOf(b) - versionOf(a) })
	if path, missing := exec.LookPath("postgres"); missing == nil {
		found = append(found, path)
	}
	if err != nil || len(found) == 0 {
		return "", errors.Join(errors.New("PostgreSQL is not installed: apt-get install postgresql"), err)
	}
	return filepath.Dir(found[0]), nil
}

func versionOf(program string) int {
	version, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(program))))
	return version
}

// serve runs the server, again after a crash, until standard input ends, which it does when the process that runs the tests ends. It waits as
// long as there is a file named down.
const serve = `until [ -e "$2/ended" ]; do
	if [ -e "$2/down" ]; then
		sleep 0.05
		continue
	fi
	"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= \
		-c max_connections=2000 -c shared_buffers=64MB >>"$2/log" 2>&1
done &
read -r _
touch "$2/ended"
kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")"
wait
rm -rf "$2"`

// Start starts a server.
func Start(ctx context.Context) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	s := &Server{directory: directory}
	attributes, err := s.unprivileged()
	if err != nil {
		return nil, err
	}
	//nolint:gosec // Nobody else chooses the directories.
	initialize := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", filepath.Join(directory, "data"), "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--no-sync")
	initialize.Dir, initialize.SysProcAttr = directory, attributes
	if out, err := initialize.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := s.configure("fsync = off\nfull_page_writes = off\n"); err != nil {
		return nil, err
	}
	//nolint:gosec // Nobody else chooses the directories.
	s.guard = exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", serve, "sh", bin, directory)
	s.guard.Dir, s.guard.SysProcAttr = directory, attributes
	if s.alive, err = s.guard.StdinPipe(); err == nil {
		err = s.guard.Start()
	}
	if err != nil {
		return nil, err
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if err = s.exec(ctx, "SELECT 1"); err == nil {
			return s, nil
		}
		if time.Since(began) > time.Minute {
			log, _ := os.ReadFile(filepath.Join(directory, "log"))
			return nil, errors.Join(fmt.Errorf("PostgreSQL doesn't start: %w\n%s", err, log), s.Stop())
		}
	}
}

// configure adds settings to the server's file, which ALTER SYSTEM can change.
func (s *Server) configure(settings string) error {
	file, err := os.OpenFile(filepath.Join(s.directory, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(settings)
	return errors.Join(err, file.Close())
}

// Settings returns what decides what a crash may lose.
func (s *Server) Settings(ctx context.Context) (settings string, err error) {
	err = s.admin.QueryRow(ctx, "SELECT string_agg(name || ' = ' || setting, ', ' ORDER BY name) FROM pg_settings "+
		"WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')").Scan(&settings)
	return settings, err
}

// unprivileged makes the directory that of another user if the tests run as root, as whom PostgreSQL refuses to run.
func (s *Server) unprivileged() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	gid, invalid := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(err, invalid, os.Chown(s.directory, int(uid), int(gid))); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// Address is the address of a database.
func (s *Server) Address(database string) string {
	return "postgres://postgres@/" + database + "?host=" + strings.ReplaceAll(s.directory, "/", "%2F")
}

// Schema returns the statements that make the tables and functions of a database.
func (s *Server) Schema(ctx context.Context, database string) (string, error) {
	bin, err := programs()
	if err != nil {
		return "", err
	}
	dump := exec.CommandContext(ctx, filepath.Join(bin, "pg_dump"), "--schema-only", "--no-owner", "--no-privileges", s.Address(database)) //nolint:gosec // Tests name it.
	printed, err := dump.Output()
	return string(psqlCommand.ReplaceAll(printed, nil)), err
}

// psqlCommand matches what newer versions of pg_dump write for psql alone.
var psqlCommand = regexp.MustCompile(`(?m)^\\.*$`)

// Crash ends the server without any preparation; it is down until Up.
func (s *Server) Crash() error {
	if err := os.WriteFile(filepath.Join(s.directory, "down"), nil, 0o600); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(s.directory, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGQUIT)
}

// Up lets the server start again.
func (s *Server) Up() error { return os.Remove(filepath.Join(s.directory, "down")) }

// Stop ends the server, and deletes its data.
func (s *Server) Stop() error {
	s.pooler.stop()
	_ = s.alive.Close()
	return s.guard.Wait()
}
