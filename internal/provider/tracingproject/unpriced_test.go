package tracingproject

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// TestUnpriced tells a count from a service that can't search for calls without a cost.
func TestUnpriced(t *testing.T) {
	t.Parallel()
	null, count := types.Int64Null, types.Int64Value
	for name, test := range map[string]struct {
		status       int
		answer       string
		runs, tokens types.Int64
		fails        bool
	}{
		"some":                   {200, `{"run_count":2,"total_tokens":30,"total_cost":null}`, count(2), count(30), false},
		"without tokens":         {200, `{"run_count":2,"total_tokens":0,"total_cost":null}`, count(2), count(0), false},
		"none":                   {200, `{"run_count":0,"total_tokens":0,"total_cost":null}`, count(0), count(0), false},
		"a cost of 0":            {200, `{"run_count":2,"total_tokens":30,"total_cost":0.00}`, count(2), count(30), false},
		"the filter is ignored":  {200, `{"run_count":9,"total_tokens":90,"total_cost":0.5}`, null(), null(), false},
		"the filter is refused":  {400, `{"detail":"total_cost can't be compared"}`, null(), null(), false},
		"the field is unknown":   {422, `{"detail":[{"loc":["body","filter"],"msg":"no such field"}]}`, null(), null(), false},
		"the key may not read":   {403, `{"error":"Forbidden"}`, null(), null(), true},
		"the service has failed": {500, `{"detail":"boom"}`, null(), null(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked api.RunStatsQuery
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.answer))
			}))
			t.Cleanup(service.Close)
			c, err := client.New(client.Config{BaseURL: service.URL, APIKey: "k", WorkspaceID: "w"})
			if err != nil {
				t.Fatal(err)
			}
			root := true
			runs, tokens, err := unpriced(t.Context(), c, api.RunStatsQuery{
				Session: []string{"p"}, IsRoot: &root, StartTime: "2026-01-01T00:00:00.000000Z", EndTime: "2026-01-02T00:00:00.000000Z",
			})
			if !runs.Equal(test.runs) || !tokens.Equal(test.tokens) || (err != nil) != test.fails {
				t.Errorf("%s runs with %s tokens, %v; want %s with %s, an error: %t", runs, tokens, err, test.runs, test.tokens, test.fails)
			}
			// The bounds are those of the trace: its calls may end later.
			want := api.RunStatsQuery{
				Session: []string{"p"}, StartTime: "2026-01-01T00:00:00.000000Z",
				Filter:      `and(in(run_type, ["llm", "embedding"]), eq(total_cost, null))`,
				TraceFilter: `and(gte(start_time, "2026-01-01T00:00:00.000000Z"), lt(start_time, "2026-01-02T00:00:00.000000Z"))`,
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIncomplete tells counts from a service that doesn't have them.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	null, count, cost := types.Int64Null, types.Int64Value, json.Number("1")
	for name, test := range map[string]struct {
		status          int
		answer          string
		cost            *json.Number
		runs, unchecked types.Int64
		fails           bool
	}{
		"some":                    {200, `{"run_count":9,"cost_incomplete_run_count":2,"cost_unchecked_run_count":3}`, &cost, count(2), count(3), false},
		"no costs":                {500, `{}`, nil, count(0), count(0), false},
		"an unknown selection":    {422, `{"detail":[{"loc":["body","select",1],"msg":"no such metric"}]}`, &cost, null(), null(), false},
		"an ignored selection":    {200, `{"run_count":9,"total_cost":1}`, &cost, null(), null(), false},
		"the service has failed":  {500, `{"detail":"boom"}`, &cost, null(), null(), true},
		"the key may not read it": {403, `{"error":"Forbidden"}`, &cost, null(), null(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, test.status, test.answer)
			runs, unchecked, err := incomplete(t.Context(), c, api.RunStatsQuery{}, &api.RunStats{TotalCost: test.cost})
			if !runs.Equal(test.runs) || !unchecked.Equal(test.unchecked) || (err != nil) != test.fails {
				t.Errorf("%s and %s, %v; want %s and %s, an error: %t", runs, unchecked, err, test.runs, test.unchecked, test.fails)
			}
		})
	}
}

// TestErrorRateWithoutInterrupts tells interrupts from a service that can't search for them.
func TestErrorRateWithoutInterrupts(t *testing.T) {
	t.Parallel()
	null, count := types.Int64Null, types.Int64Value
	for name, test := range map[string]struct {
		failed     float64 // Of ten traces.
		status     int
		answer     string
		interrupts types.Int64
		rate       types.Float64
		fails      bool
	}{
		"some":                   {0.3, 200, `{"run_count":2,"error_rate":1}`, count(2), types.Float64Value(0.1), false},
		"all":                    {0.3, 200, `{"run_count":3,"error_rate":1}`, count(3), types.Float64Value(0), false},
		"one more meanwhile":     {0.3, 200, `{"run_count":4,"error_rate":1}`, count(4), types.Float64Value(0), false},
		"none":                   {0.3, 200, `{"run_count":0,"error_rate":null}`, count(0), types.Float64Value(0.3), false},
		"no failed trace":        {0, 500, `{"detail":"boom"}`, count(0), types.Float64Value(0), false},
		"the filter is ignored":  {0.3, 200, `{"run_count":10,"error_rate":0.3}`, null(), types.Float64Null(), false},
		"the filter is refused":  {0.3, 400, `{"detail":"error can't be compared"}`, null(), types.Float64Null(), false},
		"the service has failed": {0.3, 500, `{"detail":"boom"}`, null(), types.Float64Null(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, test.status, test.answer)
			stats := &api.RunStats{RunCount: 10, ErrorRate: &test.failed}
			interrupts, err := interrupted(t.Context(), c, api.RunStatsQuery{}, stats)
			if rate := errorRateWithout(interrupts, stats); !interrupts.Equal(test.interrupts) || !rate.Equal(test.rate) || (err != nil) != test.fails {
				t.Errorf("%s interrupts, rate %s, %v; want %s, %s, an error: %t", interrupts, rate, err, test.interrupts, test.rate, test.fails)
			}
		})
	}
}

// answering returns a client of a service that answers each request in the same way.
func answering(t *testing.T, status int, answer string) *client.Client {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(service.Close)
	c, err := client.New(client.Config{BaseURL: service.URL, APIKey: "k", WorkspaceID: "w"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
