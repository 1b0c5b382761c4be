package tracing_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// emptyBucket returns a step in which no runs began.
func emptyBucket(began string, changes object) object {
	bucket := object{
		"start": "2026-05-02T" + began + ".000000Z", "runs": 0.0, "errors": 0.0, "prompt_tokens": 0.0, "completion_tokens": 0.0,
		"total_tokens": 0.0, "total_cost": nil, "latency_p50": nil, "latency_p99": nil, "first_token_p50": nil, "first_token_p99": nil,
	}
	maps.Copy(bucket, changes)
	return bucket
}

func TestSeries(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	path := "/dev/sessions/" + seeded.project + "/series"
	agent := object{"runs": 1.0, "prompt_tokens": 30.0, "completion_tokens": 15.0, "total_tokens": 45.0, "total_cost": "0.09",
		"latency_p50": 4.0, "latency_p99": 4.0, "first_token_p50": 1.0, "first_token_p99": 1.0}
	chat := object{"runs": 1.0, "errors": 1.0, "prompt_tokens": 100.0, "completion_tokens": 50.0, "total_tokens": 150.0,
		"latency_p50": 2.0, "latency_p99": 2.0, "first_token_p50": 0.5, "first_token_p99": 0.5}
	buyer := object{"runs": 1.0, "total_cost": "0.5", "latency_p50": 1.0, "latency_p99": 1.0}
	for name, test := range map[string]struct {
		query          string
		from, to, step string
		want           []any
	}{
		// The last step is cut off.
		"minutes": {"?from=2026-05-02T09:59:00Z&to=2026-05-02T10:03:30Z&step=1m", "09:59:00", "10:03:30", "1m0s", []any{
			emptyBucket("09:59:00", nil), emptyBucket("10:00:00", agent), emptyBucket("10:01:00", chat),
			emptyBucket("10:02:00", object{"runs": 1.0}), emptyBucket("10:03:00", buyer),
		}},
		"together": {"?from=2026-05-02T10:00:00Z&to=2026-05-02T10:02:00Z&step=1h", "10:00:00", "10:02:00", "1h0m0s", []any{
			emptyBucket("10:00:00", object{"runs": 2.0, "errors": 1.0, "prompt_tokens": 130.0, "completion_tokens": 65.0, "total_tokens": 195.0,
				"total_cost": "0.09", "latency_p50": 3.0, "latency_p99": 3.98, "first_token_p50": 0.75, "first_token_p99": 0.995}),
		}},
		// Runs that began at the end, or before the beginning, aren't included.
		"the end": {"?from=2026-05-02T10:02:30Z&to=2026-05-02T10:03:00Z&step=30s", "10:02:30", "10:03:00", "30s", []any{
			emptyBucket("10:02:30", nil),
		}},
		"a step": {"?to=2026-05-02T10:04:00Z&step=5s&from=2026-05-02T10:03:55Z", "10:03:55", "10:04:00", "5s", []any{emptyBucket("10:03:55", nil)}},
	} {
		want := object{"session_id": seeded.project, "from": "2026-05-02T" + test.from + ".000000Z", "to": "2026-05-02T" + test.to + ".000000Z",
			"step": test.step, "buckets": test.want}
		devservertest.Same(t, name, want, devservertest.Get[object](p, path+test.query), nearly)
	}
}

// TestSeriesByDefault checks that the default is the last 24 hours, or 24 steps.
func TestSeriesByDefault(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	p.Clock.Advance(90 * time.Minute)
	for step, runs := range map[string]float64{"": 4, "?step=2m": 0, "?step=2h": 4} {
		answer := devservertest.Get[object](p, "/dev/sessions/"+seeded.project+"/series"+step)
		buckets := answer["buckets"].([]any)
		found := 0.0
		for _, b := range buckets {
			found += b.(object)["runs"].(float64)
		}
		if len(buckets) != 24 || found != runs || answer["to"] != "2026-05-02T11:30:00.000000Z" {
			t.Errorf("step %q: %d steps with %v runs to %v, want 24 with %v", step, len(buckets), found, answer["to"], runs)
		}
	}
}

func TestSeriesRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	createSession(p, "", object{"id": projectA, "name": "chat"})
	path := "/dev/sessions/" + projectA + "/series"
	for query, want := range map[string]string{
		"?step=often":               "step time_delta_parsing",
		"?step=0s":                  "step time_delta_parsing",
		"?step=-1h":                 "step time_delta_parsing",
		"?from=noon":                "from datetime_parsing",
		"?from=2026-05-02T10:00:00": "from value_error", // This is the current time, at which the series ends.
		"?from=2026-05-01T00:00:00&to=2026-04-01T00:00:00":                  "from value_error",
		"?from=2026-01-01T00:00:00&to=2026-01-01T16:40:00.000001&step=1m":   "step value_error",
		"?from=2020-01-01T00:00:00&to=2026-01-01T00:00:00&step=1h&x=unread": "step value_error",
	} {
		got := devservertest.Problems(p.Do(http.MethodGet, path+query, nil).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, query, []string{want}, got)
	}
	longest := devservertest.Get[object](p, path+"?from=2026-01-01T00:00:00&to=2026-01-01T16:40:00&step=1m")
	if n := len(longest["buckets"].([]any)); n != 1000 {
		t.Errorf("the longest series has %d steps, want 1000", n)
	}
	p.Do(http.MethodGet, "/dev/sessions/chat/series", nil).Want(http.StatusUnprocessableEntity)
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, path, nil).Want(http.StatusNotFound).WantDetail("Session ID " + projectA + " not found.")
	p.Do(http.MethodPost, path, object{}).Want(http.StatusMethodNotAllowed)
}
