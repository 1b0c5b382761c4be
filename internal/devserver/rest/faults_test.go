package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

const deployments = "/v2/deployments"

func TestFaultsAnswer(t *testing.T) {
	t.Parallel()
	type seen struct {
		status                  int
		body, media, retryAfter string
	}
	for name, tc := range map[string]struct {
		fault object
		want  seen
	}{
		"status":      {object{"status": 500}, seen{500, "{\"detail\":\"Internal Server Error\"}\n", "application/json", ""}},
		"detail":      {object{"status": 400, "detail": "no <luck>"}, seen{400, "{\"detail\":\"no <luck>\"}\n", "application/json", ""}},
		"HTML":        {object{"status": 502, "html": "<h1>Bad Gateway</h1>"}, seen{502, "<h1>Bad Gateway</h1>", "text/html; charset=utf-8", ""}},
		"throttled":   {object{"status": 429, "retry_after": 7}, seen{429, "{\"detail\":\"Too Many Requests\"}\n", "application/json", "7"}},
		"unavailable": {object{"status": 503, "retry_after": 0}, seen{503, "{\"detail\":\"Service Unavailable\"}\n", "application/json", "0"}},
		"wrong host":  {object{"status": 200, "html": "<p>hello</p>", "latency_ms": 1}, seen{200, "<p>hello</p>", "text/html; charset=utf-8", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{})
			p.Do(http.MethodPost, "/dev/faults", devservertest.With(tc.fault, object{"match": "POST /v2/deployments"})).Want(http.StatusNoContent)
			r := p.Do(http.MethodPost, deployments, devservertest.ImageRequest("chat")).Want(tc.want.status)
			got := seen{r.Status, string(r.Body), r.Header.Get("Content-Type"), r.Header.Get("Retry-After")}
			devservertest.Same(t, "response", tc.want, got, cmp.AllowUnexported(seen{}))
			if r.Header.Get("X-Request-Id") == "" {
				t.Error("the response has no X-Request-Id")
			}
			p.Create(devservertest.ImageRequest("chat")) // The request wasn't processed, and the fault is used up.
		})
	}
}

func TestFaultsMatch(t *testing.T) {
	t.Parallel()
	for match, want := range map[string][]string{
		"":                                  {"GET", "POST", "GET id", "PATCH id", "GET revision"},
		"/v2/deployments":                   {"GET", "POST"},
		"GET /v2/deployments":               {"GET"},
		"POST /":                            {"POST"},
		"/v2/deployments/":                  {"GET id", "PATCH id", "GET revision"},
		"PATCH /v2/deployments/{id}":        {"PATCH id"},
		"/v2/deployments/{d}/revisions/{r}": {"GET revision"},
		"DELETE /v2/deployments/{id}":       {},
	} {
		t.Run(match, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{})
			d := p.Create(devservertest.ImageRequest("chat"))
			devservertest.Must(t, p.Arm(devserver.Fault{Match: match, Times: 10, Status: 418}))
			got := []string{}
			for _, request := range []struct{ name, method, path string }{
				{"GET", http.MethodGet, deployments},
				{"POST", http.MethodPost, "/api-host" + deployments},
				{"GET id", http.MethodGet, deployments + "/" + d.ID},
				{"PATCH id", http.MethodPatch, deployments + "/" + d.ID},
				{"GET revision", http.MethodGet, deployments + "/" + d.ID + "/revisions/" + *d.LatestRevisionID},
			} {
				if p.Do(request.method, request.path, object{}).Status == 418 {
					got = append(got, request.name)
				}
			}
			devservertest.Same(t, "requests that the fault hit", want, got)
		})
	}
}

func TestFaultsCount(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/dev/faults", object{"match": "GET /v2/listeners", "skip": 1, "times": 2, "status": 500}).Want(204)
	p.Do(http.MethodPost, "/dev/faults", object{"match": "/v2/listeners", "status": 503}).Want(204)
	armed := devservertest.Get[map[string][]devserver.Fault](p, "/dev/faults")["faults"]
	if len(armed) != 2 || armed[0].Times != 2 || armed[0].Skip != 1 || armed[1].Times != 1 {
		t.Errorf("armed faults = %+v, want two with their defaults", armed)
	}
	var got []int
	for range 5 {
		got = append(got, p.Do(http.MethodGet, "/v2/listeners", nil).Status)
	}
	devservertest.Same(t, "statuses", []int{503, 500, 500, 200, 200}, got)
	if left := devservertest.Get[map[string][]devserver.Fault](p, "/dev/faults")["faults"]; len(left) > 0 {
		t.Errorf("faults left = %+v, want none", left)
	}
	p.Do(http.MethodPost, "/dev/faults", object{"status": 500, "times": 100}).Want(204)
	p.Do(http.MethodGet, "/v2/listeners", nil).Want(500)
	p.Do(http.MethodDelete, "/dev/faults", nil).Want(204)
	p.Do(http.MethodGet, "/v2/listeners", nil).Want(200)
}

func TestFaultsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	p.Do(http.MethodPost, "/dev/faults", object{"status": 500}).Want(204)
	b.Do(http.MethodGet, deployments, nil).Want(200)
	if left := devservertest.Get[map[string][]devserver.Fault](b, "/dev/faults")["faults"]; len(left) > 0 {
		t.Errorf("faults of workspace B = %+v, want none", left)
	}
	b.Do(http.MethodDelete, "/dev/faults", nil).Want(204)
	p.Do(http.MethodGet, deployments, nil).Want(500)
	p.Do(http.MethodPost, "/dev/faults", object{"rollout": object{"state": "DEPLOYING"}}).Want(204)
	devservertest.Same(t, "revision of workspace B", api.RevisionDeployed, b.Revisions(b.Create(devservertest.ImageRequest("chat")).ID)[0])
	devservertest.Same(t, "revision of the armed workspace", api.RevisionDeployFailed, p.Revisions(p.Create(devservertest.ImageRequest("chat")).ID)[0])
}

func TestDroppedReplies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault devserver.Fault
		done  bool
	}{
		"after the work":  {devserver.Fault{Match: "POST /v2/deployments", Drop: true}, true},
		"before the work": {devserver.Fault{Match: "POST /v2/deployments", DropBefore: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{})
			devservertest.Must(t, p.Arm(tc.fault))
			if lost := p.Do(http.MethodPost, deployments, devservertest.ImageRequest("chat")); lost.Err == nil {
				t.Fatalf("status %d, want a lost reply", lost.Status)
			}
			found := devservertest.Get[api.List[api.Deployment]](p, deployments).Resources
			if done := len(found) == 1; done != tc.done {
				t.Errorf("the request was processed: %v, want %v", done, tc.done)
			}
			if seen := p.Requests()[0]; seen.Status != 0 || seen.Method != http.MethodPost || len(seen.Body) == 0 {
				t.Errorf("recorded request = %+v, want a POST with a body and status 0", seen)
			}
		})
	}
}

// TestLatencyEndsWithTheRequest checks that added latency ends when the client disconnects, well before its minute is over.
func TestLatencyEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	devservertest.Must(t, p.Arm(devserver.Fault{LatencyMS: time.Minute.Milliseconds()}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+deployments, http.NoBody)
	defer func() {
		if aborted, is := recover().(error); !is || !errors.Is(aborted, http.ErrAbortHandler) {
			t.Errorf("the handler panicked with %v, want http.ErrAbortHandler", aborted)
		}
	}()
	p.ServeHTTP(httptest.NewRecorder(), request)
}

func TestRolloutFaults(t *testing.T) {
	t.Parallel()
	const image, repo = "image", "repo"
	for name, tc := range map[string]struct {
		source string
		fault  object
		want   api.RevisionStatus
		reason *string
	}{
		"deploy fails":               {image, object{"state": "DEPLOYING", "message": "crash loop"}, api.RevisionDeployFailed, new("crash loop")},
		"build fails":                {repo, object{"state": "BUILDING", "message": "exit status 2"}, api.RevisionBuildFailed, new("exit status 2")},
		"stays interrupted":          {image, object{"state": "DEPLOYING", "status": "INTERRUPTED", "stall": true}, api.RevisionInterrupted, nil},
		"waits for a fitting source": {image, object{"state": "BUILDING"}, api.RevisionDeployed, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{Rollout: time.Minute}).WithSeed(devservertest.WorkspaceB)
			request := devservertest.ImageRequest("chat")
			if tc.source == repo {
				p.Header.Set("X-Tenant-Id", devservertest.WorkspaceB)
				request = p.RepoRequest("chat")
			}
			p.Do(http.MethodPost, "/dev/faults", object{"rollout": tc.fault}).Want(204)
			d := p.Create(request)
			p.Clock.Advance(time.Hour)
			failed := devservertest.Get[api.Revision](p, deployments+"/"+d.ID+"/revisions/"+*d.LatestRevisionID)
			devservertest.Same(t, "status", tc.want, failed.Status)
			devservertest.Same(t, "status_message", tc.reason, failed.StatusMessage)
			if deployed := p.Deployment(d.ID).ActiveRevisionID != nil; deployed != (tc.want == api.RevisionDeployed) {
				t.Errorf("has an active revision: %v, want %v", deployed, !deployed)
			}
			p.Patch(d.ID, object{"secrets": []any{}})
			p.Clock.Advance(time.Hour)
			devservertest.Same(t, "status of the next revision", api.RevisionDeployed, p.Revisions(d.ID)[0])
		})
	}
}

// TestManyFaults checks that the number of armed faults is limited, because every request is compared with all of them.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	var faults rest.Faults
	drop := rest.Fault{Drop: true, WorkspaceID: "a"}
	for range 1000 {
		devservertest.Must(t, faults.Arm(nil, drop))
	}
	if err := faults.Arm(nil, drop); err == nil || !strings.Contains(err.Error(), "1000 faults are armed") {
		t.Errorf("arming one more: error = %v, want that 1000 are armed", err)
	}
	devservertest.Must(t, faults.Clear(nil, "a"))
	devservertest.Must(t, faults.Arm(nil, drop))
}

func TestArmRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for body, want := range map[string]string{
		`{`:                             "Invalid fault",
		`{"kind":"status"}`:             `unknown field "kind"`,
		`{}`:                            "the fault has no effect",
		`{"times":-1,"status":500}`:     "must not be negative",
		`{"status":500,"drop":true}`:    "only one of status, drop, drop_before, swallow, stale and rollout",
		`{"swallow":true,"stale":true}`: "only one of status, drop, drop_before, swallow, stale and rollout",
		`{"stale":true,"body":"{}"}`:    "body can be combined only with swallow, match, times, skip and latency_ms",
		`{"status":200,"body":"{}"}`:    "body can be combined only with swallow, match, times, skip and latency_ms",
		`{"body":null}`:                 "the fault has no effect",
		`{"body":"` + strings.Repeat("x", 64<<10+1) + `"}`: "match, detail, html and body have more than 65536 bytes in total",
		`{"status":99}`:                                                 "status 99 is not a final HTTP status",
		`{"drop":true,"detail":"x"}`:                                    "require a status",
		`{"status":500,"detail":"x","html":"x"}`:                        "only one of detail and html",
		`{"status":500,"retry_after":1}`:                                "retry_after requires status 429 or 503, not 500",
		`{"status":429,"retry_after":-1}`:                               "retry_after -1 must not be negative",
		`{"latency_ms":60001}`:                                          "latency_ms 60001 is out of range: use 0 to 60000",
		`{"status":500,"html":"` + strings.Repeat("x", 64<<10+1) + `"}`: "more than 65536 bytes in total",
		`{"match":"POST v2","status":500}`:                              `match "POST v2" is not a pattern`,
		`{"rollout":{"state":"DEPLOYED"}}`:                              `rollout.state "DEPLOYED" is not a state of a rollout`,
		`{"rollout":{}}`:                                                "use one of [QUEUED AWAITING_BUILD BUILDING AWAITING_DEPLOY DEPLOYING]",
		`{"rollout":{"state":"QUEUED","status":"DEPLOYED"}}`:            `rollout.status "DEPLOYED" is a final status`,
		`{"rollout":{"state":"QUEUED","status":"SO_FAILED"}}`:           "omit it to let the rollout fail in QUEUED",
		`{"rollout":{"state":"QUEUED"},"match":"GET /"}`:                "a rollout can't be combined with match or latency_ms",
	} {
		got := devservertest.Into[api.ErrorDetail](p.Do(http.MethodPost, "/dev/faults", body).Want(http.StatusBadRequest)).Detail
		if !strings.Contains(got, want) {
			t.Errorf("%s: error %q does not contain %q", body, got, want)
		}
	}
	if armed := devservertest.Get[map[string][]devserver.Fault](p, "/dev/faults")["faults"]; len(armed) > 0 {
		t.Errorf("refused faults were armed: %+v", armed)
	}
}
