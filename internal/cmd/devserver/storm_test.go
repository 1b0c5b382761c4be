package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// storm is two servers on one database behind a proxy, and what they have acknowledged.
type storm struct {
	t      *testing.T
	url    string
	writes sync.Map // Paths of what was acknowledged.
	number struct {
		sync.Mutex
		acknowledged, failed int
	}
	over  chan struct{}
	shown atomic.Bool // The browser has seen the last deployment.
}

// TestStorm_unraced kills one of two servers behind a proxy again and again, and PostgreSQL once, while clients write and a browser watches.
// No acknowledged write is lost, no name is there twice, no rollout is stuck, and the browser sees what comes last. AGENTPLANE_TEST_STORM
// is how long.
func TestStorm_unraced(t *testing.T) {
	postgrestest.Required(t)
	length, pause := 8*time.Second, time.Second
	if text := os.Getenv("AGENTPLANE_TEST_STORM"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		pause = 3 * time.Second
	}
	database, err := postgrestest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := database.Stop(); err != nil {
			t.Error(err)
		}
	}()
	key := filepath.Join(t.TempDir(), "key")
	servers, addresses := make([]*process, 2), make([]string, 2)
	start := func(n int) {
		servers[n] = startProcess(t, "-data", database.Address("postgres"), "-seal-key", key, "-rollout", "1s", "-addr", addresses[n])
	}
	for n := range servers {
		addresses[n] = devservertest.FreeAddress(t)
		start(n)
	}
	s := &storm{t: t, url: devservertest.Proxy(t, addresses...), over: make(chan struct{})}

	var clients sync.WaitGroup
	for writer := range 4 {
		clients.Go(func() { s.deploy(writer) })
		clients.Go(s.log)
	}
	go s.watch()
	kills := 0
	for end, crashed := time.Now().Add(length), false; time.Now().Before(end); kills++ {
		time.Sleep(pause)
		n := kills % len(servers)
		_ = servers[n].end(syscall.SIGKILL) // It reports the signal.
		start(n)
		if !crashed && time.Until(end) < length/2 {
			crashed = true
			if err := database.Crash(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
			if err := database.Up(); err != nil {
				t.Fatal(err)
			}
			s.await("the servers have their database again", func() bool { return s.get("/readyz") != nil })
		}
	}
	close(s.over)
	clients.Wait()
	t.Logf("%d kills and a crash of the database: %d writes were acknowledged, %d failed", kills, s.number.acknowledged, s.number.failed)
	if s.number.acknowledged == 0 || s.number.failed == 0 {
		t.Error("want some writes to be acknowledged, and some to fail")
	}
	s.writes.Range(func(path, _ any) bool {
		if s.get(path.(string)) == nil {
			t.Errorf("%s was acknowledged, but isn't there", path)
		}
		return true
	})
	s.await("the last deployment is created", func() bool { return s.create("the-last") != "" })
	s.await("the browser sees the last deployment", s.shown.Load)
	s.await("all rollouts have ended", s.settled)
}

// await waits up to a minute.
func (s *storm) await(what string, done func() bool) {
	s.t.Helper()
	for began := time.Now(); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			s.t.Fatalf("after a minute, it isn't true that %s", what)
		}
	}
}

// send returns the response to a request, or nil if it failed.
func (s *storm) send(method, path string, body any, wanted int) []byte {
	encoded, err := json.Marshal(body)
	if err != nil {
		s.t.Error(err)
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(encoded))
	if err != nil {
		s.t.Error(err)
		return nil
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != wanted {
		return nil
	}
	return answer
}

func (s *storm) get(path string) []byte { return s.send(http.MethodGet, path, nil, http.StatusOK) }

// note notes a write, and says whether to go on.
func (s *storm) note(path string) bool {
	s.number.Lock()
	if path == "" {
		s.number.failed++
	} else {
		s.number.acknowledged++
		s.writes.Store(path, true)
	}
	s.number.Unlock()
	select {
	case <-s.over:
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

// create returns the path of a new deployment, or nothing if its creation isn't acknowledged.
func (s *storm) create(name string) string {
	var created struct{ ID string }
	answer := s.send(http.MethodPost, "/v2/deployments", devservertest.ImageRequest(name), http.StatusCreated)
	if json.Unmarshal(answer, &created) != nil {
		return ""
	}
	return "/v2/deployments/" + created.ID
}

// deploy creates deployments.
func (s *storm) deploy(writer int) {
	for n := 0; s.note(s.create(fmt.Sprintf("chat-%d-%d", writer, n))); n++ {
	}
}

// log logs traces.
func (s *storm) log() {
	for more := true; more; {
		id, path := uuid.NewString(), ""
		run := map[string]any{"id": id, "name": "agent", "run_type": "chain", "start_time": time.Now().UTC().Format(time.RFC3339Nano), "inputs": map[string]any{}}
		if s.send(http.MethodPost, "/runs", run, http.StatusAccepted) != nil {
			path = "/runs/" + id
		}
		more = s.note(path)
	}
}

// watch loads the list of deployments again and again, as an open page does.
func (s *storm) watch() {
	for ; s.t.Context().Err() == nil; time.Sleep(time.Second) {
		if bytes.Contains(s.get("/ui/deployments"), []byte("the-last")) {
			s.shown.Store(true)
		}
	}
}

// settled reports whether every deployment has a name of its own, and is deployed.
func (s *storm) settled() bool {
	names := map[string]bool{}
	for offset := 0; ; offset += 100 {
		var page struct {
			Resources []struct {
				Name   string
				Active *string `json:"active_revision_id"`
				Latest *string `json:"latest_revision_id"`
			}
		}
		if err := json.Unmarshal(s.get(fmt.Sprintf("/v2/deployments?limit=100&offset=%d", offset)), &page); err != nil {
			s.t.Error(err)
			return true
		}
		for _, d := range page.Resources {
			if names[d.Name] {
				s.t.Errorf("the name %s is there twice", d.Name)
			}
			names[d.Name] = true
			if d.Active == nil || d.Latest == nil || *d.Active != *d.Latest {
				return false
			}
		}
		if len(page.Resources) < 100 {
			return true
		}
	}
}
