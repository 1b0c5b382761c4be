package deployment

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
func followed(t *testing.T, status int, body map[string]any) *rolling {
	t.Helper()
	clock := newSteppedClock()
	c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}), clock)
	return &rolling{outcome: outcome{deployment: api.Deployment{Name: "chat"}, Rollout: rollout.Rollout{
		Client: c, Policy: poll.Policy{Clock: clock, Jitter: -1}, DeploymentID: followedDeployment, Revision: api.Revision{ID: followedRevision},
	}}}
}

// rolling is a rollout that is followed for an apply that has already taken some time.
type rolling struct {
	outcome
	spent time.Duration
}

func (w *rolling) wait(ctx context.Context, limit time.Duration) diag.Diagnostics {
	w.limit = limit
	w.outcome.wait(ctx, w.Policy.Now().Add(-w.spent))
	a := apply{updated: &updated{}}
	return append(a.rolloutDiagnostics(w.outcome), a.readDiagnostics(w.outcome)...)
}

func detail(t *testing.T, diags diag.Diagnostics, i int) string {
	t.Helper()
	if i >= len(diags) {
		t.Fatalf("%d diagnostics, want more: %v", len(diags), frameworktest.Lines(diags))
	}
	return diags[i].Detail()
}

// TestWait expects what users are told about the end of a wait, and whether it taints a new deployment. The package rollout tests when a wait
// ends.
func TestWait(t *testing.T) {
	t.Parallel()
	told := func(status api.RevisionStatus, message string) map[string]any {
		return map[string]any{"id": followedRevision, "status": status, "status_message": message}
	}
	const failed, late, stopped = `error: Rollout of deployment "chat" failed`, `error: Deployment "chat" was not rolled out in time`,
		`warning: Stopped waiting for deployment "chat"`
	for name, test := range map[string]struct {
		status       int
		body         map[string]any
		limit, spent time.Duration
		stopped      bool
		want         string // Empty if it is deployed.
		says         []string
		taints       bool
	}{
		"failed": {
			status: 200, body: told(api.RevisionDeployFailed, "Told by the service."), limit: waitLimit, want: failed,
			says: []string{
				"Told by the service.", "Revision: " + followedRevision, "status: DEPLOY_FAILED", "after ", "the next apply makes a new revision",
			}, taints: true,
		},
		"failed, in a later version of the service": {
			status: 200, body: told("ROLLBACK_FAILED_HARD", ""), limit: waitLimit, want: failed,
			says: []string{"gives no reason", "ROLLBACK_FAILED_HARD"}, taints: true,
		},
		"in progress": {
			status: 200, body: told(api.RevisionDeploying, ""), limit: waitLimit, want: late, says: []string{
				"still in progress", "Revision: " + followedRevision, "last status: DEPLOYING", "after 5m0s of 5m0s", "the next apply resumes waiting", "`timeouts`",
			}, taints: true,
		},
		"interrupted in the service": {
			status: 200, body: told(api.RevisionInterrupted, ""), limit: waitLimit, want: late,
			says: []string{"was interrupted in the service", "last status: INTERRUPTED", "agentplane_redeploy_revision"}, taints: true,
		},
		"the write has taken longer than it may": {
			status: 200, body: told(api.RevisionQueued, ""), limit: time.Second, spent: 4 * time.Second, want: late,
			says: []string{"last status: QUEUED", "after 4s of 1s"}, taints: true,
		},
		"no time left": {status: 200, body: told(api.RevisionDeployed, ""), limit: -time.Second}, // The status is read once anyway.
		"never answered": {
			status: 503, limit: time.Minute, want: `error: Cannot follow the rollout of deployment "chat"`,
			says: []string{"the status of the rollout can't be read: timed out after 1m", "503", "the next apply resumes waiting"},
		},
		"stopped by the user": {
			status: 200, body: told(api.RevisionDeployed, ""), limit: waitLimit, stopped: true, want: stopped,
			says: []string{"continues", "next apply", "last status: not known"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := followed(t, test.status, test.body)
			w.spent = test.spent
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.stopped {
				cancel()
			}
			diags := w.wait(ctx, test.limit)
			w.newest = w.Revision
			if w.taints() != test.taints {
				t.Errorf("taints = %t, want %t", w.taints(), test.taints)
			}
			if w.newest = (api.Revision{ID: "another"}); w.taints() {
				t.Error("a rollout that another user has superseded taints a new deployment")
			}
			if test.want == "" {
				frameworktest.NoDiags(t, diags)
				return
			}
			if diff := cmp.Diff([]string{test.want}, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, diags[0].Detail(), test.says...)
		})
	}
}

// TestWait_log expects a log entry for each status.
func TestWait_log(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	w := followed(t, http.StatusOK, map[string]any{"id": followedRevision, "status": api.RevisionDeployed})
	frameworktest.NoDiags(t, w.wait(tflogtest.RootLogger(t.Context(), &output), waitLimit))
	entries, err := tflogtest.MultilineJSONDecode(&output)
	if err != nil {
		t.Fatal(err)
	}
	entries = slices.DeleteFunc(entries, func(entry map[string]any) bool { return entry["@message"] != "revision status changed" })
	if len(entries) != 1 {
		t.Fatalf("log entries = %v, want one", entries)
	}
	for name, want := range map[string]any{
		"@level": "info", "deployment_id": followedDeployment, "revision_id": followedRevision, "previous_status": "", "status": "DEPLOYED", "elapsed": "0s",
	} {
		if got := entries[0][name]; got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}
