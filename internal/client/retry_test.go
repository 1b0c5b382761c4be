package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// operations has one call per HTTP method.
var operations = map[string]func(context.Context, *Client) error{
	http.MethodGet: func(ctx context.Context, c *Client) error {
		_, err := c.Deployments().Get(ctx, "d0000001-0000-4000-8000-000000000000")
		return err
	},
	http.MethodPost: func(ctx context.Context, c *Client) error {
		_, _, err := c.CreateDeployment(ctx, api.DeploymentCreateRequest{Name: "chat"})
		return err
	},
	http.MethodPatch: func(ctx context.Context, c *Client) error {
		_, err := c.PatchDeployment(ctx, "d0000001-0000-4000-8000-000000000000", api.DeploymentPatchRequest{})
		return err
	},
	http.MethodDelete: func(ctx context.Context, c *Client) error {
		return c.DeleteDeployment(ctx, "d0000001-0000-4000-8000-000000000000", false)
	},
}

// afterLookUp is handler for an operation. A create looks the object up first, and finds nothing.
func afterLookUp(method string, handler http.HandlerFunc) http.HandlerFunc {
	if method != http.MethodPost {
		return handler
	}
	return appearing(noResources, handler)
}

// TestWhatIsSentAgain checks which requests are sent again: every failure once, with every method.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	status := func(code int, headers ...string) http.HandlerFunc {
		return answerWith(code, `{"detail":"no"}`, headers...)
	}
	html := answerWith(http.StatusOK, "<html><title>Sign in</title></html>", "Content-Type", "text/html")
	tests := map[string]struct {
		fail      http.HandlerFunc
		reads     bool // GET and DELETE are sent again.
		writes    bool // POST and PATCH are sent again.
		ambiguous bool // The outcome of a POST or PATCH is unknown.
		body      bool // The response body is wrong, which a DELETE doesn't read.
	}{
		"400":                        {fail: status(400)},
		"401":                        {fail: status(401)},
		"403":                        {fail: status(403)},
		"405":                        {fail: status(405)},
		"408":                        {fail: status(408), reads: true, ambiguous: true},
		"409":                        {fail: status(409)},
		"422":                        {fail: status(422)},
		"425":                        {fail: status(425), reads: true, writes: true},
		"418":                        {fail: status(418)},
		"499":                        {fail: status(499)},
		"501":                        {fail: status(501), reads: true, ambiguous: true},
		"507":                        {fail: status(507), reads: true, ambiguous: true},
		"520":                        {fail: status(520), reads: true, ambiguous: true},
		"524":                        {fail: status(524), reads: true, ambiguous: true},
		"529":                        {fail: status(529), reads: true, ambiguous: true},
		"529 with Retry-After":       {fail: status(529, "Retry-After", "1"), reads: true, ambiguous: true},
		"599":                        {fail: status(599), reads: true, ambiguous: true},
		"429":                        {fail: status(429), reads: true, writes: true},
		"429 with Retry-After":       {fail: status(429, "Retry-After", "7"), reads: true, writes: true},
		"500":                        {fail: status(500), reads: true, ambiguous: true},
		"502":                        {fail: status(502), reads: true, ambiguous: true},
		"503":                        {fail: status(503), reads: true, ambiguous: true},
		"503 with Retry-After":       {fail: status(503, "Retry-After", "1"), reads: true, writes: true},
		"503 with Retry-After 0":     {fail: status(503, "Retry-After", "0"), reads: true, writes: true},
		"503 with odd Retry-After":   {fail: status(503, "Retry-After", "soon"), reads: true, ambiguous: true},
		"504":                        {fail: status(504), reads: true, ambiguous: true},
		"hang-up":                    {fail: hangUp, reads: true, ambiguous: true},
		"body that breaks off":       {fail: breakOff, reads: true, ambiguous: true},
		"JSON that breaks off":       {fail: answerWith(200, `{"id": "d0000001-0000-4000-8000-000000000000", "name`), reads: true, ambiguous: true, body: true},
		"JSON of another shape":      {fail: answerWith(200, `["d0000001-0000-4000-8000-000000000000"]`), ambiguous: true, body: true},
		"JSON without end":           {fail: answerWith(200, strings.Repeat("[", 10_000_000)), ambiguous: true, body: true},
		"text with status 200":       {fail: answerWith(200, `hello`), ambiguous: true, body: true},
		"page with status 200":       {fail: html, ambiguous: true},
		"redirect to somewhere else": {fail: status(307, "Location", "http://127.0.0.1:1/")},
	}
	for name, test := range tests {
		for method, call := range operations {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				write := method == http.MethodPost || method == http.MethodPatch
				good := answerWith(http.StatusOK, `{"id":"d0000001-0000-4000-8000-000000000000","resources":[]}`)
				c, s := serve(t, afterLookUp(method, script(test.fail, good)))
				err := call(t.Context(), c)

				unread := method == http.MethodDelete && test.body
				unread = unread || method == http.MethodPatch && test.body && name != "JSON without end" // Its caller proves it.
				again := !unread && (test.reads && !write || test.writes && write)
				if want := unread || again; want != (err == nil) {
					t.Errorf("error = %v, want success: %t", err, want)
				}
				sent := 0
				for _, request := range s.calls() {
					if strings.HasPrefix(request, method) {
						sent++
					}
				}
				if want := map[bool]int{false: 1, true: 2}[again]; sent != want {
					t.Errorf("sent %d requests, want %d: %v", sent, want, s.calls())
				}
				if got, want := IsAmbiguous(err), write && !unread && test.ambiguous; got != want {
					t.Errorf("IsAmbiguous(%v) = %v, want %v", err, got, want)
				}
			})
		}
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	// Nothing can listen on port 0. A port that a server has just closed may be taken by another test.
	const refusing = "http://127.0.0.1:0"
	for method, call := range operations {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, hangUp, func(cfg *Config) { cfg.BaseURL = refusing })
			err := call(t.Context(), c)
			lost, ok := errors.AsType[*TransportError](err)
			if !ok || !lost.NotSent || lost.Attempts != 4 {
				t.Fatalf("error = %#v, want a TransportError that was not sent in 4 attempts", err)
			}
			if !IsTransient(err) || IsAmbiguous(err) {
				t.Errorf("IsTransient = %v, IsAmbiguous = %v; want true, false", IsTransient(err), IsAmbiguous(err))
			}
			want := 3
			if method == http.MethodPost {
				want *= 2 // The look-up before.
			}
			if n := len(s.slept()); n != want {
				t.Errorf("slept %d times, want %d", n, want)
			}
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{-1: 1, 0: 1, 1: 2, 5: 6} {
		t.Run(strconv.Itoa(retries), func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(http.StatusTooManyRequests, `{"detail":"slow down"}`, "Retry-After", "90"),
				func(cfg *Config) { cfg.MaxRetries = retries })
			_, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000")
			if e, ok := errors.AsType[*Error](err); !ok || e.Attempts != want || len(s.calls()) != want {
				t.Errorf("error = %v after %d requests, want %d", err, len(s.calls()), want)
			}
			for _, d := range s.slept() {
				if d != maxRetryAfter {
					t.Errorf("slept %s, want Retry-After capped at %s", d, maxRetryAfter)
				}
			}
		})
	}
}

func TestAttemptTimeout(t *testing.T) {
	t.Parallel()
	for method, call := range operations {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const limit = 20 * time.Second
				c, _ := serveInMemory(t, afterLookUp(method, neverAnswer), func(cfg *Config) { cfg.RequestTimeout, cfg.MaxRetries = limit, -1 })
				began := time.Now()
				err := call(t.Context(), c)
				if lost, ok := errors.AsType[*TransportError](err); !ok || lost.NotSent {
					t.Fatalf("error = %v, want a TransportError that may have been sent", err)
				}
				attempts := 1
				if method == http.MethodPost {
					attempts += len(proofPauses) // The lookups for the deployment get no answer either.
				}
				if took, want := time.Since(began), limit*time.Duration(attempts); took != want {
					t.Errorf("took %s, want %s", took, want)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v is context.DeadlineExceeded, as if the caller's context had ended", err)
				}
				if !strings.Contains(err.Error(), "request_timeout (20s)") {
					t.Errorf("error %q doesn't name request_timeout (20s)", err)
				}
				if got, want := IsTransient(err), isIdempotent(method); got != want {
					t.Errorf("IsTransient = %v, want %v", got, want)
				}
			})
		})
	}
}

func TestCallersContextEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler func(cancel func()) http.HandlerFunc
		sleep   func(cancel func()) error
		// The outcome is unknown only if the write was sent and not refused.
		ambiguous bool
		requests  int
	}{
		"before the request": {
			handler: func(func()) http.HandlerFunc { return hangUp },
		},
		"during the request": {
			handler: func(cancel func()) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) { cancel(); neverAnswer(w, r) }
			},
			ambiguous: true, requests: 1,
		},
		"during the pause": {
			handler:  func(func()) http.HandlerFunc { return answerWith(429, `{"detail":"slow down"}`) },
			sleep:    func(cancel func()) error { cancel(); return context.Canceled },
			requests: 1,
		},
	}
	for name, test := range tests {
		for method, call := range operations {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if test.requests == 0 {
						cancel()
					}
					c, s := serveInMemory(t, afterLookUp(method, test.handler(cancel)), func(cfg *Config) {
						if test.sleep != nil {
							cfg.Sleep = func(context.Context, time.Duration) error { return test.sleep(cancel) }
						}
					})
					err := call(ctx, c)
					if !errors.Is(err, context.Canceled) {
						t.Fatalf("error = %v, want context.Canceled", err)
					}
					if IsTransient(err) || StatusOf(err) != 0 {
						t.Errorf("IsTransient(%v) = %v, StatusOf = %d; want false, 0", err, IsTransient(err), StatusOf(err))
					}
					if got, want := IsAmbiguous(err), test.ambiguous && !isIdempotent(method); got != want {
						t.Errorf("IsAmbiguous(%v) = %v, want %v", err, got, want)
					}
					want := test.requests
					if test.requests > 0 && method == http.MethodPost {
						want++ // The look-up before.
					}
					if test.ambiguous && method == http.MethodPost {
						want++ // The look-up of the created object.
					}
					if got := len(s.calls()); got != want {
						t.Errorf("%d requests, want %d: %v", got, want, s.calls())
					}
				})
			})
		}
	}
}

// TestWriteOutlivesItsCaller checks that a write continues when its caller is cancelled: the created object would be lost otherwise.
func TestWriteOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPost, http.MethodPatch} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			c, s := serve(t, afterLookUp(method, func(w http.ResponseWriter, r *http.Request) {
				cancel()
				answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","name":"chat"}`)(w, r)
			}))
			c.grace = time.Minute
			if err := operations[method](ctx, c); err != nil {
				t.Fatal(err)
			}
			if got := len(slices.DeleteFunc(s.calls(), func(call string) bool { return strings.HasPrefix(call, "GET") })); got != 1 {
				t.Errorf("%d writes, want 1", got)
			}
		})
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	wait := func(d time.Duration) error { return &Error{Status: 429, RetryAfter: d, hasRetryAfter: true} }
	lost := &TransportError{Err: errBrokenOff}
	tests := map[string]struct {
		err     error
		attempt int
		random  float64
		want    time.Duration
	}{
		"no luck":             {lost, 1, 0, 0},
		"half of the first":   {lost, 1, 0.5, 250 * time.Millisecond},
		"half of the second":  {lost, 2, 0.5, 500 * time.Millisecond},
		"half of the third":   {lost, 3, 0.5, time.Second},
		"half of the fifth":   {lost, 5, 0.5, 4 * time.Second},
		"capped":              {lost, 6, 0.5, 5 * time.Second},
		"capped for good":     {lost, 1000, 0.5, 5 * time.Second},
		"Retry-After":         {wait(7 * time.Second), 1, 0.5, 7 * time.Second},
		"Retry-After, capped": {wait(time.Hour), 1, 0.5, time.Minute},
		"Retry-After 0":       {wait(0), 1, 0.5, 250 * time.Millisecond},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := pause(test.err, test.attempt, test.random); got != test.want {
				t.Errorf("pause = %s, want %s", got, test.want)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	type result struct {
		Wait time.Duration
		OK   bool
	}
	tests := map[string]struct {
		value, date string
		want        result
	}{
		"absent":               {"", "", result{}},
		"seconds":              {"7", "", result{7 * time.Second, true}},
		"seconds with spaces":  {" 7 ", "", result{7 * time.Second, true}},
		"zero":                 {"0", "", result{0, true}},
		"negative":             {"-1", "", result{}},
		"words":                {"soon", "", result{}},
		"date":                 {at(9 * time.Second), "", result{9 * time.Second, true}},
		"date in the past":     {at(-time.Hour), "", result{0, true}},
		"date by their clock":  {at(time.Hour + 5*time.Second), at(time.Hour), result{5 * time.Second, true}},
		"date beside odd Date": {at(9 * time.Second), "yesterday", result{9 * time.Second, true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Date", test.date)
			wait, ok := retryAfter(header, now)
			if diff := cmp.Diff(test.want, result{wait, ok}); diff != "" {
				t.Errorf("retryAfter (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzRetryAfter checks that the pause is limited for any header.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "120", "-1", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "1e9", " 5 "} {
		f.Add(value, "Thu, 01 Jan 1970 00:00:00 GMT")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		after, said := retryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, time.Now())
		if wait := pause(&Error{RetryAfter: after}, 1, 0.5); after < 0 || !said && after != 0 || wait < 0 || wait > maxRetryAfter {
			t.Errorf("retryAfter = %s, %t; pause = %s, want at most %s", after, said, wait, maxRetryAfter)
		}
	})
}

func TestDeadlineOfTheCallerIsNotTransient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, _ := serveInMemory(t, neverAnswer)
		_, err := c.Deployments().Get(ctx, "d0000001-0000-4000-8000-000000000000")
		if !errors.Is(err, context.DeadlineExceeded) || IsTransient(err) {
			t.Errorf("error = %v, IsTransient = %v; want context.DeadlineExceeded, false", err, IsTransient(err))
		}
	})
}
