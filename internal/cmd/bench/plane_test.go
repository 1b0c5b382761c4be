package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// plane is a dev server in this process, with the requests that it has received.
type plane struct {
	server *devserver.Server
	web    *httptest.Server
	seeded devserver.Seeded

	mu       sync.Mutex
	requests int
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
	p.web = httptest.NewServer(p)
	t.Cleanup(func() {
		p.web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ServeHTTP counts a request from the network, which requests by call are not.
func (p *plane) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.server.ServeHTTP(w, r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
}

// seen returns the number of requests since its last call.
func (p *plane) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.requests
	p.requests = 0
	return n
}

// environment returns the environment variables of the provider and the configurations.
func (p *plane) environment() map[string]string {
	return map[string]string{
		"AGENTPLANE_BASE_URL": p.web.URL, "AGENTPLANE_API_KEY": "bench", "AGENTPLANE_WORKSPACE_ID": devserver.DefaultWorkspaceID,
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

// call sends a request without the network and decodes the response into out unless that is nil.
func (p *plane) call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer := httptest.NewRecorder()
	p.server.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(data)))
	if answer.Code >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: status %d: %s", method, path, answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Body.Bytes(), out)
}

// get sends a request through the network, as a provider does.
func get(t *testing.T, p *plane, path string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.web.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d, want 200", path, response.StatusCode)
	}
}

// TestPlaneCounts checks that only requests through the network are counted, and each once.
func TestPlaneCounts(t *testing.T) {
	t.Parallel()
	p := startPlane(t)
	if err := p.call(t.Context(), http.MethodGet, "/v2/deployments", nil, nil); err != nil {
		t.Fatal(err)
	}
	get(t, p, "/v2/deployments")
	get(t, p, "/v2/listeners")
	if first, second := p.seen(), p.seen(); first != 2 || second != 0 {
		t.Errorf("counted %d requests and then %d, want 2 and then 0", first, second)
	}
	if err := p.call(t.Context(), http.MethodGet, "/v2/nothing", nil, nil); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("request to an unknown path: error = %v, want status 404", err)
	}
}
