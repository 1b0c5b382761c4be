package client

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestRedeployRevision_again sends a redeployment again only if it was provably not processed.
func TestRedeployRevision_again(t *testing.T) {
	t.Parallel()
	for failure, test := range map[string]struct {
		handler http.HandlerFunc
		again   bool
	}{
		"429":            {answerWith(429, `{"detail":"slow down"}`), true},
		"503, later":     {answerWith(503, `{"detail":"later"}`, "Retry-After", "1"), true},
		"504":            {answerWith(504, `{"detail":"no"}`), false},
		"hang-up":        {hangUp, false},
		"broken off":     {breakOff, false},
		"something else": {answerWith(200, `{"ok":true}`), false},
	} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(test.handler, answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","latest_revision_id":"2a000002-0000-4000-8000-000000000000"}`)))
			_, err := c.RedeployRevision(t.Context(), "d0000001-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000")
			asked := s.last(t)
			if diff := cmp.Diff("POST /v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000/redeploy ", asked.Method+" "+asked.Path+" "+asked.Body); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if test.again || failure == "something else" { // Its caller proves it.
				if want := map[bool]int{true: 2, false: 1}[test.again]; err != nil || len(s.calls()) != want {
					t.Errorf("error = %v after %v, want none after %d requests", err, s.calls(), want)
				}
				return
			}
			unknown, ok := errors.AsType[*OutcomeUnknownError](err)
			if !ok || unknown.ID != "d0000001-0000-4000-8000-000000000000" || unknown.Name != "" || len(s.calls()) != 1 {
				t.Fatalf("error = %v after %v, want an OutcomeUnknownError with d0000001-0000-4000-8000-000000000000 after one request", err, s.calls())
			}
		})
	}
}

// TestPatchDeploymentTier_again sends a tier again after a lost reply: it is the same each time, and makes no revision.
func TestPatchDeploymentTier_again(t *testing.T) {
	t.Parallel()
	c, s := serve(t, script(hangUp, answerWith(200, `{"id":"d0000001-0000-4000-8000-000000000000","deployment_tier":"DEDICATED_S"}`)))
	d, err := c.PatchDeploymentTier(t.Context(), "d0000001-0000-4000-8000-000000000000", api.TierDedicatedS)
	if err != nil || *d.DeploymentTier != api.TierDedicatedS || len(s.calls()) != 2 {
		t.Errorf("PatchDeploymentTier = %+v, %v after %v; want the tier after two requests", d, err, s.calls())
	}
}
