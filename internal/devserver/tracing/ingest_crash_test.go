package tracing_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// serveVariable makes the test binary run as a server on the file that it names, so that the process can be killed.
const serveVariable = "AGENTPLANE_TEST_SERVE"

func TestMain(m *testing.M) {
	if data := os.Getenv(serveVariable); data != "" {
		serve(data)
	}
	os.Exit(m.Run())
}

// serve prints its URL, and exits when its standard input is closed, in case it isn't killed.
func serve(data string) {
	server, err := devserver.New(devserver.Config{Data: data})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(httptest.NewServer(server).URL)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0)
}

// TestKill checks that a server that is killed while clients log runs loses no acknowledged run.
func TestKill(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "crashes", 10*time.Second)
	const kills, writers, acknowledgements = 3, 4, 25
	data := filepath.Join(t.TempDir(), "runs.db")
	var acknowledged []string
	for range kills {
		url, kill := startProcess(t, data)
		var mu sync.Mutex
		var all sync.WaitGroup
		enough := make(chan struct{})
		count := 0
		for range writers {
			all.Go(func() {
				for {
					id, ok := logOne(t, url)
					if !ok {
						return // The server has been killed.
					}
					mu.Lock()
					acknowledged = append(acknowledged, id)
					if count++; count == acknowledgements {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		kill()
		all.Wait()
	}
	s, err := store.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Do(t.Context(), func(tx *store.Tx) error {
		for _, id := range acknowledged {
			run, err := tx.Run(devserver.DefaultWorkspaceID, id)
			if err != nil {
				return fmt.Errorf("acknowledged run %s: %w", id, err)
			}
			if run.Status != "success" {
				t.Errorf("run %s has status %s, want success: its patch is lost", id, run.Status)
			}
			files, err := tx.Attachments(devserver.DefaultWorkspaceID, id)
			if err != nil {
				return err
			}
			if len(files) != 1 {
				t.Errorf("run %s has %d attachments, want 1", id, len(files))
				continue
			}
			piece, err := tx.AttachmentPiece(files[0].Seq, 0)
			if err != nil || string(piece) != "of "+id {
				t.Errorf("attachment of run %[1]s = %[2]q, %[3]v; want \"of %[1]s\"", id, piece, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// logOne logs a run with an attachment. It reports whether the server acknowledged it.
func logOne(t *testing.T, url string) (id string, ok bool) {
	run := devservertest.RootRun()
	id = run["id"].(string)
	request := devservertest.NewUpload(t).Add("post", run).
		Add("patch", object{"id": id, "trace_id": id, "dotted_order": run["dotted_order"], "end_time": "2026-05-02T10:00:01Z"}).
		Attach(id, "notes", "text/plain", "of "+id).Request(url)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return id, false
	}
	defer response.Body.Close()
	return id, response.StatusCode == http.StatusAccepted
}

// startProcess serves the file in a separate process.
func startProcess(t *testing.T, data string) (url string, kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	process := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // It runs this test binary. Cancelling kills it.
	process.Env, process.Stderr = append(os.Environ(), serveVariable+"="+data), os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url), func() {
		cancel()
		if err := process.Wait(); err == nil || errors.Is(err, exec.ErrWaitDelay) {
			t.Errorf("the server exited by itself: %v, want it killed", err)
		}
		stdin.Close()
	}
}
