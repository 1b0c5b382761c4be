package deployment_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccAgreeCLI_blind loses sight of a rollout before the limit of a creation, in every way: the service has finished it. Terraform must
// not taint the deployment.
func TestAccAgreeCLI_blind(t *testing.T) {
	t.Parallel()
	provider := buildProvider(t)
	const limit = 4 * time.Second
	ends := make(chan struct{}) // Of the test.
	silent := func(http.ResponseWriter, *http.Request, http.Handler) { <-ends }
	later := func(d time.Duration) action {
		return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			time.Sleep(d)
			pass.ServeHTTP(w, r)
		}
	}
	for name, test := range map[string]struct {
		answer action
		stops  bool
		sees   bool // The check after the limit shows the rollout.
	}{
		"no connection":         {answer: cut},
		"no answer":             {answer: silent},
		"429":                   {answer: answered(http.StatusTooManyRequests, `{"detail": "Later."}`, "Retry-After", "60")},
		"503":                   {answer: answered(http.StatusServiceUnavailable, `{"detail": "Busy."}`, "Retry-After", "60")},
		"slow answers":          {answer: later(3 * time.Second), sees: true},
		"slower than the limit": {answer: later(6 * time.Second), sees: true},
		"a stopped provider":    {stops: true, sees: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCLI(t, provider)
			v := &victim{cli: c}
			c.env = append(c.env, "TF_VAR_create_timeout="+limit.String())
			continued := make(chan struct{})
			if name == "no answer" {
				t.Cleanup(func() { close(ends) }) // Before the gate waits for its requests.
			}
			c.gate.after(1, polling, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				c.plane.Clock.Advance(providertest.Rollout) // The rollout ends, which the provider doesn't see.
				if !test.stops {
					test.answer(w, r, pass)
					return
				}
				plugins := v.plugins()
				for _, plugin := range plugins {
					v.signal(plugin, syscall.SIGSTOP)
				}
				go func() {
					defer close(continued)
					time.Sleep(limit + time.Second)
					for _, plugin := range plugins {
						v.signal(plugin, syscall.SIGCONT)
					}
				}()
				cut(w, r, pass)
			})
			if !test.stops {
				c.gate.after(0, polling, -1, test.answer)
			}
			output, ok := c.run(nil, "apply", "-auto-approve")
			if test.stops {
				<-continued
			}
			if !ok || strings.Contains(output, "Warning: Cannot follow the rollout") == test.sees || strings.Contains(output, "in progress") {
				t.Errorf("succeeded = %t, want it to, with a warning: %t; output: %s", ok, !test.sees, output)
			}
			if instances, content := c.instances(); len(instances) != 1 || instances[0].Status != "" {
				t.Fatalf("state = %s, want one deployment, not tainted", content)
			}
			c.gate.reset()
			c.expect(true, "0 destroyed", nil, "apply", "-auto-approve")
			c.expectState(false, "DEPLOYED", 0, 0, 0)
			c.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
		})
	}
}

// TestAccAgreeCLI has another user change the deployment during an apply, or between a plan and its apply.
func TestAccAgreeCLI(t *testing.T) {
	t.Parallel()
	provider := buildProvider(t)
	apply := []string{"apply", "-auto-approve"}
	newer := "TF_VAR_image_uri=registry.example.com/agents/chat:2.0.0"
	started := func(t *testing.T) *cli {
		t.Helper()
		c := newCLI(t, provider)
		c.endAt(1, polling)
		c.expect(true, "1 added", nil, apply...)
		c.gate.reset()
		return c
	}
	rollBack := func(c *cli) { byOther(c.plane, map[string]any{"source_revision_config": image("1.0.0")}) }

	t.Run("rolled back in mid-wait", func(t *testing.T) {
		t.Parallel()
		c := started(t)
		c.env = append(c.env, newer, "TF_VAR_demanded_status=DEPLOYED")
		c.gate.after(1, polling, 1, meanwhile(func() { rollBack(c) }))
		c.endAt(2, polling)
		output, ok := c.run(nil, apply...)
		if ok || !strings.Contains(output, *only(c.plane).LatestRevisionID) || !strings.Contains(output, "was superseded") {
			t.Errorf("succeeded = %t, want an error with both revisions: %s", ok, output)
		}
		c.expectState(false, "DEPLOYED", 0, 1, 0)
		c.gate.reset()
		c.endAt(1, polling)
		c.expect(true, "1 changed", nil, apply...) // The change is made again.
		c.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
	})

	t.Run("stale plan", func(t *testing.T) {
		t.Parallel()
		c := started(t)
		c.env = append(c.env, newer)
		c.expect(true, "1 to change", nil, "plan", "-out=plan")
		revision := byOther(c.plane, map[string]any{"source_revision_config": image("3.0.0")})
		c.plane.Clock.Advance(providertest.Rollout)
		c.endAt(1, polling)
		output, ok := c.run(nil, "apply", "plan")
		if !ok || !strings.Contains(output, revision) || !strings.Contains(output, "overwritten its value of source_revision_config.image_uri") {
			t.Errorf("succeeded = %t, want a warning with revision %s: %s", ok, revision, output)
		}
		c.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
	})

	t.Run("purged in mid-wait", func(t *testing.T) {
		t.Parallel()
		c := newCLI(t, provider)
		c.gate.after(2, polling, 1, meanwhile(func() {
			deleteByOther(c.plane)
			c.plane.Clock.Advance(providertest.Rollout)
		}))
		c.expect(false, `Deployment "tf-acc-fail-cli" was deleted`, nil, apply...)
		if instances, content := c.instances(); len(instances) != 0 {
			t.Errorf("state = %s, want nothing in it", content)
		}
		c.gate.reset()
		c.endAt(1, polling)
		c.expect(true, "1 added", nil, apply...)
	})
}
