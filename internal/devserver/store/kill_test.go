package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

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
	if path := os.Getenv(backupVariable); path != "" {
		backUp(path)
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

// sentTrace is a trace of two runs, of which the child has called a model.
type sentTrace struct {
	root, child, word string
	tokens            int64
	acknowledged      bool
}

// log sends the whole trace in one request, and reports whether the server acknowledged it. at spreads the traces over days.
func (s *sentTrace) log(t *testing.T, url string, at time.Time) bool {
	t.Helper()
	began := at.UTC().Format("20060102T150405000000Z")
	when := devservertest.Object{"start_time": at.UTC().Format(time.RFC3339)}
	root := devservertest.RootRun(when, devservertest.Object{"id": s.root, "trace_id": s.root, "dotted_order": began + s.root})
	child := devservertest.ChildRun(root, when, devservertest.Object{"id": s.child, "dotted_order": began + s.root + "." + began + s.child})
	end := func(run devservertest.Object, outputs devservertest.Object) devservertest.Object {
		return devservertest.Object{
			"id": run["id"], "trace_id": run["trace_id"], "parent_run_id": run["parent_run_id"], "dotted_order": run["dotted_order"],
			"end_time": at.UTC().Add(time.Second).Format(time.RFC3339), "outputs": outputs,
		}
	}
	used := devservertest.Object{"usage_metadata": devservertest.Object{
		"input_tokens": s.tokens - 1, "output_tokens": 1, "total_tokens": s.tokens, "input_cost": "0.000001", "output_cost": "0.000002",
	}}
	request := devservertest.NewUpload(t).Add("post", root).Add("post", child).Add("patch", end(child, used)).
		Add("patch", end(root, devservertest.Object{"answer": s.word})).
		Attach(s.root, "notes", "text/plain", "of "+s.root).Request(url)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusAccepted
}

// TestKill_unraced kills a server several times while clients log runs. Each acknowledged run must be there afterwards, with its figures and its
// attachment; figures that were rolled up must be those of the stored runs, and searches must find them. AGENTPLANE_TEST_KILLS is how often
// it is killed: more often than by default, also later, when the server rolls up and indexes in the background.
func TestKill_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "crashes", 10*time.Second)
	kills, latest := 3, 25
	if text := os.Getenv("AGENTPLANE_TEST_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		latest = 1000
	}
	data := filepath.Join(t.TempDir(), "runs.db")
	var sent []*sentTrace
	for range kills {
		sent = logUntilKilled(t, data, sent, 1+rand.IntN(latest))
	}
	t.Logf("killed %d times, with %d traces", kills, len(sent))
	checkFile(t, data, sent)
	p := devservertest.New(t, devserver.Config{Data: data}).As("X-Tenant-Id", devserver.DefaultWorkspaceID)
	checkFigures(t, p, data, sent)
}

// logUntilKilled serves the file in a process, logs traces with several clients, and kills the process after so many acknowledgements. It returns
// all traces sent so far.
func logUntilKilled(t *testing.T, data string, sent []*sentTrace, acknowledgements int) []*sentTrace {
	t.Helper()
	const writers = 4
	url, kill := startProcess(t, data)
	var mu sync.Mutex
	var all sync.WaitGroup
	enough, dead := make(chan struct{}), make(chan struct{}, writers)
	count := 0
	next := func() (*sentTrace, time.Time) {
		mu.Lock()
		defer mu.Unlock()
		s := &sentTrace{root: uuid.NewString(), child: uuid.NewString(), word: "w" + strings.ReplaceAll(uuid.NewString(), "-", ""), tokens: int64(2 + len(sent))}
		sent = append(sent, s)
		return s, devservertest.Start.Add(time.Duration(len(sent)%500) * 7 * time.Minute)
	}
	for range writers {
		all.Go(func() {
			for {
				s, at := next()
				if s.acknowledged = s.log(t, url, at); !s.acknowledged {
					dead <- struct{}{}
					return // The server has been killed.
				}
				mu.Lock()
				if count++; count == acknowledgements {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-enough:
	case <-dead:
		t.Error("a request failed before the server was killed")
	}
	kill()
	all.Wait()
	return sent
}

// checkFile checks the file, and that it contains what was acknowledged.
func checkFile(t *testing.T, data string, sent []*sentTrace) {
	t.Helper()
	s, err := store.Open(t.Context(), data)
	devservertest.Must(t, err)
	defer s.Close()
	err = s.Read(t.Context(), func(tx *store.Tx) error {
		if found, err := store.Pragma(tx, "integrity_check"); err != nil || found != "ok" {
			t.Errorf("integrity_check finds %s, %v; want ok", found, err)
		}
		for _, one := range sent {
			if !one.acknowledged {
				continue
			}
			for _, id := range []string{one.root, one.child} {
				run, err := tx.Run(devserver.DefaultWorkspaceID, id)
				if err != nil {
					return fmt.Errorf("acknowledged run %s: %w", id, err)
				}
				if run.Status != "success" || id == one.child && run.TotalTokens != one.tokens {
					t.Errorf("run %s has status %s and %d tokens, want success and, of a child, %d: its patch is lost", id, run.Status, run.TotalTokens, one.tokens)
				}
			}
			files, err := tx.Attachments(devserver.DefaultWorkspaceID, one.root)
			if err != nil || len(files) != 1 {
				return fmt.Errorf("run %s has %d attachments, want 1: %w", one.root, len(files), err)
			}
			piece, err := tx.AttachmentPiece(files[0].Seq, 0)
			if err != nil || string(piece) != "of "+one.root {
				t.Errorf("attachment of run %[1]s = %[2]q, %[3]v; want \"of %[1]s\"", one.root, piece, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	devservertest.Must(t, store.IndexRuns(t.Context(), s, true))
}

// figuresOfAll are figures of all runs of the project.
type figuresOfAll struct {
	Runs   int     `json:"run_count"`
	Tokens int64   `json:"total_tokens"`
	Cost   float64 `json:"total_cost"`
}

// aboutEqual compares costs, which tests add up without decimals.
var aboutEqual = cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })

// marked is the number of figures that are still to be rolled up, at most 10,000.
func marked(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	read(t, s, func(tx *store.Tx) error {
		marks, err := tx.RollupMarks(10_000)
		n = len(marks)
		return err
	})
	return n
}

// checkFigures compares figures, once all are rolled up, with what was sent of the runs that are stored.
func checkFigures(t *testing.T, p *devservertest.Plane, data string, sent []*sentTrace) {
	t.Helper()
	s, err := store.Open(t.Context(), data)
	devservertest.Must(t, err)
	defer s.Close()
	for marked(t, s) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	tokens := map[string]int64{}
	for _, one := range sent {
		tokens[one.child] = one.tokens
	}
	var want figuresOfAll
	err = s.Read(t.Context(), func(tx *store.Tx) error {
		stored, err := tx.Runs(store.RunFilter{WorkspaceID: devserver.DefaultWorkspaceID}, true, nil, 1_000_000)
		for _, run := range stored {
			want.Runs++
			want.Tokens += tokens[run.ID]
			if run.TotalTokens > 0 {
				want.Cost += 0.000003
			}
		}
		return err
	})
	devservertest.Must(t, err)
	project := devservertest.Get[[]devservertest.Object](p, "/sessions?name=agents")[0]["id"]
	wantFigures(t, p, project, want)
	checkSearches(t, p, sent)
}

// wantFigures compares the figures of a project, which are rolled up, with those that are expected.
func wantFigures(t *testing.T, p *devservertest.Plane, project any, want figuresOfAll) {
	t.Helper()
	var got figuresOfAll
	reply := p.Do(http.MethodPost, "/runs/stats", devservertest.Object{"session": []any{project}}).Want(http.StatusOK)
	devservertest.Must(t, json.Unmarshal(reply.Body, &got))
	if diff := cmp.Diff(want, got, aboutEqual); diff != "" {
		t.Fatalf("figures (-want +got):\n%s", diff)
	}
}

// checkSearches looks for some acknowledged runs by their words.
func checkSearches(t *testing.T, p *devservertest.Plane, sent []*sentTrace) {
	t.Helper()
	for i := 0; i < len(sent); i += 1 + len(sent)/100 {
		if !sent[i].acknowledged {
			continue
		}
		wantFound(t, p, sent[i].word, sent[i].root)
	}
}

// wantFound checks that a search for a text finds one run.
func wantFound(t *testing.T, p *devservertest.Plane, text, id string) {
	t.Helper()
	reply := p.Do(http.MethodPost, "/runs/query", devservertest.Object{"filter": fmt.Sprintf("search(%q)", text)}).Want(http.StatusOK)
	runs, _ := devservertest.Into[devservertest.Object](reply)["runs"].([]any)
	if len(runs) != 1 || runs[0].(devservertest.Object)["id"] != id {
		t.Errorf("a search for %s finds %v, want run %s", text, runs, id)
	}
}

// startProcess serves the file in a separate process.
func startProcess(t *testing.T, data string) (url string, kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	process := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // It runs this test binary. Cancelling kills it.
	process.Env, process.Stderr = append(os.Environ(), serveVariable+"="+data), os.Stderr
	stdin, err := process.StdinPipe()
	devservertest.Must(t, err)
	out, err := process.StdoutPipe()
	devservertest.Must(t, err)
	devservertest.Must(t, process.Start())
	url, err = bufio.NewReader(out).ReadString('\n')
	devservertest.Must(t, err)
	return strings.TrimSpace(url), func() {
		cancel()
		if err := process.Wait(); err == nil || errors.Is(err, exec.ErrWaitDelay) {
			t.Errorf("the server exited by itself: %v, want it killed", err)
		}
		stdin.Close()
	}
}
