package rest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// scrape returns what Prometheus would read.
func scrape(t *testing.T, m *rest.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if answer.Code != http.StatusOK {
		t.Fatalf("status %d: %s", answer.Code, answer.Body)
	}
	text, err := io.ReadAll(answer.Body)
	devservertest.Must(t, err)
	return string(text)
}

// TestMetrics checks names, units, labels and values.
func TestMetrics(t *testing.T) {
	t.Parallel()
	var down error
	m := rest.NewMetrics("1.2.3", rest.MetricSources{
		InFlight: func() int64 { return 5 }, WritersWaiting: func() int64 { return 2 }, ReadersInUse: func() int64 { return 3 },
		Rollouts: func() (map[string]int64, error) { return map[string]int64{"BUILDING": 4}, down },
	})
	m.Request("/v2/deployments/{deployment_id}", "GET", 200, 30*time.Millisecond)
	m.Request("GET /ui/deployments", "GET", 404, time.Millisecond)
	m.Request("/", "BREW", 404, time.Millisecond)
	m.Request("", "POST", 0, time.Millisecond)
	m.Refused("busy")
	m.Logged(rest.LoggedRuns, 7, 1)
	m.Logged(rest.LoggedSpans, 8, 2)
	m.Wrote(3 * time.Millisecond)
	text := scrape(t, m)
	for _, want := range []string{
		`agentplane_http_requests_total{method="GET",route="/v2/deployments/{deployment_id}",status="2xx"} 1`,
		`agentplane_http_requests_total{method="GET",route="/ui/deployments",status="4xx"} 1`,
		`agentplane_http_requests_total{method="other",route="unserved",status="4xx"} 1`,
		`agentplane_http_requests_total{method="POST",route="unserved",status="none"} 1`,
		`agentplane_http_request_duration_seconds_bucket{method="GET",service="control plane",le="0.025"} 0`,
		`agentplane_http_request_duration_seconds_bucket{method="GET",service="control plane",le="0.05"} 1`,
		`agentplane_http_request_duration_seconds_count{method="GET",service="pages"} 1`,
		`agentplane_http_request_duration_seconds_count{method="POST",service="server"} 1`,
		`agentplane_http_request_seconds_total{method="GET",route="/v2/deployments/{deployment_id}"} 0.03`,
		`agentplane_http_requests_refused_total{reason="busy"} 1`,
		`agentplane_runs_ingested_total 7`, `agentplane_runs_refused_total 1`, `agentplane_spans_ingested_total 8`, `agentplane_spans_refused_total 2`,
		`agentplane_database_write_transaction_duration_seconds_bucket{le="0.0025"} 0`, `agentplane_database_write_transaction_duration_seconds_bucket{le="0.005"} 1`,
		`agentplane_http_bodies_in_flight_bytes 5`, `agentplane_database_writers_waiting 2`, `agentplane_database_readers_in_use 3`,
		`agentplane_database_up 1`, `agentplane_rollouts{status="BUILDING"} 4`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("the metrics lack %s:\n%s", want, regexp.MustCompile(`(?m)^(#|go_).*\n`).ReplaceAllString(text, ""))
		}
	}
	for _, want := range []string{`agentplane_build_info{go_version="go1`, `version="1.2.3"} 1`, "\ngo_goroutines "} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	devservertest.Must(t, err)
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	down = errors.New("connection refused")
	if text := scrape(t, m); !strings.Contains(text, "\nagentplane_database_up 0\n") || strings.Contains(text, "agentplane_rollouts{") {
		t.Error("without the database, the metrics don't say that it is down")
	}
}
