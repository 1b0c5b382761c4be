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

// TestCommandsRefuse checks what commands say about their arguments, without passwords. None of them creates a file.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	none, to := filepath.Join(directory, "none.db"), filepath.Join(directory, "to.db")
	const postgres = "postgres://user:secret@host/plane"
	type refused struct {
		args []string
		want string
	}
	all := []refused{
		{[]string{"copy"}, "want devserver copy -from FILE -to postgres://"},
		{[]string{"copy", "-from", none}, "want devserver copy -from FILE -to postgres://"},
		{[]string{"copy", "-from", none, "-to", "postgres:", "more"}, "want devserver copy -from FILE -to postgres://"},
		{[]string{"copy", "-from", none, "-to", postgres}, "no such file"},
		{[]string{"copy", "-from", none, "-to", none}, "only into a PostgreSQL database"},
		{[]string{"copy", "-from", postgres, "-to", "postgres:"}, "only a SQLite file can be copied"},
		{[]string{"check"}, "want devserver check FILE"},
		{[]string{"check", "-data", none}, "want devserver check FILE"},
		{[]string{"check", none}, "no such file"},
		{[]string{"check", postgres}, "only SQLite files"},
		{[]string{"backup"}, "want devserver backup"},
		{[]string{"backup", none}, "want devserver backup"},
		{[]string{"backup", none, to, "-with-key"}, "want devserver backup"},
		{[]string{"backup", none, to}, "no such file"},
		{[]string{"backup", postgres, to}, "use pg_dump"},
	}
	for name := range commands {
		all = append(all, refused{[]string{name}, name + " -data FILE"}, refused{[]string{name, "-data", none, "more"}, name + " -data FILE"},
			refused{[]string{name, "-data", none}, "no such file"}, refused{[]string{name, "-data", postgres}, "only SQLite files"})
	}
	for _, tc := range all {
		err := run(t.Context(), tc.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: error = %v, want %s", tc.args, err, tc.want)
		}
	}
	if made, err := os.ReadDir(directory); err != nil || len(made) > 0 {
		t.Errorf("files = %v, %v; want none", made, err)
	}
}

// TestCheck checks a file that a server uses, and one that isn't a database.
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
	if err := run(t.Context(), []string{"check", path + "-key"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "the file is damaged") {
		t.Errorf("check of a key: error = %v, want that the file is damaged", err)
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
