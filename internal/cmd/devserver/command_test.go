package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// seededFile returns a data file with sample runs that no server uses.
func seededFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plane.db")
	server, err := devserver.New(devserver.Config{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.Sample(t.Context(), devserver.DefaultWorkspaceID), server.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompact(t *testing.T) {
	t.Parallel()
	path := seededFile(t)
	var out bytes.Buffer
	if err := run(t.Context(), []string{"compact", "-data", path}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := regexp.QuoteMeta(path) + `: \d+ bytes before, \d+ bytes now\n`; !regexp.MustCompile("^" + want + "$").MatchString(out.String()) {
		t.Errorf("output = %q, want %s", out.String(), want)
	}
}

// TestCommandsRefuse checks that no command creates a file, and what they say about their arguments.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	for name := range commands {
		none := filepath.Join(t.TempDir(), "none.db")
		if err := run(t.Context(), []string{name, "-data", none}, io.Discard, io.Discard); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s of a file that doesn't exist: error = %v", name, err)
		}
		if err := run(t.Context(), []string{name, "-data", "postgres://user:secret@host/plane"}, io.Discard, io.Discard); err == nil ||
			!strings.Contains(err.Error(), "only SQLite files") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s of PostgreSQL: error = %v, want what to use there", name, err)
		}
		for _, args := range [][]string{{name}, {name, "-data", none, "more"}} {
			if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), name+" -data FILE") {
				t.Errorf("%v: error = %v, want the usage", args, err)
			}
		}
	}
}

// TestCopyRefuses checks what the command says about its arguments. Neither a file nor a key is created.
func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none.db")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "want devserver copy -from FILE -to postgres://"},
		{[]string{"-from", none}, "want devserver copy -from FILE -to postgres://"},
		{[]string{"-from", none, "-to", "postgres:", "more"}, "want devserver copy -from FILE -to postgres://"},
		{[]string{"-from", none, "-to", "postgres://user:secret@host/plane"}, "no such file"},
		{[]string{"-from", none, "-to", none}, "only into a PostgreSQL database"},
		{[]string{"-from", "postgres://user:secret@host/plane", "-to", "postgres:"}, "only a SQLite file can be copied"},
	} {
		err := run(t.Context(), append([]string{"copy"}, tc.args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("copy %v: error = %v, want %s", tc.args, err, tc.want)
		}
	}
	if made, err := os.ReadDir(filepath.Dir(none)); err != nil || len(made) > 0 {
		t.Errorf("files = %v, %v; want none", made, err)
	}
}

// TestCheck checks a file that a server uses, one that isn't a database, and what the command says about its arguments.
func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	server, err := devserver.New(devserver.Config{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	var out bytes.Buffer
	if err := run(t.Context(), []string{"check", path}, &out, io.Discard); err != nil || out.String() != path+" is sound\n" {
		t.Errorf("error = %v, output = %q; want that the file is sound", err, out.String())
	}
	none := filepath.Join(t.TempDir(), "none.db")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "want devserver check FILE"},
		{[]string{"-data", path}, "want devserver check FILE"},
		{[]string{path + "-key"}, "the file is damaged"},
		{[]string{none}, "no such file"},
		{[]string{"postgres://user:secret@host/plane"}, "only SQLite files"},
	} {
		err := run(t.Context(), append([]string{"check"}, tc.args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("check %v: error = %v, want %s", tc.args, err, tc.want)
		}
	}
	if _, err := os.Stat(none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: error = %v, want that it doesn't exist", none, err)
	}
}

// TestBackup backs up the file of a running server, and starts another one with the backup and its key.
func TestBackup(t *testing.T) {
	t.Parallel()
	path, directory := filepath.Join(t.TempDir(), "plane.db"), t.TempDir()
	server, err := devserver.New(devserver.Config{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	seeded, err := server.Seed(t.Context(), devserver.DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args  []string
		want  string
		files int
	}{
		{[]string{path, "a.db"}, "Its secrets need the key in " + path + "-key: keep a copy", 1},
		{[]string{"-seal-key", path + "-other", path, "b.db"}, "There is no key in " + path + "-other: keep a copy", 1},
		{[]string{"-with-key", path, "c.db"}, "with its key in " + filepath.Join(directory, "c.db-key"), 2},
		{[]string{"-with-key", "-seal-key", path + "-key", path, "d.db"}, "with its key in " + filepath.Join(directory, "d.db-key"), 2},
	} {
		to := filepath.Join(directory, tc.args[len(tc.args)-1])
		tc.args[len(tc.args)-1] = to
		var out bytes.Buffer
		if err := run(t.Context(), append([]string{"backup"}, tc.args...), &out, io.Discard); err != nil || !strings.Contains(out.String(), tc.want) {
			t.Errorf("backup %v: error = %v, output = %q, want %s", tc.args, err, out.String(), tc.want)
		}
		if files, err := filepath.Glob(to + "*"); err != nil || len(files) != tc.files {
			t.Errorf("backup %v: files = %v, %v; want %d", tc.args, files, err, tc.files)
		}
	}
	restored, err := devserver.New(devserver.Config{Data: filepath.Join(directory, "c.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Close() })
	if again, err := restored.Seed(t.Context(), devserver.DefaultWorkspaceID); err != nil || again.ListenerID != seeded.ListenerID {
		t.Errorf("the backup has listener %q, %v; want %q", again.ListenerID, err, seeded.ListenerID)
	}
}

// TestBackupRefuses checks what the command says about its arguments. No file is created.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	none, to := filepath.Join(directory, "none.db"), filepath.Join(directory, "to.db")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "want devserver backup"},
		{[]string{none}, "want devserver backup"},
		{[]string{none, to, "-with-key"}, "want devserver backup"},
		{[]string{none, to}, "no such file"},
		{[]string{"postgres://user:secret@host/plane", to}, "use pg_dump"},
	} {
		err := run(t.Context(), append([]string{"backup"}, tc.args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("backup %v: error = %v, want %s", tc.args, err, tc.want)
		}
	}
	if made, err := os.ReadDir(directory); err != nil || len(made) > 0 {
		t.Errorf("files = %v, %v; want none", made, err)
	}
}

// TestStats compares what is printed for a file that a server uses with what was logged.
func TestStats(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plane.db")
	server, err := devserver.New(devserver.Config{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := server.Sample(t.Context(), devserver.DefaultWorkspaceID); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"stats", "-data", path}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^ +runs +0\.\d\d$`, `(?m)^ +indexes +0\.\d\d$`, `(?m)^ +file +[01]\.\d\d$`, `workspace ` + devserver.DefaultWorkspaceID + ":",
		`(?m)^ +[1-9]\d* +0\.\d\d +0\.\d\d +0\.\d\d +0\.\d\d +sample-docs-chat$`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("output lacks %s:\n%s", want, out.String())
		}
	}
}
