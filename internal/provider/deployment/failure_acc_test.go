package deployment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// expectRequests checks the number of writes that reached the service, by method.
func expectRequests(plane *providertest.Plane, wanted map[string]int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for method, want := range wanted {
			path := "/v2/deployments"
			if method != "POST" {
				path += "/*"
			}
			if got := len(plane.Requests(method, path)); got != want {
				return fmt.Errorf("%d %s requests were sent, want %d", got, method, want)
			}
		}
		return nil
	}
}

// words matches an error whose text contains the words in this order, with any line wrapping and framing.
func words(words string) *regexp.Regexp {
	return regexp.MustCompile("(?s)" + strings.Join(strings.Fields(words), `[\s│]+`))
}

func rolloutFault(state api.RevisionStatus, message string) devserver.Fault {
	return devserver.Fault{Rollout: &devserver.RolloutFault{State: state, Message: message}}
}

// TestAccDeployment_masked loses the reply to a creation whose values the service masks: what can't be read might be another user's, so it is
// sent again. Then it answers an update with the deployment as before.
func TestAccDeployment_masked(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, masked)
	create := step(plane, "fail_image", config.Variables{"environment": variables("A", "one")})
	create.PreConfig = plane.Arm(devserver.Fault{Match: creation, Drop: true})
	create.Check = all(healthy(plane), expectRequests(plane, map[string]int{"POST": 1, "PATCH": 1}),
		expectBody(plane, http.MethodPatch, `{"secrets": [{"name": "A", "value": "***"}]}`))
	stale := step(plane, "fail_image", config.Variables{"environment": variables("A", "two")})
	stale.PreConfig = plane.Arm(devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}", Stale: true})
	stale.Check = all(expectRevisions(plane, 3), healthy(plane))
	tryAll(t, plane, create, stale)
}

// TestAccDeployment_notShown creates a deployment that neither reads nor lists show: it stays in state for ten minutes, with a warning in each
// plan.
func TestAccDeployment_notShown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	wanted := imageConfig(plane, map[string]any{"wait_for_deployed": false})
	hidden := func() {
		g.when(reading, -1, answered(http.StatusNotFound, `{"detail": "Deployment not found."}`))
		g.when(listing, -1, answered(http.StatusOK, `{"resources": [], "offset": 0}`))
	}
	g.when(creation, 1, meanwhile(hidden))
	now, diags := d.apply(t.Context(), kept{}, wanted)
	expectKept(t, now, diags, "Deployment not read back")
	now, diags = d.refresh(now)
	expectKept(t, now, diags, "not shown by the service")
	g.forget()
	d.settled(d.refreshed(now), wanted)
	hidden()
	plane.Clock.Advance(providertest.Unseen)
	if now, diags = d.refresh(now); !now.state.IsNull() || hasError(diags) {
		t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(diags), now.state)
	}
}

// TestAccDeployment_crowd applies twenty deployments while many requests fail. A plan of them, once they exist, reads most of them from the list
// instead of individually, and the listeners not at all.
func TestAccDeployment_crowd(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	var mu sync.Mutex
	badly := []action{
		answered(http.StatusTooManyRequests, `{"detail": "Too Many Requests"}`, "Retry-After", "1"),
		answered(http.StatusServiceUnavailable, `{"detail": "Service Unavailable"}`, "Retry-After", "2"),
		done(http.StatusBadGateway, page),
		lost,
	}
	hit := 0
	sometimes := func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		mu.Lock()
		do := meanwhile(func() {})
		if random.IntN(4) == 0 {
			do = badly[random.IntN(len(badly))]
			hit++
		}
		mu.Unlock()
		do(w, r, pass)
	}
	create := step(plane, "fail_many", nil)
	create.PreConfig = g.armed(func() { g.when(everything, -1, sometimes) })
	create.Check = func(*terraform.State) error {
		g.reset()
		var current api.List[api.Deployment]
		plane.Call(http.MethodGet, "/v2/deployments?limit=100", nil, &current)
		if len(current.Resources) != 20 {
			return fmt.Errorf("%d deployments, want 20", len(current.Resources))
		}
		for _, deployment := range current.Resources {
			var revisions api.List[api.Revision]
			plane.Call(http.MethodGet, "/v2/deployments/"+deployment.ID+"/revisions", nil, &revisions)
			if n := len(revisions.Resources); n != 1 || revisions.Resources[0].Status != api.RevisionDeployed {
				return fmt.Errorf("%s has %d revisions, the newest is %s, want one, DEPLOYED", deployment.Name, n, revisions.Resources[0].Status)
			}
		}
		if hit == 0 {
			return errors.New("no request failed, so nothing was tested")
		}
		return nil
	}
	unchanged := step(plane, "fail_many", nil)
	unchanged.PlanOnly = true
	counted := step(plane, "fail_many", nil)
	counted.PlanOnly = true
	unchanged.PreConfig = g.reset
	counted.PreConfig = func() { // The step before has planned twice at most.
		if reads, listeners := g.count(reading), g.count("GET /v2/listeners"); reads > 2*10 || listeners > 0 || g.count(listing) == 0 {
			t.Errorf("plans of unchanged deployments read %d of them individually and listeners %d times, want at most 10 in each plan and none", reads, listeners)
		}
	}
	runCLI(t, plane, create, unchanged, counted)
}
