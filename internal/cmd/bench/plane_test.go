package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

func startPlane(t testing.TB) *plane {
	t.Helper()
	p, err := newPlane(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
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
