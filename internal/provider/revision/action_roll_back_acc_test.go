package revision_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	rollBack = "agentplane_roll_back"
	listing  = "GET /v2/deployments/{deployment_id}/revisions"
	nobody   = "99999999-2222-4333-8444-555555555555"
)

// rollingBackFrom makes a deployment and deploys a number of images, for the action that rolls back.
func rollingBackFrom(t *testing.T, images int) *chat {
	t.Helper()
	c := deployed(t, images)
	c.action = rollBack
	return c
}

// fail creates a revision as another user would, whose rollout fails.
func (c *chat) fail(tag int) {
	c.t.Helper()
	c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying}})()
	c.push(tag)
	c.plane.Clock.Advance(providertest.Rollout)
}

// plan plans the action, with more arguments than the deployment's id.
func (c *chat) plan(more map[string]any, unknown ...string) []*tfprotov6.Diagnostic {
	c.t.Helper()
	arguments := map[string]any{"deployment_id": c.id}
	maps.Copy(arguments, more)
	diags := c.rpc.PlanAction(c.action, arguments, unknown...)
	if text := providertest.Told(diags); strings.Contains(text, secret) {
		c.t.Errorf("a secret is told:\n%s", text)
	}
	return diags
}

// TestAccRollBack expects the plan to show the revisions that the action then returns from and to.
func TestAccRollBack(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			images  int
			failing []int
			pushed  []int          // Afterwards.
			more    map[string]any // revision_id is the number of a revision.
			change  string
			image   int
		}{
			"to a revision": {
				images: 3, more: map[string]any{"revision_id": 1}, change: "from revision R3 (I:3) to R1 (I:1)", image: 1,
			},
			"from a failed one": {
				images: 2, failing: []int{3}, more: map[string]any{"revision_id": 1}, change: "from revision R2 (I:2) to R1 (I:1)", image: 1,
			},
			"to the previous": {
				images: 3, more: map[string]any{"to": "previous"}, change: "from revision R3 (I:3) to R2 (I:2)", image: 2,
			},
			"to the previous of the one that serves, two fail": {
				images: 2, failing: []int{3, 4}, more: map[string]any{"to": "previous"}, change: "from revision R2 (I:2) to R1 (I:1)", image: 1,
			},
			"past one that failed": {
				images: 1, failing: []int{2}, pushed: []int{3}, more: map[string]any{"to": "previous"}, change: "from revision R3 (I:3) to R1 (I:1)", image: 1,
			},
			"past the same image": {
				images: 2, pushed: []int{2, 2}, more: map[string]any{"to": "previous"}, change: "from revision R4 (I:2) to R1 (I:1)", image: 1,
			},
			"to the one that was rolled back": {
				images: 2, pushed: []int{1}, more: map[string]any{"to": "previous"}, change: "from revision R3 (I:1) to R2 (I:2)", image: 2,
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := rollingBackFrom(t, test.images)
				for _, tag := range test.failing {
					c.fail(tag)
				}
				for _, tag := range test.pushed {
					c.push(tag)
					c.plane.Clock.Advance(providertest.Rollout)
				}
				more := maps.Clone(test.more)
				if number, ok := more["revision_id"].(int); ok {
					more["revision_id"] = c.revisions[number-1]
				}
				change := strings.ReplaceAll(test.change, "I:", "registry.example.com/agents/chat:")
				text := c.named(providertest.Told(c.plan(more)))
				if !strings.HasPrefix(text, `WARNING: Rollback of deployment "chat"`) || !strings.Contains(text, "It returns "+change+".") ||
					strings.Contains(text, "ERROR") {
					t.Errorf("the plan says %s", text)
				}
				c.sent(0)
				made := len(c.revisions) + 1
				c.invoke(more).expect(append([]string{`deployment "chat": rolling back ` + change}, rolledOut(fmt.Sprintf("R%d", made), "DEPLOYED")...))
				c.sent(1)
				if now := c.now(); now.SourceRevisionConfig.ImageURI != imageURI(test.image) || *now.ActiveRevisionID != now.LatestRevisionID {
					t.Errorf("the deployment is %+v", now)
				}
			})
		}
	})
}

// TestAccRollBack_refused expects the plan and the action to refuse the same, before anything is sent.
func TestAccRollBack_refused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		more  func(*chat) map[string]any
		words []string
	}{
		"a failed one": {
			func(c *chat) map[string]any {
				c.fail(3)
				c.push(4)
				return map[string]any{"revision_id": c.revisions[2]}
			},
			[]string{`Cannot roll back deployment "chat"`, "revision_id is R3, whose status is DEPLOY_FAILED", "agentplane_deployment_revisions"},
		},
		"the newest": {
			func(c *chat) map[string]any { return map[string]any{"revision_id": c.revisions[1]} },
			[]string{"revision_id is R2, which is already the newest revision", "agentplane_redeploy_revision"},
		},
		"a foreign one": {
			func(*chat) map[string]any { return map[string]any{"revision_id": nobody} },
			[]string{`Cannot roll back deployment "chat"`, "not found", "must be a revision of this deployment"},
		},
		"no deployment": {
			func(*chat) map[string]any { return map[string]any{"deployment_id": nobody, "to": "previous"} },
			[]string{"Cannot roll back deployment " + nobody, "not found", "Check deployment_id"},
		},
		"going": {
			func(c *chat) map[string]any {
				c.plane.Call(http.MethodDelete, "/v2/deployments/"+c.id, nil, nil)
				return map[string]any{"to": "previous"}
			},
			[]string{`deployment "chat" is being deleted`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 2)
			more := test.more(c)
			for step, text := range map[string]string{"plan": providertest.Told(c.plan(more)), "action": c.invoke(more).String()} {
				text = c.named(text)
				for _, want := range append(test.words, "ERROR: ") {
					if !strings.Contains(text, want) {
						t.Errorf("%s: want %q, got:\n%s", step, want, text)
					}
				}
			}
			c.sent(0)
		})
	}
}

// TestAccRollBack_nothingBefore refuses a deployment with no revision to return to: a revision that failed or that is newer than the
// one that serves isn't one.
func TestAccRollBack_nothingBefore(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string][]int{"one revision": nil, "the newest has failed": {2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 1)
			for _, tag := range failing {
				c.fail(tag)
			}
			more := map[string]any{"to": "previous"}
			for step, text := range map[string]string{"plan": providertest.Told(c.plan(more)), "action": c.invoke(more).String()} {
				text = c.named(text)
				if !strings.Contains(text, `no revision of deployment "chat" with another source was DEPLOYED before R1, which serves`) {
					t.Errorf("%s: got %s", step, text)
				}
			}
			c.sent(0)
		})
	}
}

// TestAccRollBack_noneServes refuses a deployment whose first rollout isn't finished.
func TestAccRollBack_noneServes(t *testing.T) {
	t.Parallel()
	c := rollingBackFrom(t, 1)
	c.between(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, c.id) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		var now map[string]any
		c.plane.Call(http.MethodGet, "/v2/deployments/"+c.id, nil, &now)
		now["active_revision_id"] = nil
		if err := json.NewEncoder(w).Encode(now); err != nil {
			t.Error(err)
		}
		return true
	})
	c.invoke(map[string]any{"to": "previous"}).expect(nil, `no revision of deployment "chat" serves`)
	c.sent(0)
}

// TestAccRollBack_again repeats a rollback whose time was up. While the rollout continues, nothing is sent, and the action waits for it.
func TestAccRollBack_again(t *testing.T) {
	t.Parallel()
	const again = `deployment "chat": revision R3 is already rolling back ` + fromTo
	for name, byID := range map[string]bool{"to the previous": false, "as the timeout's text says": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 2)
			first := c.invoke(map[string]any{"to": "previous", "timeout": "8s"})
			first.expect(append([]string{rollingBack}, rolledOut("R3")...), "was not rolled out in time", "still in progress",
				"Revision: R3 · last status: DEPLOYING · after 8s of 8s", `set revision_id to "R1"`, "raise `timeout`")
			more := map[string]any{"to": "previous"}
			if byID {
				more = map[string]any{"revision_id": c.revisions[0]}
			}
			if text := c.named(providertest.Told(c.plan(more))); !strings.Contains(text, fromTo) || !strings.Contains(text, "Revision R3 is already in progress") {
				t.Errorf("the plan says %s", text)
			}
			c.invoke(more).expect([]string{again, "revision R3: DEPLOYING", "revision R3: DEPLOYED"})
			c.sent(1)
			if now := c.now(); now.SourceRevisionConfig.ImageURI != imageURI(1) || *now.ActiveRevisionID != c.revisions[2] {
				t.Errorf("the deployment is %+v", now)
			}
		})
	}
}

// TestAccRollBack_anotherInProgress replaces a rollout of another source, and an interrupted one of the same.
func TestAccRollBack_anotherInProgress(t *testing.T) {
	t.Parallel()
	for name, tag := range map[string]int{"another image": 3, "interrupted": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 2)
			if tag == 1 {
				c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionQueued, Status: api.RevisionInterrupted, Stall: true}})()
			}
			c.push(tag)
			c.plane.Clock.Advance(providertest.Rollout / 4)
			c.invoke(map[string]any{"to": "previous"}).expect(append([]string{rollingBack}, rolledOut("R4", "DEPLOYED")...))
			c.sent(1)
		})
	}
}

// TestAccRollBack_unknown plans without a look while a value is unknown, and warns if looking is impossible.
func TestAccRollBack_unknown(t *testing.T) {
	t.Parallel()
	c := rollingBackFrom(t, 1)
	before := len(c.plane.Server.Requests())
	for _, unknown := range []string{"workspace_id", "deployment_id", "revision_id", "to"} {
		if text := providertest.Told(c.plan(map[string]any{"revision_id": nobody, "workspace_id": providertest.WorkspaceID}, unknown)); text != "" {
			t.Errorf("while %s is unknown: %s", unknown, text)
		}
	}
	if sent := len(c.plane.Server.Requests()) - before; sent > 0 {
		t.Errorf("%d requests were sent", sent)
	}
	for name, fault := range map[string]devserver.Fault{
		"deployment": {Match: getting, Status: 403, Detail: "Not for you."},
		"revision":   {Match: looking, Status: 403, Detail: "Not for you."},
		"revisions":  {Match: listing, Status: 403, Detail: "Not for you."},
	} {
		more := map[string]any{"revision_id": nobody}
		if name == "revisions" {
			more = map[string]any{"to": "previous"}
		}
		c.plane.Arm(fault)()
		text := providertest.Told(c.plan(more))
		if strings.Contains(text, "ERROR") || !strings.Contains(text, "Not for you.") || !strings.Contains(text, "The plan could not check the rollback") {
			t.Errorf("%s: got %s", name, text)
		}
	}
}

// TestAccRollBack_unconfigured plans while the provider's configuration is unknown.
func TestAccRollBack_unconfigured(t *testing.T) {
	t.Parallel()
	c := rollingBackFrom(t, 1)
	as := c.rpc.Schema.Provider.ValueType()
	attributes := c.rpc.Attributes(c.rpc.Value(map[string]any{}), as)
	attributes["base_url"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	block, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, attributes))
	if err != nil {
		t.Fatal(err)
	}
	configured, err := c.rpc.Server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &block})
	c.rpc.OK(err, configured.Diagnostics)
	if text := providertest.Told(c.plan(map[string]any{"revision_id": nobody})); text != "" {
		t.Errorf("the plan says %s", text)
	}
}

// TestAccRollBack_fails expects every failure after the request to say what happened, and what to do.
func TestAccRollBack_fails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault devserver.Fault
		told  []string
		words []string
	}{
		"gone when it is sent": {
			fault: devserver.Fault{Match: sending, Status: 404, Detail: "Revision not found."},
			words: []string{`ERROR: Cannot roll back deployment "chat"`, "Revision not found.", "revision_id, which must be a revision of this deployment"},
		},
		"rollout fails": {
			fault: devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionQueued, Message: "no capacity"}},
			told:  []string{"revision R3: QUEUED", "revision R3: CREATE_FAILED", "deploy log: INFO Queued.", "deploy log: ERROR no capacity"},
			words: []string{
				`ERROR: Rollout of deployment "chat" failed`, "no capacity", "Revision R2, which was active before, is still active", "agentplane_roll_back",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rollingBackFrom(t, 2)
			c.plane.Arm(test.fault)()
			c.invoke(map[string]any{"to": "previous"}).expect(slices.Concat([]string{rollingBack}, test.told), test.words...)
			c.sent(1)
		})
	}
}
