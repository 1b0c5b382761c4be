package devserver_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestMetrics sends requests of all kinds, and reads what Prometheus would read afterwards.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Version: "1.2.3", Keys: []devserver.Key{{Value: "k", Workspaces: []string{devservertest.WorkspaceA}}}}).As("X-Api-Key", "k")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	devservertest.Must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.ServeMetrics(ctx, listener) }()
	scrape := func(host string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/metrics", http.NoBody)
		devservertest.Must(t, err)
		request.Host = host
		answer, err := p.Web.Client().Do(request)
		devservertest.Must(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		devservertest.Must(t, err)
		return answer.StatusCode, string(text)
	}

	d := p.Create(devservertest.ImageRequest("chat"))
	p.Deployment(d.ID)
	p.Do(http.MethodGet, "/api-host/v2/deployments/"+uuid.NewString(), nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/nowhere/"+uuid.NewString(), nil).Want(http.StatusNotFound)
	p.Do("BREW", "/v2/deployments", nil).Want(http.StatusMethodNotAllowed)
	p.As().Do(http.MethodGet, "/v2/deployments", nil).Want(http.StatusUnauthorized)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{devservertest.RootRun(), devservertest.RootRun()}}).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{object{"name": 5}, devservertest.RootRun()}})
	p.As("X-Api-Key", "k", "Content-Type", "application/json").Do(http.MethodPost, "/otel/v1/traces",
		`{"resourceSpans": [{"scopeSpans": [{"spans": [
			{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "a", "startTimeUnixNano": "1777716000000000000", "endTimeUnixNano": "1777716001000000000"},
			{"traceId": "", "spanId": "", "name": "b", "startTimeUnixNano": "1777716000000000000", "endTimeUnixNano": "1777716001000000000"}
		]}]}]}`).Want(http.StatusOK)
	if status, _ := scrape("rebound.example"); status != http.StatusForbidden {
		t.Errorf("metrics for another host: status %d, want 403", status)
	}
	status, text := scrape("")
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	for _, want := range []string{
		`agentplane_http_requests_total{method="POST",route="/v2/deployments",status="2xx"} 1`,
		`agentplane_http_requests_total{method="GET",route="/v2/deployments/{deployment_id}",status="2xx"} 1`,
		`agentplane_http_requests_total{method="GET",route="/v2/deployments/{deployment_id}",status="4xx"} 1`,
		`agentplane_http_requests_total{method="GET",route="unserved",status="4xx"} 1`,
		`agentplane_http_requests_total{method="other",route="/v2/deployments",status="4xx"} 1`,
		`agentplane_http_requests_refused_total{reason="unauthorized"} 1`,
		`agentplane_http_requests_refused_total{reason="not_found"} 2`,
		`agentplane_runs_ingested_total 2`, `agentplane_spans_ingested_total 1`, `agentplane_spans_refused_total 1`,
		`agentplane_rollouts{status="DEPLOYED"} 1`, `agentplane_rollouts{status="BUILDING"} 0`, `agentplane_database_up 1`,
		`agentplane_database_writers_waiting 0`, `agentplane_http_bodies_in_flight_bytes 0`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("the metrics lack %s:\n%s", want, strings.Join(regexp.MustCompile(`(?m)^agentplane_.*[^_]([a-z]*){.*$`).FindAllString(text, 60), "\n"))
		}
	}
	if found := regexp.MustCompile(`agentplane_database_write_transaction_duration_seconds_count [1-9]`); !found.MatchString(text) {
		t.Error("no transaction was measured")
	}
	if strings.Contains(text, d.ID) || strings.Contains(text, "nowhere") || strings.Contains(text, devservertest.WorkspaceA) {
		t.Error("a label has what only one request had")
	}
	stop()
	devservertest.Must(t, <-ended)
}
