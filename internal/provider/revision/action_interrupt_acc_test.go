package revision_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const interrupting = "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption"

// hanging makes a deployment whose newest revision hangs, for the action that interrupts.
func hanging(t *testing.T, dialect *api.Dialect) *chat {
	t.Helper()
	c := deployed(t, 1, func(cfg *devserver.Config) { cfg.Dialect = dialect })
	c.action = "agentplane_interrupt_revision"
	c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Stall: true}})()
	c.push(2)
	c.plane.Clock.Advance(providertest.Rollout)
	return c
}

// interruptions are the requests that reached the dev server.
func (c *chat) interruptions(want int) {
	c.t.Helper()
	if got := len(c.plane.Requests("POST", "/v2/deployments/*/revisions/*/interruption")); got != want {
		c.t.Errorf("%d interruptions were sent, want %d", got, want)
	}
}

// TestAccInterruptRevision interrupts the newest revision, or one by its ID, and the second time finds it interrupted.
func TestAccInterruptRevision(t *testing.T) {
	t.Parallel()
	for name, byID := range map[string]bool{"newest": false, "by ID": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := hanging(t, api.LangSmith)
			more := map[string]any{}
			if byID {
				more["revision_id"] = c.revisions[1]
			}
			if told := providertest.Told(c.plan(more)); told != "" {
				t.Errorf("the plan says %s", told)
			}
			c.interruptions(0)
			c.invoke(more).expect([]string{"revision R2: interrupting its rollout, which is DEPLOYING", "revision R2: INTERRUPTED"})
			c.invoke(more).expect([]string{"revision R2: already INTERRUPTED"})
			c.interruptions(1)
		})
	}
}

// TestAccInterruptRevision_neutral refuses plan and action in the dialect without the operation, before anything is sent.
func TestAccInterruptRevision_neutral(t *testing.T) {
	t.Parallel()
	c := hanging(t, api.Neutral)
	if told := providertest.Told(c.plan(nil)); !strings.Contains(told, "Not supported by dialect") {
		t.Errorf("the plan says %s", told)
	}
	c.invoke(nil).expect(nil, "Not supported by dialect", `"neutral" can't interrupt revisions`)
	c.interruptions(0)
}

// TestAccInterruptRevision_refused sends nothing for a revision that can't be interrupted.
func TestAccInterruptRevision_refused(t *testing.T) {
	t.Parallel()
	c := hanging(t, api.LangSmith)
	c.invoke(map[string]any{"revision_id": c.revisions[0]}).expect(nil, "Cannot interrupt a revision", "R1 is DEPLOYED: only a rollout in progress")
	c.invoke(map[string]any{"revision_id": nobody}).expect(nil, "Cannot interrupt a revision", "not found")
	c.invoke(map[string]any{"deployment_id": nobody}).expect(nil, "Cannot interrupt a revision", "not found")
	c.interruptions(0)
	c.plane.Arm(devserver.Fault{Match: interrupting, Status: http.StatusBadRequest, Detail: "It is DEPLOYED"})()
	c.invoke(nil).expect([]string{"revision R2: interrupting its rollout, which is DEPLOYING"}, "It is DEPLOYED", "its rollout may have ended")
}

// TestAccInterruptRevision_answers doesn't believe an answer, but looks what the service then has.
func TestAccInterruptRevision_answers(t *testing.T) {
	t.Parallel()
	const begun, done = "revision R2: interrupting its rollout, which is DEPLOYING", "revision R2: INTERRUPTED"
	for name, test := range map[string]struct {
		fault    devserver.Fault
		messages []string
		words    []string
	}{
		"accepted, but not done": {
			devserver.Fault{Match: interrupting, Swallow: true}, []string{begun},
			[]string{"Revision R2 was not interrupted", "answered with status 204, but after 30s the revision is still DEPLOYING"},
		},
		"the reply is lost": {devserver.Fault{Match: interrupting, Drop: true}, []string{begun, done}, nil},
		"the request is lost": {
			devserver.Fault{Match: interrupting, DropBefore: true}, []string{begun},
			[]string{"Revision R2 was not interrupted", "The request failed", "the revision is still DEPLOYING"},
		},
		"refused": {
			devserver.Fault{Match: interrupting, Status: http.StatusConflict, Detail: "Not now"}, []string{begun}, []string{"Cannot interrupt a revision", "Not now"},
		},
		"forbidden": {
			devserver.Fault{Match: interrupting, Status: http.StatusForbidden, Detail: "No access"}, []string{begun},
			[]string{`Cannot interrupt a revision of deployment "chat"`, "No access", "permission"},
		},
		"no such operation": {
			devserver.Fault{Match: interrupting, Status: http.StatusNotFound, Detail: "Not Found"}, []string{begun},
			[]string{`Cannot interrupt a revision of deployment "chat"`, "Not Found", "Check deployment_id"},
		},
		"unreadable afterwards": {
			devserver.Fault{Match: looking, Skip: 1, Status: http.StatusForbidden, Detail: "No access", Times: 999},
			[]string{begun}, []string{"Unknown whether revision R2 was interrupted", "could not be read", "No access"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := hanging(t, api.LangSmith)
			c.plane.Arm(test.fault)()
			c.invoke(nil).expect(test.messages, test.words...)
		})
	}
}

// TestAccInterruptRevision_oneAnswer doesn't end the wait for an accepted interruption because of one response, whatever its status.
func TestAccInterruptRevision_oneAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int64{302, 400, 401, 403, 404, 422, 429, 503} {
		t.Run(http.StatusText(int(status)), func(t *testing.T) {
			t.Parallel()
			c := hanging(t, api.LangSmith)
			c.plane.Arm(devserver.Fault{Match: looking, Skip: 1, Status: status, Detail: "Not now"})()
			c.invoke(nil).expect([]string{"revision R2: interrupting its rollout, which is DEPLOYING", "revision R2: INTERRUPTED"})
			c.interruptions(1)
		})
	}
}

// TestAccInterruptRevision_late says how a rollout has ended that was not interrupted in time.
func TestAccInterruptRevision_late(t *testing.T) {
	t.Parallel()
	c := hanging(t, api.LangSmith)
	c.push(3)
	arm := c.plane.Interrupt("POST /v2/deployments/*/revisions/*/interruption", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		c.plane.Clock.Advance(providertest.Rollout)
		w.WriteHeader(http.StatusNoContent)
	})
	arm(1)
	c.rpc = c.plane.RPC()
	o := c.invoke(nil)
	if told := c.named(providertest.Told(o.diags)); !strings.Contains(told, "but the revision finished as DEPLOYED before the interruption took effect") {
		t.Errorf("the action says %s", told)
	}
}
