package store_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// smallVariable makes the test binary mount a small file system on the directory that it names, in namespaces of its own.
const smallVariable = "AGENTPLANE_TEST_SMALL"

// notAllowed is why the test can't run as a user without privileges on some kernels. Any other failure to mount is one of the test.
const notAllowed = "the kernel doesn't allow a file system of a user's own"

// TestSmallDisk_unraced fills a file system: a backup that doesn't fit leaves nothing, and a server is ready again once there is space, without
// any request but those for that. TestFullDisk and TestBackupFiles run where the kernel doesn't allow mounting.
func TestSmallDisk_unraced(t *testing.T) {
	t.Parallel()
	if directory := os.Getenv(smallVariable); directory != "" {
		onSmallDisk(t, directory)
		return
	}
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v") //nolint:gosec // It runs this test binary.
	process.Env = append(os.Environ(), smallVariable+"="+t.TempDir())
	process.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	output, err := process.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || strings.Contains(string(output), notAllowed) {
		t.Skip(notAllowed)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func onSmallDisk(t *testing.T, directory string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size=4m"); errors.Is(err, os.ErrPermission) {
		t.Fatal(notAllowed)
	} else if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.db")
	s := open(t, large)
	do(t, s, func(tx *store.Tx) error {
		l := listenerOf(1, "large")
		l.ComputeID = strings.Repeat("x", 8<<20)
		return tx.InsertListener(l)
	})
	if err := store.Backup(t.Context(), large, filepath.Join(directory, "backup.db"), ""); !errors.Is(err, store.ErrFull) {
		t.Errorf("backup: error = %v, want ErrFull", err)
	}
	if names := namesIn(t, directory); len(names) > 0 {
		t.Errorf("the backup has left %v", names)
	}

	p := devservertest.New(t, devserver.Config{Data: filepath.Join(directory, "plane.db")})
	filler := filepath.Join(directory, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error = %v, want ENOSPC", err)
	}
	noise := make([]byte, 256<<10)
	_, _ = rand.Read(noise)
	run := devservertest.RootRun(devservertest.Object{"inputs": devservertest.Object{"noise": hex.EncodeToString(noise)}})
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusServiceUnavailable)
	p.Do(http.MethodGet, "/readyz", nil).Want(http.StatusServiceUnavailable)
	devservertest.Must(t, os.Remove(filler))
	for p.Do(http.MethodGet, "/readyz", nil).Status != http.StatusOK {
		time.Sleep(50 * time.Millisecond)
	}
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
}
