package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestPeersSurviveKill lets two processes share a database, and kills one while clients write to both. What it has acknowledged is at the
// other one, which goes on, and at its successor.
func TestPeersSurviveKill(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	data := devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "data")})
	args := []string{"-data", data.Data, "-seal-key", data.SealKey}
	killed, other := startProcess(t, args...), startProcess(t, args...)
	const writers, before = 4, 10
	var mu sync.Mutex
	acknowledged, ended := map[string]bool{}, make(chan struct{})
	var all, enough sync.WaitGroup
	for _, p := range []*process{killed, other} {
		for writer := range writers {
			enough.Add(1)
			all.Go(func() {
				for n := 0; ; n++ {
					name := fmt.Sprintf("chat-%d-%d-%d", p.cmd.Process.Pid, writer, n)
					body, err := json.Marshal(devservertest.ImageRequest(name))
					if err != nil {
						t.Error(err)
					}
					//nolint:noctx // It ends with the process.
					response, err := http.Post(p.url+"/v2/deployments", "application/json", bytes.NewReader(body))
					if err != nil {
						if n < before || p == other {
							t.Errorf("%s: %v", name, err)
						}
						return
					}
					_ = response.Body.Close()
					if response.StatusCode != http.StatusCreated {
						t.Errorf("%s: status %d, want 201", name, response.StatusCode)
					}
					mu.Lock()
					acknowledged[name] = true
					mu.Unlock()
					if n == before {
						enough.Done()
					}
					select {
					case <-ended:
						if p == other {
							return
						}
					default:
					}
				}
			})
		}
	}
	enough.Wait()
	if err := killed.end(syscall.SIGKILL); err == nil {
		t.Error("the process exited with 0, want it killed")
	}
	close(ended)
	all.Wait()
	for _, p := range []*process{other, startProcess(t, args...)} {
		shown := map[string]bool{}
		for offset := 0; ; offset += 100 {
			page, _ := p.do(http.MethodGet, fmt.Sprintf("/v2/deployments?limit=100&offset=%d", offset), nil, http.StatusOK)["resources"].([]any)
			for _, d := range page {
				name, _ := d.(map[string]any)["name"].(string)
				if shown[name] {
					t.Errorf("the name %s is there twice", name)
				}
				shown[name] = true
			}
			if len(page) < 100 {
				break
			}
		}
		for name := range acknowledged {
			if !shown[name] {
				t.Errorf("%s was acknowledged, but isn't there", name)
			}
		}
	}
}
