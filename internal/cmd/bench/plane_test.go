package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// plane is a dev server in this process, with the number of requests that it has received.
type plane struct {
	addresses
	server   *devserver.Server
	seeded   devserver.Seeded
	requests atomic.Int64
	latency  time.Duration // Of each request.
}

// startPlane starts a dev server in memory whose rollouts take no time. Requests for model prices would depend on the number of default ones.
func startPlane(t testing.TB) *plane {
	t.Helper()
	return openPlane(t, devserver.Config{DevAPI: true, NoDefaultPrices: true})
}

func openPlane(t testing.TB, config devserver.Config) *plane {
	t.Helper()
	server, err := devserver.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p := &plane{server: server}
	if p.seeded, err = server.Seed(t.Context(), devserver.DefaultWorkspaceID); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(p)
	p.urls = []string{web.URL}
	t.Cleanup(func() {
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ServeHTTP implements http.Handler.
func (p *plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	time.Sleep(p.latency)
	p.server.ServeHTTP(w, r)
}

// seen returns the number of requests since its last call.
func (p *plane) seen() int { return int(p.requests.Swap(0)) }

// environment returns the environment variables of the provider and the configurations.
func (p *plane) environment() map[string]string {
	return map[string]string{
		"AGENTPLANE_BASE_URL": p.urls[0], "AGENTPLANE_API_KEY": "bench", "AGENTPLANE_WORKSPACE_ID": devserver.DefaultWorkspaceID,
		"TF_VAR_listener_id": p.seeded.ListenerID, "TF_VAR_k8s_namespace": p.seeded.K8sNamespaces[0],
	}
}

// environ is environment for a process.
func (p *plane) environ() []string {
	var variables []string
	for name, value := range p.environment() {
		variables = append(variables, name+"="+value)
	}
	return variables
}

// object is a JSON object.
type object = map[string]any

var client = http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// addresses are those of the processes of a dev server.
type addresses struct {
	urls []string
	sent atomic.Int64
}

// call sends a request to the next process and decodes the response into out unless that is nil.
func (a *addresses) call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	url := a.urls[int(a.sent.Add(1))%len(a.urls)] + path
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", "bench")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %.1000s", method, path, response.StatusCode, &answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Bytes(), out)
}
