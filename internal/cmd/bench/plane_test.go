package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
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
	if p.answeredAt("/v2/listeners").IsZero() || !p.answeredAt("/v2/integrations").IsZero() {
		t.Error("answeredAt is wrong: want a time for /v2/listeners and none for /v2/integrations")
	}
	if err := p.call(t.Context(), http.MethodGet, "/v2/nothing", nil, nil); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("request to an unknown path: error = %v, want status 404", err)
	}
}

func TestLateness(t *testing.T) {
	t.Parallel()
	p := startPlane(t)
	if _, err := p.lateness(t.Context()); err == nil || !strings.Contains(err.Error(), "no deployments") {
		t.Errorf("without deployments: error = %v, want one that says so", err)
	}
	id, err := createDeployment(t.Context(), p, "late")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.lateness(t.Context()); err == nil || !strings.Contains(err.Error(), "its last answer left at") {
		t.Errorf("without a response after the rollout: error = %v, want one that says so", err)
	}
	var deployment struct {
		Revision string `json:"latest_revision_id"`
	}
	if err := p.call(t.Context(), http.MethodGet, "/v2/deployments/"+id, nil, &deployment); err != nil {
		t.Fatal(err)
	}
	get(t, p, "/v2/deployments/"+id+"/revisions/"+deployment.Revision)
	late, err := p.lateness(t.Context())
	if err != nil || len(late) != 1 || late[0] < 0 || late[0] > time.Minute {
		t.Errorf("lateness = %v, %v; want one duration of up to a minute", late, err)
	}
}
