package framework_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestNotes(t *testing.T) {
	t.Parallel()
	notes := framework.Notes{Directory: filepath.Join(t.TempDir(), "plans")}
	take := func(key, want string) {
		t.Helper()
		if got := notes.Take(key); got != want {
			t.Errorf("Take(%q) = %q, want %q", key, got, want)
		}
	}
	take("a", "")
	notes.Leave("a", "first")
	notes.Leave("a", "second")
	notes.Leave("../b", "another")
	take("a", "second")
	take("a", "")
	take("../b", "another")
}

func TestNotes_old(t *testing.T) {
	t.Parallel()
	notes := framework.Notes{Directory: t.TempDir()}
	notes.Leave("old", "text")
	entries, err := os.ReadDir(notes.Directory)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	past := time.Now().Add(-30 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(notes.Directory, entries[0].Name()), past, past); err != nil {
		t.Fatal(err)
	}
	notes.Leave("new", "text")
	if notes.Take("old") != "" || notes.Take("new") == "" {
		t.Error("want only the old note deleted")
	}
}

// TestNotes_nowhere expects no note and no error if notes can't be written.
func TestNotes_nowhere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, notes := range []framework.Notes{{}, {Directory: filepath.Join(file, "plans")}} {
		notes.Leave("a", "text")
		if notes.Take("a") != "" {
			t.Error("Take returned a note, want none")
		}
	}
}
