package seal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestSeal(t *testing.T) {
	t.Parallel()
	key := NewKey()
	sealed := key.Seal("token 1", "hush")
	if bytes.Contains(sealed, []byte("hush")) {
		t.Errorf("the sealed value contains the secret: %q", sealed)
	}
	if opened, err := key.Open("token 1", sealed); opened != "hush" || err != nil {
		t.Errorf("Open = %q, %v; want hush", opened, err)
	}
	if bytes.Equal(sealed, key.Seal("token 1", "hush")) {
		t.Error("sealing the same secret twice gives the same value")
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, try := range map[string]func() (string, error){
		"another purpose": func() (string, error) { return key.Open("token 2", sealed) },
		"another key":     func() (string, error) { return NewKey().Open("token 1", sealed) },
		"changed":         func() (string, error) { return key.Open("token 1", changed) },
		"cut off":         func() (string, error) { return key.Open("token 1", sealed[:nonceSize-1]) },
		"nothing":         func() (string, error) { return key.Open("token 1", nil) },
	} {
		if opened, err := try(); opened != "" || !errors.Is(err, errUnreadable) {
			t.Errorf("%s: Open = %q, %v; want errUnreadable", name, opened, err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data.db-key")
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing file: error = %v, want fs.ErrNotExist", err)
	}
	first, err := Create(path)
	assert.Must(t, err)
	if second, err := Create(path); err != nil || second.Text("p") != first.Text("p") {
		t.Errorf("Create of an existing file replaces its key: %v", err)
	}
	again, err := Open(path)
	assert.Must(t, err)
	if opened, err := again.Open("p", first.Seal("p", "hush")); opened != "hush" || err != nil {
		t.Errorf("Open with the key read from the file = %q, %v; want hush", opened, err)
	}
	info, err := os.Stat(path)
	assert.Must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file = %04o, want 0600", info.Mode().Perm())
	}
	for name, tc := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"readable by others": {func(path string) error { return os.Chmod(path, 0o640) }, "chmod 600"}, //nolint:gosec // The test expects this mode to be refused.
		"cut off":            {func(path string) error { return os.Truncate(path, 7) }, "has 7 bytes, want 32"},
	} {
		path := filepath.Join(t.TempDir(), "key")
		if _, err := Create(path); err != nil {
			t.Fatal(err)
		}
		assert.Must(t, tc.change(path))
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error = %v, want %q", name, err, tc.want)
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "none", "key")); err == nil {
		t.Error("Create in a directory that doesn't exist: error = nil, want one")
	}
}

// TestOpenWhileCreated opens a key that another process is about to write.
func TestOpenWhileCreated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	assert.Must(t, os.WriteFile(path, nil, 0o600))
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(path, bytes.Repeat([]byte{1}, keySize), 0o600) }()
	key, err := Open(path)
	assert.Must(t, errors.Join(err, <-written))
	if want := (Key{bytes.Repeat([]byte{1}, keySize)}); key.Text("p") != want.Text("p") {
		t.Error("the key isn't the one that was written")
	}
}
