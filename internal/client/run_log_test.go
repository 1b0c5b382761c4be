package client

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const alreadyReceived = `{"error":"Conflict: payload already received: payloads already received"}`

// TestRunsAreSentAgain expects that no failure which may pass loses a run, and that the service is not asked in vain.
func TestRunsAreSentAgain(t *testing.T) {
	t.Parallel()
	accepted := answerWith(http.StatusAccepted, nil)
	for name, test := range map[string]struct {
		handlers []http.HandlerFunc
		requests int
		status   int // Of the error; 0: success.
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.handlers...))
			err := c.LogRun(t.Context(), api.RunIngest{ID: "01a1fb6f-924d-7000-8000-00d1858fd5af", Name: "smoke"})
			if StatusOf(err) != test.status || (err == nil) != (test.status == 0 && !test.lost) || IsAmbiguous(err) != test.lost {
				t.Errorf("error = %v, want status %d, whether it was lost: %v", err, test.status, test.lost)
			}
			calls := s.calls()
			if len(calls) != test.requests || calls[0] != "POST /api/v1/runs" {
				t.Errorf("requests %v, want %d", calls, test.requests)
			}
			for _, sent := range s.requests {
				if want := `{"id":"01a1fb6f-924d-7000-8000-00d1858fd5af","name":"smoke"}`; sent.Body != want {
					t.Errorf("sent %s, want %s", sent.Body, want)
				}
			}
		})
	}
}

func TestRunsWaitAsAsked(t *testing.T) {
	t.Parallel()
	c, s := serve(t, script(answerWith(429, nil, "Retry-After", "7"), answerWith(202, nil)))
	if err := c.LogRun(t.Context(), api.RunIngest{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second}, s.slept()); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// TestRunsStayWithTheirHost takes no redirect of a write, not even one that keeps its method.
func TestRunsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s arrived elsewhere, with the key %q", r.Method, r.URL, r.Header.Get("X-Api-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answerWith(http.StatusPermanentRedirect, nil, "Location", elsewhere.URL+"/api/v1/runs")(w, r)
	})
	if err := c.LogRun(t.Context(), api.RunIngest{}); StatusOf(err) != http.StatusPermanentRedirect || len(s.calls()) != 1 {
		t.Errorf("error %v after %v", err, s.calls())
	}
}

// TestRunsGoToTheTracingAPI and not to the control plane, in its own words.
func TestRunsGoToTheTracingAPI(t *testing.T) {
	t.Parallel()
	_, plane := serve(t, hangUp)
	_, tracing := serve(t, answerWith(202, nil))
	c, err := New(Config{BaseURL: plane.URL, TracingURL: tracing.URL + "/traces", APIKey: "key-of-the-test", WorkspaceID: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.LogRun(t.Context(), api.RunIngest{}); err != nil {
		t.Fatal(err)
	}
	asked := tracing.last(t)
	if asked.Path != "/traces/api/v1/runs" || asked.Header.Get("X-Tenant-Id") != "w" || asked.Header.Get("X-Api-Key") != "key-of-the-test" ||
		len(plane.calls()) != 0 {
		t.Errorf("asked %s with %v, and the control plane %v", asked.Path, asked.Header, plane.calls())
	}
}
