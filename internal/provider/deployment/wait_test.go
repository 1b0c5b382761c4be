package deployment

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
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

const (
	followedDeployment = "d0000001-0000-4000-8000-000000000000"
	followedRevision   = "2a000001-0000-4000-8000-000000000000"
)

// followed returns a wait for a revision of a service that answers every request with a status, and the body of a revision or an error. The
// package rollout tests more unusual services.
func followed(t *testing.T, status int, body map[string]any) (*rolling, *steppedClock) {
	t.Helper()
	clock := newSteppedClock()
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}), clock)
	return newRolling(c, clock, followedDeployment, followedRevision), clock
}

// inStatus is a revision.
func inStatus(status api.RevisionStatus) map[string]any {
	return map[string]any{"id": followedRevision, "status": status}
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
		w, _ := followed(t, http.StatusOK, inStatus("ROLLBACK_FAILED_HARD"))
		diags := w.wait(t.Context(), waitLimit)
		if !diags.HasError() {
			t.Fatal("no diagnostic is an error, want one")
		}
		wantText(t, detail(t, diags, 0), "gives no reason", "ROLLBACK_FAILED_HARD", followedRevision)
	})
}

func TestWaitMasksTheReason(t *testing.T) {
	t.Parallel()
	w, _ := followed(t, http.StatusOK, map[string]any{
		"id": followedRevision, "status": "DEPLOY_FAILED", "status_message": "TOKEN=canary-4711 is wrong",
	})
	diags := w.wait(framework.MaskSecrets(t.Context(), secretsOf("TOKEN", "canary-4711", "EMPTY", "")), waitLimit)
	if text := detail(t, diags, 0); strings.Contains(text, "canary-4711") {
		t.Errorf("the diagnostic contains the secret: %s", text)
	}
	wantText(t, detail(t, diags, 0), "TOKEN=*** is wrong")
}

// TestWaitSuperseded follows the newest revision.
func TestWaitSuperseded(t *testing.T) {
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
}

// TestWaitRefused waits while the service refuses to show the rollout, which ends the wait only after ten minutes.
func TestWaitRefused(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	w := p.follow(p.create(t, "chat"))
	for match, skip := range map[string]int64{"GET /v2/deployments/{deployment_id}/revisions/{revision_id}": 2, reading: 0} {
		p.arm(t, devserver.Fault{Match: match, Status: http.StatusForbidden, Skip: skip, Times: 1000, Detail: "Told by the service."})
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
}

// TestWaitDeleted waits for a deployment that goes meanwhile.
func TestWaitDeleted(t *testing.T) {
	t.Parallel()
	p := newPlane(t)
	created := p.create(t, "chat")
	w := p.follow(created)
	p.clock.beforeSleep = func(slept int) {
		if slept == 1 {
			if err := p.client.DeleteDeployment(t.Context(), created.ID); err != nil {
				t.Error(err)
			}
			p.clock.Advance(rolloutTime)
		}
	}
	if diff := cmp.Diff([]string{`error: Deployment "chat" was deleted`}, frameworktest.Lines(w.wait(t.Context(), waitLimit))); diff != "" || !w.deleted {
		t.Errorf("deleted = %t; diagnostics (-want +got):\n%s", w.deleted, diff)
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
		if w.newest = w.Revision; !w.taints() {
			t.Error("a rollout in progress doesn't taint a new deployment")
		}
		if w.newest = (api.Revision{ID: "another"}); w.taints() {
			t.Error("a rollout that another user has superseded taints a new deployment")
		}
	})
	t.Run("never answered", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, http.StatusServiceUnavailable, nil)
		diags := w.wait(t.Context(), time.Minute)
		wantText(t, detail(t, diags, 0), "the status of the rollout can't be read: timed out after 1m", "503", "the next apply resumes waiting")
		if w.newest = w.Revision; w.taints() || w.Revision.Status != "" {
			t.Errorf("taints = %t with status %q, want neither", w.taints(), w.Revision.Status)
		}
	})
	t.Run("interrupted in the service", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, http.StatusOK, inStatus(api.RevisionInterrupted))
		wantText(t, detail(t, w.wait(t.Context(), time.Minute), 0), "was interrupted in the service", "last status: INTERRUPTED", "agentplane_redeploy_revision")
	})
	t.Run("the write has taken longer than it may", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, http.StatusOK, inStatus(api.RevisionQueued))
		w.spent = 4 * time.Second
		wantText(t, detail(t, w.wait(t.Context(), time.Second), 0), "last status: QUEUED", "after 4s of 1s")
	})
	t.Run("no time left", func(t *testing.T) {
		t.Parallel()
		w, clock := followed(t, http.StatusOK, inStatus(api.RevisionDeployed))
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
		"before the first sleep": {0, "QUEUED"}, "deploying": {8, "DEPLOYING"},
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
	t.Run("before it began", func(t *testing.T) {
		t.Parallel()
		w, _ := followed(t, http.StatusOK, inStatus(api.RevisionDeployed))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		diags := w.wait(ctx, waitLimit)
		if diff := cmp.Diff([]string{`warning: Stopped waiting for deployment "chat"`}, frameworktest.Lines(diags)); diff != "" {
			t.Fatal(diff)
		}
		wantText(t, detail(t, diags, 0), "last status: not known")
	})
}
