package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// runPages serves pages with the given numbers of runs. Their cursors are "1", "2" and so on.
func runPages(sizes ...int) http.HandlerFunc {
	pages := make([]http.HandlerFunc, len(sizes))
	id := 0
	for i, size := range sizes {
		page := api.RunPage{Items: make([]api.Run, size), HasMore: i < len(sizes)-1}
		for n := range page.Items {
			page.Items[n].ID = uuidOf(id)
			id++
		}
		if page.HasMore {
			page.NextCursor = fmt.Sprint(i + 1)
		}
		pages[i] = answerWith(http.StatusOK, page)
	}
	return script(pages...)
}

// askedRuns returns the queries that the service received.
func askedRuns(t *testing.T, s *service) []api.RunQuery {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	queries := make([]api.RunQuery, len(s.requests))
	for i, r := range s.requests {
		if r.Method+" "+r.Path != "POST /api/v2/runs/query" {
			t.Errorf("request = %s %s, want POST /api/v2/runs/query", r.Method, r.Path)
		}
		if err := json.Unmarshal([]byte(r.Body), &queries[i]); err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
	}
	return queries
}

// TestQueryRuns follows the cursors as far as necessary, and requests no more runs than needed.
func TestQueryRuns(t *testing.T) {
	t.Parallel()
	query := api.RunQuery{ProjectIDs: []string{"p1"}, RunType: "LLM", Selects: []string{"NAME"}, Cursor: "stale", PageSize: 7}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		limit  int
		runs   int
		// pages has the page size and the cursor of each query.
		pages []string
	}{
		"none":                {runPages(0), 100, 0, []string{"100 "}},
		"one page":            {runPages(2), 100, 2, []string{"100 "}},
		"more pages":          {runPages(2, 3, 1), 100, 6, []string{"100 ", "98 1", "95 2"}},
		"an empty page":       {runPages(0, 1), 100, 1, []string{"100 ", "100 1"}},
		"as many as asked":    {runPages(2, 3), 2, 2, []string{"2 "}},
		"more than asked":     {runPages(3), 2, 2, []string{"2 "}},
		"more than a page":    {runPages(1000, 500), 1500, 1500, []string{"1000 ", "500 1"}},
		"throttled":           {script(answerWith(429, nil), runPages(1)), 1, 1, []string{"1 ", "1 "}},
		"down for a moment":   {script(answerWith(500, nil), runPages(1)), 1, 1, []string{"1 ", "1 "}},
		"answer lost":         {script(hangUp, runPages(1)), 1, 1, []string{"1 ", "1 "}},
		"response broke off":  {script(breakOff, runPages(1)), 1, 1, []string{"1 ", "1 "}},
		"lost on second page": {script(answerWith(200, `{"items":[{"id":"d0000007-0000-4000-8000-000000000000"}],"next_cursor":"1"}`), hangUp, runPages(1)), 2, 2, []string{"2 ", "1 1", "1 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			got, err := c.QueryRuns(t.Context(), query, test.limit)
			if err != nil || len(got) != test.runs || got == nil {
				t.Fatalf("%d runs, %v; want %d", len(got), err, test.runs)
			}
			var pages []string
			for _, asked := range askedRuns(t, s) {
				pages = append(pages, fmt.Sprintf("%d %s", asked.PageSize, asked.Cursor))
				asked.Cursor, asked.PageSize = query.Cursor, query.PageSize
				if diff := cmp.Diff(query, asked); diff != "" {
					t.Errorf("query (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(test.pages, pages); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestQueryRunsFails distinguishes an installation without the operation from one that refuses the query.
func TestQueryRunsFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer   http.HandlerFunc
		status   int
		err      string
		requests int
	}{
		"refused":            {answerWith(422, `{"detail":[{"loc":["body","filter"],"msg":"no such field"}]}`), 422, "body.filter: no such field", 1},
		"problem":            {answerWith(400, `{"type":"x","title":"Bad","status":400,"detail":"no such cursor"}`), 400, "no such cursor", 1},
		"no list":            {answerWith(200, `{"runs":[]}`), 200, `no list "items"; check tracing_url`, 1},
		"the cursor repeats": {answerWith(200, `{"items":[],"next_cursor":"1"}`), 200, "so the remaining runs can't be read", 2},
		"stays down":         {answerWith(503, `{"detail":"busy"}`), 503, "busy (after 4 attempts)", 4},
		"an old one":         {answerWith(404, `{"detail":"Not Found"}`), 404, "POST /api/v2/runs/query: 404 Not Found", 1},
		"a page":             {answerWith(404, "<title>Lost</title>"), 404, "an HTML page instead of JSON", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			got, err := c.QueryRuns(t.Context(), api.RunQuery{}, 10)
			if err == nil || got != nil || StatusOf(err) != test.status || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%d runs, %v; want status %d and %q", len(got), err, test.status, test.err)
			}
			if n := len(s.calls()); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}

func TestGetRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		id     string
		none   bool
		err    string
	}{
		"found":        {answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"call","run_type":"LLM","total_cost":0.0000650}`), uuidOf(1), false, ""},
		"none":         {answerWith(404, `{"detail":"Run not found"}`), "r/1", true, "Run not found"},
		"an old one":   {answerWith(404, `{"detail":"Not Found"}`), uuidOf(1), false, "404 Not Found: Not Found"},
		"no run":       {answerWith(200, `{"items":[]}`), uuidOf(1), false, "is not a run"},
		"no type":      {answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"call"}`), uuidOf(1), false, "no run_type"},
		"no id at all": {nil, "", false, "is not an ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			got, err := c.GetRun(t.Context(), "p1", test.id, "NAME", "RUN_TYPE", "TOTAL_COST")
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error = %v, want %q", err, test.err)
			}
			if IsNotFound(err) != test.none {
				t.Errorf("IsNotFound(%v) = %v, want %v", err, !test.none, test.none)
			}
			if err == nil {
				cost := json.Number("0.0000650") // With all its digits.
				if diff := cmp.Diff(&api.Run{ID: uuidOf(1), Name: "call", RunType: "LLM", TotalCost: &cost}, got); diff != "" {
					t.Errorf("run (-want +got):\n%s", diff)
				}
			}
			if test.answer == nil {
				return
			}
			asked := s.last(t)
			if want := "/api/v2/runs/" + url.PathEscape(test.id); asked.Path != want {
				t.Errorf("path = %s, want %s", asked.Path, want)
			}
			want := url.Values{"project_id": {"p1"}, "selects": {"ID", "NAME", "RUN_TYPE", "TOTAL_COST"}}
			if diff := cmp.Diff(want, asked.Query); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRunStats checks that the query is sent again after a lost reply: it changes nothing.
func TestRunStats(t *testing.T) {
	t.Parallel()
	root := true
	query := api.RunStatsQuery{Session: []string{"p1"}, StartTime: "2026-01-02T00:00:00.000000Z", IsRoot: &root}
	stats := `{"run_count":2,"latency_p50":1.5,"total_tokens":30,"total_cost":0.00006500,"error_rate":0.5}`
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		asked  int
		err    string
	}{
		"answered":    {answerWith(200, stats), 1, ""},
		"answer lost": {script(hangUp, answerWith(200, stats)), 2, ""},
		"throttled":   {script(answerWith(429, nil), answerWith(200, stats)), 2, ""},
		"refused":     {answerWith(403, `{"error":"Forbidden"}`), 1, "Forbidden"},
		"no stats":    {answerWith(200, `[]`), 1, "not the expected JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			got, err := c.RunStats(t.Context(), query)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error = %v, want %q", err, test.err)
			}
			if err == nil {
				latency, share, cost := 1.5, 0.5, json.Number("0.00006500")
				want := &api.RunStats{RunCount: 2, LatencyP50: &latency, TotalTokens: 30, TotalCost: &cost, ErrorRate: &share}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("stats (-want +got):\n%s", diff)
				}
			}
			if n := len(s.calls()); n != test.asked {
				t.Errorf("%d requests, want %d", n, test.asked)
			}
			asked := s.last(t)
			var sent api.RunStatsQuery
			if err := json.Unmarshal([]byte(asked.Body), &sent); err != nil || asked.Path != "/api/v1/runs/stats" {
				t.Fatalf("request = %s %s (%v), want /api/v1/runs/stats with JSON", asked.Path, asked.Body, err)
			}
			if diff := cmp.Diff(query, sent); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

const alreadyReceived = `{"error":"Conflict: payload already received: payloads already received"}`

// TestRunsAreSentAgain checks that a run is sent again after a transient failure, and not after a permanent one.
func TestRunsAreSentAgain(t *testing.T) {
	t.Parallel()
	accepted := answerWith(http.StatusAccepted, nil)
	for name, test := range map[string]struct {
		handlers []http.HandlerFunc
		requests int
		status   int // The error's status; 0: success.
		lost     bool
	}{
		"accepted":           {[]http.HandlerFunc{accepted}, 1, 0, false},
		"429":                {[]http.HandlerFunc{answerWith(429, nil), accepted}, 2, 0, false},
		"503":                {[]http.HandlerFunc{answerWith(503, nil), accepted}, 2, 0, false},
		"502":                {[]http.HandlerFunc{answerWith(502, "<html>"), accepted}, 2, 0, false},
		"hang-up":            {[]http.HandlerFunc{hangUp, accepted}, 2, 0, false},
		"hang-up, was taken": {[]http.HandlerFunc{hangUp, answerWith(409, alreadyReceived)}, 2, 0, false},
		"was taken before":   {[]http.HandlerFunc{answerWith(409, alreadyReceived)}, 1, 0, false},
		"another conflict":   {[]http.HandlerFunc{answerWith(409, `{"error":"Conflict: the project is being deleted"}`)}, 1, 409, false},
		"bad run":            {[]http.HandlerFunc{answerWith(400, `{"error":"Bad request: no"}`)}, 1, 400, false},
		"unknown run type":   {[]http.HandlerFunc{answerWith(422, `{"detail":"no"}`)}, 1, 422, false},
		"too large":          {[]http.HandlerFunc{answerWith(413, nil)}, 1, 413, false},
		"down":               {[]http.HandlerFunc{answerWith(500, nil)}, 4, 500, true},
		"gone":               {[]http.HandlerFunc{hangUp}, 4, 0, true},
		"hang-up, refused":   {[]http.HandlerFunc{hangUp, answerWith(401, nil)}, 2, 401, true},
		"hang-up, busy":      {[]http.HandlerFunc{hangUp, answerWith(429, nil)}, 4, 429, true},
		"busy, refused":      {[]http.HandlerFunc{answerWith(429, nil), answerWith(401, nil)}, 2, 401, false},
		"a page":             {[]http.HandlerFunc{answerWith(200, "<html>")}, 1, 200, true},
		"refused, but there": {[]http.HandlerFunc{answerWith(403, nil), answerWith(200, `{"id":"01a1fb6f-924d-7000-8000-00d1858fd5af","session_id":"p1"}`)}, 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.handlers...))
			err := c.LogRun(t.Context(), api.RunIngest{ID: "01a1fb6f-924d-7000-8000-00d1858fd5af", Name: "smoke"})
			if StatusOf(err) != test.status || (err == nil) != (test.status == 0 && !test.lost) || IsAmbiguous(err) != test.lost {
				t.Errorf("error = %v, want status %d, ambiguous: %v", err, test.status, test.lost)
			}
			sends := slices.DeleteFunc(s.calls(), func(call string) bool { return call != "POST /api/v1/runs" })
			if len(sends) != test.requests {
				t.Errorf("requests = %v, want %d", s.calls(), test.requests)
			}
			for _, sent := range s.requests {
				if want := `{"id":"01a1fb6f-924d-7000-8000-00d1858fd5af","name":"smoke"}`; sent.Method == http.MethodPost && sent.Body != want {
					t.Errorf("sent %s, want %s", sent.Body, want)
				}
			}
		})
	}
}
