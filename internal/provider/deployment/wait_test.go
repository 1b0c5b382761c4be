package deployment

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/rollout"
)

const waitLimit = 5 * time.Minute

// reply is a scripted response: a status other than 200, or a deployment or a revision.
type reply struct {
	status int
	html   bool
	body   map[string]any
}

func revisionReply(status string) reply {
	return reply{body: map[string]any{"id": "", "status": status}}
}

func newestReply(revision, status string) reply {
	return reply{body: map[string]any{"id": "d0000001-0000-4000-8000-000000000000", "name": "chat", "status": status, "latest_revision_id": revision}}
}

// script is a service that goes through unusual states: it has a list of responses for each path, and repeats
// the last one forever.
type script struct {
	mu      sync.Mutex
	replies map[string][]reply
	asked   map[string]int
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v2/deployments/d0000001-0000-4000-8000-000000000000"), "/revisions/")
	list := s.replies[path]
	if path == "/revisions" { // The newest is the one that the deployment has shown last.
		shown := s.replies[""][max(0, min(s.asked[""], len(s.replies[""]))-1)]
		var all []any
		for _, id := range []string{"2a000003-0000-4000-8000-000000000000", "2a000002-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000"} {
			if newest, _ := shown.body["latest_revision_id"].(string); id <= newest {
				all = append(all, map[string]any{"id": id, "status": "DEPLOYED"})
			}
		}
		list = []reply{{body: map[string]any{"id": "list", "resources": all}}}
	}
	if len(list) == 0 {
		http.Error(w, "not in the script: "+r.URL.Path, http.StatusTeapot)
		return
	}
	now := list[min(s.asked[path], len(list)-1)]
	s.asked[path]++
	if now.html {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(now.status)
		_, _ = w.Write([]byte("<html><title>Bad gateway</title></html>"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if now.status != 0 {
		w.WriteHeader(now.status)
		_, _ = w.Write([]byte(`{"detail": "Scripted."}`))
		return
	}
	if now.body["id"] == "" {
		now.body["id"] = path
	}
	_ = json.NewEncoder(w).Encode(now.body)
}

// followed returns a wait for revision r1 of a scripted service.
func followed(t *testing.T, replies map[string][]reply) (*rolling, *steppedClock) {
	t.Helper()
	clock := newSteppedClock()
	c := newClient(t, &script{replies: replies, asked: map[string]int{}}, clock)
	return newRolling(c, clock, "d0000001-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000"), clock
}

// rolling is a rollout that is followed for an apply that has already taken some time.
type rolling struct {
	outcome
	spent time.Duration
}

func newRolling(c *client.Client, clock *steppedClock, id, revision string) *rolling {
	return &rolling{outcome: outcome{deployment: api.Deployment{Name: "chat"}, Rollout: rollout.Rollout{
		Client: c, Policy: poll.Policy{Clock: clock, Jitter: -1}, DeploymentID: id, Revision: api.Revision{ID: revision},
	}}}
}

func (w *rolling) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	w.limit = limit
	w.outcome.wait(ctx, w.Policy.Now().Add(-w.spent))
	a := apply{updated: &updated{}}
	return append(a.rolloutDiagnostics(w.outcome), a.readDiagnostics(w.outcome)...)
}

// follow returns a wait for the newest revision of a deployment of the dev server.
func (p *plane) follow(d *api.Deployment) *rolling {
	return newRolling(p.client, p.clock, d.ID, *d.LatestRevisionID)
}

// logged collects the log entries of a wait.
func logged(t *testing.T) (ctx context.Context, entries func(message string) []map[string]any) {
	t.Helper()
	var output bytes.Buffer
	return tflogtest.RootLogger(t.Context(), &output), func(message string) []map[string]any {
		t.Helper()
		all, err := tflogtest.MultilineJSONDecode(bytes.NewReader(output.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var matching []map[string]any
		for _, entry := range all {
			if entry["@message"] == message {
				matching = append(matching, entry)
			}
		}
		return matching
	}
}

func detail(t *testing.T, diags diag.Diagnostics, i int) string {
	t.Helper()
	if i >= len(diags) {
		t.Fatalf("%d diagnostics, want more: %v", len(diags), frameworktest.Lines(diags))
	}
	return diags[i].Detail()
}

func TestWaitForDeployed(t *testing.T) {
	t.Parallel()
	const length = 10 * time.Minute
	p := newPlane(t, func(cfg *devserver.Config) { cfg.Rollout = length })
	w := p.follow(p.create(t, "chat"))
	ctx, entries := logged(t)
	frameworktest.NoDiags(t, w.wait(ctx, 2*length))
	if w.Revision.Status != api.RevisionDeployed {
		t.Errorf("status of the revision = %s, want DEPLOYED", w.Revision.Status)
	}
	var steps []string
	for _, entry := range entries("revision status changed") {
		if entry["@level"] != "info" || entry["revision_id"] != w.Revision.ID || entry["deployment_id"] != w.DeploymentID || entry["elapsed"] == "" {
			t.Errorf("log entry = %v, want level info, the IDs and the elapsed time", entry)
		}
		steps = append(steps, entry["previous_status"].(string)+" → "+entry["status"].(string))
	}
	want := []string{" → QUEUED", "QUEUED → AWAITING_DEPLOY", "AWAITING_DEPLOY → DEPLOYING", "DEPLOYING → DEPLOYED"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("logged status changes (-want +got):\n%s", diff)
	}
	// The end must be noticed at most 5 % late, with a number of requests that grows logarithmically.
	if late := p.clock.Now().Sub(newSteppedClock().Now()) - length; late > length/20 {
		t.Errorf("noticed the end %s late, want at most 5 %% of the rollout", late)
	}
	if asked := p.sent(http.MethodGet, "/v2/"); asked > 120 {
		t.Errorf("%d requests, want at most 120", asked)
	}
}

func TestWaitAlreadyDeployed(t *testing.T) {
	t.Parallel()
	w, clock := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")}})
	frameworktest.NoDiags(t, w.wait(t.Context(), waitLimit))
	if clock.slept != 0 {
		t.Errorf("slept %d times, want 0", clock.slept)
	}
}

func TestWaitForFailure(t *testing.T) {
	t.Parallel()
	for status, state := range map[string]api.RevisionStatus{
		"CREATE_FAILED": api.RevisionQueued, "BUILD_FAILED": api.RevisionAwaitingBuild, "DEPLOY_FAILED": api.RevisionDeploying,
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			seeded, err := p.server.Seed(t.Context(), devserver.DefaultWorkspaceID)
			if err != nil {
				t.Fatal(err)
			}
			p.arm(t, devserver.Fault{Rollout: &devserver.RolloutFault{State: state, Message: "Told by the service."}})
			w := p.follow(p.create(t, "chat", func(request *api.DeploymentCreateRequest) {
				request.Source = api.SourceGitHost
				request.SourceConfig = api.SourceConfigRequest{
					IntegrationID: api.Some(api.UUID(seeded.IntegrationID)), RepoURL: api.Some("https://git.example.com/example-org/chat"),
				}
				request.SourceRevisionConfig = api.SourceRevisionConfigRequest{RepoRef: api.Some("main"), GraphConfigPath: api.Some("g.json")}
			}))
			diags := w.wait(t.Context(), waitLimit)
			if diff := cmp.Diff([]string{`error: Rollout of deployment "chat" failed`}, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, detail(t, diags, 0), "Told by the service.", "Revision: "+w.Revision.ID, "status: "+status, "after ", "the next apply makes a new revision")
		})
	}
	t.Run("of a younger service, without a reason", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("MIGRATING"), revisionReply("ROLLBACK_FAILED_HARD")}})
		diags := w.wait(t.Context(), waitLimit)
		if !diags.HasError() {
			t.Fatal("no diagnostic is an error, want one")
		}
		wantText(t, detail(t, diags, 0), "gives no reason", "ROLLBACK_FAILED_HARD", "2a000001-0000-4000-8000-000000000000")
	})
}

func TestWaitMasksTheReason(t *testing.T) {
	t.Parallel()
	w, _ := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{body: map[string]any{
		"id": "2a000001-0000-4000-8000-000000000000", "status": "DEPLOY_FAILED", "status_message": "TOKEN=canary-4711 is wrong",
	}}}})
	diags := w.wait(framework.MaskSecrets(t.Context(), secretsOf("TOKEN", "canary-4711", "EMPTY", "")), waitLimit)
	if text := detail(t, diags, 0); strings.Contains(text, "canary-4711") {
		t.Errorf("the diagnostic contains the secret: %s", text)
	}
	wantText(t, detail(t, diags, 0), "TOKEN=*** is wrong")
}

func TestWaitThroughUnknownStatuses(t *testing.T) {
	t.Parallel()
	w, clock := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {
		revisionReply("WARMING_UP"), revisionReply("INTERRUPTED"), revisionReply("UNKNOWN"), revisionReply("DEPLOYED"),
	}})
	ctx, entries := logged(t)
	frameworktest.NoDiags(t, w.wait(ctx, waitLimit))
	if clock.slept != 3 || len(entries("revision status changed")) != 4 {
		t.Errorf("slept %d times, logged %d changes; want 3 and 4", clock.slept, len(entries("revision status changed")))
	}
}

func TestWaitSuperseded(t *testing.T) {
	t.Parallel()
	t.Run("the newest is followed", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		created := p.create(t, "chat")
		w := p.follow(created)
		var newest string
		p.clock.beforeSleep = func(slept int) { // Another user deploys a revision while the first one is in progress.
			if slept != 3 {
				return
			}
			patched, err := p.client.PatchDeployment(t.Context(), created.ID, api.DeploymentPatchRequest{SourceRevisionConfig: api.Some(
				api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:2")})})
			if err != nil {
				t.Error(err)
				return
			}
			newest = *patched.LatestRevisionID
		}
		diags := w.wait(t.Context(), waitLimit)
		frameworktest.NoDiags(t, diags)
		if diff := cmp.Diff([]string{*created.LatestRevisionID}, w.Superseded); diff != "" {
			t.Errorf("superseded (-want +got):\n%s", diff)
		}
		if w.Revision.ID != newest || w.Revision.Status != api.RevisionDeployed {
			t.Errorf("ended with %s %s, want %s", w.Revision.ID, w.Revision.Status, newest)
		}
	})
	for name, test := range map[string]struct {
		replies map[string][]reply
		want    []string
	}{
		"twice": {
			map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "2a000002-0000-4000-8000-000000000000": {revisionReply("QUEUED"), revisionReply("SKIPPED")}, "2a000003-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")},
				"": {newestReply("2a000002-0000-4000-8000-000000000000", "READY"), newestReply("2a000003-0000-4000-8000-000000000000", "READY")},
			},
			[]string{"superseded", "superseded"},
		},
		"the newest fails": {
			map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "2a000002-0000-4000-8000-000000000000": {revisionReply("BUILD_FAILED")}, "": {newestReply("2a000002-0000-4000-8000-000000000000", "READY")}},
			[]string{"superseded", `error: Rollout of deployment "chat" failed`},
		},
		"the newest is the skipped one": {
			map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "": {newestReply("2a000001-0000-4000-8000-000000000000", "READY")}},
			[]string{`error: Rollout of deployment "chat" failed`},
		},
		"the deployment has no revision": {
			map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "": {{body: map[string]any{"id": "d0000001-0000-4000-8000-000000000000", "name": "chat", "status": "READY"}}}},
			[]string{`error: Rollout of deployment "chat" failed`},
		},
		"the deployment is gone": {
			map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "": {{status: http.StatusNotFound}}},
			[]string{`error: Cannot follow the rollout of deployment "chat"`},
		},
		"asking for the newest fails once": {
			map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "2a000002-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")}, "": {{status: 502}, newestReply("2a000002-0000-4000-8000-000000000000", "READY")}},
			[]string{"superseded"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := followed(t, test.replies)
			if diff := cmp.Diff(test.want, lines(w, w.wait(t.Context(), time.Hour))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// lines are those of the diagnostics of a wait, after one for each revision that was superseded.
func lines(w *rolling, diags diag.Diagnostics) []string {
	var all []string
	for range w.Superseded {
		all = append(all, "superseded")
	}
	return append(all, frameworktest.Lines(diags)...)
}

func TestWaitForMissingRevision(t *testing.T) {
	t.Parallel()
	missing := reply{status: http.StatusNotFound}
	for name, test := range map[string]struct {
		replies map[string][]reply
		want    []string
	}{
		"it shows up":            {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing, missing, revisionReply("DEPLOYED")}, "": {newestReply("2a000001-0000-4000-8000-000000000000", "READY")}}, nil},
		"a newer one is there":   {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing}, "2a000002-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")}, "": {newestReply("2a000002-0000-4000-8000-000000000000", "READY")}}, []string{"superseded"}},
		"the deployment is gone": {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing}, "": {missing}}, []string{`error: Cannot follow the rollout of deployment "chat"`}},
		"it goes": {
			map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revisionReply("QUEUED"), missing}, "": {missing}, "/v2/deployments": {{body: map[string]any{"id": "list", "resources": []any{}}}},
			},
			[]string{`error: Deployment "chat" was deleted`},
		},
		"it seems to go": {
			map[string][]reply{
				"2a000001-0000-4000-8000-000000000000": {revisionReply("QUEUED"), missing, revisionReply("DEPLOYED")}, "": {missing},
				"/v2/deployments": {{body: map[string]any{"id": "list", "resources": []any{newestReply("2a000001-0000-4000-8000-000000000000", "READY").body}}}},
			},
			nil,
		},
		"it is being deleted":     {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing}, "": {newestReply("2a000001-0000-4000-8000-000000000000", "AWAITING_DELETE")}}, []string{`error: Cannot follow the rollout of deployment "chat"`}},
		"it can't be asked for":   {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing, revisionReply("DEPLOYED")}, "": {{status: 503}}}, nil},
		"it never shows up":       {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing}, "": {newestReply("2a000001-0000-4000-8000-000000000000", "READY")}}, []string{`error: Cannot follow the rollout of deployment "chat"`}},
		"one may not ask for it":  {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {missing}, "": {{status: http.StatusForbidden}}}, []string{`error: Cannot follow the rollout of deployment "chat"`}},
		"another address answers": {map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: http.StatusNotFound, html: true}, revisionReply("DEPLOYED")}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := followed(t, test.replies)
			if diff := cmp.Diff(test.want, lines(w, w.wait(t.Context(), time.Hour))); diff != "" {
				t.Error(diff)
			}
			if w.deleted != (name == "it goes") {
				t.Errorf("deleted = %t", w.deleted)
			}
		})
	}
}

// TestWaitThroughOutages checks that a wait continues during an outage, whatever the service responds.
func TestWaitThroughOutages(t *testing.T) {
	t.Parallel()
	const revisions = "GET /v2/deployments/{deployment_id}/revisions/{revision_id}"
	for name, fault := range map[string]devserver.Fault{
		"internal error":  {Status: 500},
		"bad gateway":     {Status: 502},
		"unavailable":     {Status: 503},
		"gateway timeout": {Status: 504},
		"rate limit":      {Status: 429},
		"page of a proxy": {Status: 502, HTML: "Bad gateway"},
		"login page":      {Status: 200, HTML: "Please log in"},
		"not found page":  {Status: 404, HTML: "Nothing here"},
		"no answer":       {DropBefore: true},
		"odd request":     {Status: 400},
		"odd key":         {Status: 401},
		"odd right":       {Status: 403},
		"odd method":      {Status: 405},
		"odd conflict":    {Status: 409},
		"odd teapot":      {Status: 418},
		"odd field":       {Status: 422},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			w := p.follow(p.create(t, "chat"))
			fault.Match, fault.Times, fault.Skip = revisions, 5, 2
			p.arm(t, fault)
			frameworktest.NoDiags(t, w.wait(t.Context(), waitLimit))
		})
	}
	for name, status := range map[string]int64{"key revoked": 401, "not allowed": 403, "wrong request": 422} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			w := p.follow(p.create(t, "chat"))
			for match, skip := range map[string]int64{revisions: 2, reading: 0} {
				p.arm(t, devserver.Fault{Match: match, Status: status, Skip: skip, Times: 1000, Detail: "Told by the service."})
			}
			began := p.clock.Now()
			diags := w.wait(t.Context(), time.Hour)
			if waited := p.clock.Now().Sub(began); waited < 10*time.Minute || waited > 11*time.Minute {
				t.Errorf("waited %s, want ten to eleven minutes", waited)
			}
			if diff := cmp.Diff([]string{`error: Cannot follow the rollout of deployment "chat"`}, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, detail(t, diags, 0), "Told by the service.", "request id")
		})
	}
}

func TestWaitDeadline(t *testing.T) {
	t.Parallel()
	t.Run("still in progress", func(t *testing.T) {
		t.Parallel()
		p := newPlane(t)
		p.arm(t, devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Stall: true}})
		w := p.follow(p.create(t, "chat"))
		diags := w.wait(t.Context(), waitLimit)
		if diff := cmp.Diff([]string{`error: Deployment "chat" was not rolled out in time`}, frameworktest.Lines(diags)); diff != "" {
			t.Fatal(diff)
		}
		wantText(t, detail(t, diags, 0), "still in progress", "Revision: "+w.Revision.ID, "last status: DEPLOYING", "after 5m0s of 5m0s", "the next apply resumes waiting", "`timeouts`")
		if waited := p.clock.Now().Sub(newSteppedClock().Now()); waited != waitLimit {
			t.Errorf("waited %s, want %s", waited, waitLimit)
		}
	})
	t.Run("never answered", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {{status: 503}}})
		diags := w.wait(t.Context(), time.Minute)
		wantText(t, detail(t, diags, 0), "the status of the rollout can't be read: timed out after 1m", "503", "the next apply resumes waiting")
		if w.newest = w.Revision; w.taints() || w.Revision.Status != "" {
			t.Errorf("taints = %t with status %q, want neither", w.taints(), w.Revision.Status)
		}
	})
	t.Run("the write has taken longer than it may", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("QUEUED")}})
		w.spent = 4 * time.Second
		wantText(t, detail(t, w.wait(t.Context(), time.Second), 0), "last status: QUEUED", "after 4s of 1s")
	})
	t.Run("no time left", func(t *testing.T) {
		t.Parallel()
		w, clock := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")}})
		frameworktest.NoDiags(t, w.wait(t.Context(), -time.Second)) // The status is read once anyway.
		if clock.slept != 0 {
			t.Errorf("slept %d times, want 0", clock.slept)
		}
	})
}

// TestWaitCancelled cancels a wait in each of its phases. This is never an error, because the rollout may succeed.
func TestWaitCancelled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slept int
		want  string
	}{
		"before the first sleep": {0, "QUEUED"}, "queued": {2, "QUEUED"}, "awaiting": {4, "AWAITING_DEPLOY"}, "deploying": {8, "DEPLOYING"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlane(t)
			w := p.follow(p.create(t, "chat"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p.clock.beforeSleep = func(slept int) {
				if slept == test.slept {
					cancel()
				}
			}
			diags := w.wait(ctx, waitLimit)
			if diff := cmp.Diff([]string{`warning: Stopped waiting for deployment "chat"`}, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, detail(t, diags, 0), "continues", "next apply", "Revision: "+w.Revision.ID, "last status: "+test.want, "after ")
		})
	}
	for name, replies := range map[string]map[string][]reply{
		"during an outage":      {"2a000001-0000-4000-8000-000000000000": {{status: 503}}},
		"revision not there":    {"2a000001-0000-4000-8000-000000000000": {{status: 404}}, "": {newestReply("2a000001-0000-4000-8000-000000000000", "READY")}},
		"looking for the newer": {"2a000001-0000-4000-8000-000000000000": {revisionReply("SKIPPED")}, "": {{status: 502}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clock := followed(t, replies)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			clock.beforeSleep = func(slept int) {
				if slept == 2 {
					cancel()
				}
			}
			if diff := cmp.Diff([]string{`warning: Stopped waiting for deployment "chat"`}, frameworktest.Lines(w.wait(ctx, waitLimit))); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("before it began", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, map[string][]reply{"2a000001-0000-4000-8000-000000000000": {revisionReply("DEPLOYED")}})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		diags := w.wait(ctx, waitLimit)
		if diff := cmp.Diff([]string{`warning: Stopped waiting for deployment "chat"`}, frameworktest.Lines(diags)); diff != "" {
			t.Fatal(diff)
		}
		wantText(t, detail(t, diags, 0), "last status: not known")
	})
}
