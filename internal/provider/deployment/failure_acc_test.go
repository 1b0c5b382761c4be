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
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
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

// TestAccDeployment_firstRevisionFails expects the deployment in state, tainted as Terraform does after an error during
// creation, and nothing lost or left behind when it is replaced.
func TestAccDeployment_firstRevisionFails(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	failing := step(plane, "external_container", nil)
	failing.PreConfig = plane.Arm(rolloutFault(api.RevisionDeploying, "the container exited with code 1"))
	failing.ExpectError = words(`Rollout of deployment "tf-acc-image" failed .* the container exited with code 1 .*Revision: [0-9a-f-]{36} · status: DEPLOY_FAILED`)
	healed := step(plane, "external_container", nil)
	healed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
	}
	healed.Check = expectRequests(plane, map[string]int{"POST": 2, "DELETE": 1})
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{failing, healed},
	})
}

// TestAccDeployment_laterRevisionFails expects the next plan to show the failure and to repair it.
func TestAccDeployment_laterRevisionFails(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	newer := config.Variables{"repo_ref": config.StringVariable("release")}
	failing := step(plane, "git_host", newer)
	failing.PreConfig = plane.Arm(rolloutFault(api.RevisionBuilding, "npm ci: exit status 1"))
	failing.ExpectError = words(`npm ci: exit status 1 .*BUILD_FAILED`)
	repaired := step(plane, "git_host", newer)
	repaired.ConfigPlanChecks.PreApply = append(revisionPredicted(true),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
	repaired.ConfigStateChecks = append(repaired.ConfigStateChecks, known(text("DEPLOYED"), "latest_revision_status"))
	repaired.Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 2, "DELETE": 0})
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{step(plane, "git_host", nil), failing, repaired},
	})
}

// TestAccDeployment_timeout expects an error at the timeout, the deployment in state, and that the next apply succeeds.
func TestAccDeployment_timeout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	limit := config.Variables{"timeouts": config.MapVariable(map[string]config.Variable{
		"create": config.StringVariable("5m"), "update": config.StringVariable("3m"),
	})}
	create := step(plane, "external_container", limit)
	create.ExpectError = words(`Deployment "tf-acc-image" was not rolled out in time .*status: DEPLOYING · after 5m0s`)
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{create, step(plane, "external_container", nil)},
	})
}

// TestAccDeployment_updateTimeout leaves a revision in progress: the next apply only waits for it.
func TestAccDeployment_updateTimeout(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	image := config.StringVariable("registry.example.com/agents/chat:2.0.0")
	short := step(plane, "external_container", config.Variables{
		"image_uri": image,
		"timeouts":  config.MapVariable(map[string]config.Variable{"update": config.StringVariable("3m")}),
	})
	short.ExpectError = words(`was not rolled out in time .* after 3m`)
	resumed := step(plane, "external_container", config.Variables{"image_uri": image})
	resumed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
	}
	resumed.ConfigStateChecks = append(resumed.ConfigStateChecks, known(text("DEPLOYED"), "latest_revision_status"))
	resumed.Check = expectRequests(plane, map[string]int{"POST": 1, "PATCH": 1})
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{step(plane, "external_container", nil), short, resumed},
	})
}

// outages are ways in which a service can be unavailable temporarily.
var outages = map[string]action{
	"502 page":     answered(http.StatusBadGateway, page),
	"503":          answered(http.StatusServiceUnavailable, `{"detail": "Service Unavailable"}`),
	"503 for 30 s": answered(http.StatusServiceUnavailable, `{"detail": "Service Unavailable"}`, "Retry-After", "30"),
	"429":          answered(http.StatusTooManyRequests, `{"detail": "Too Many Requests"}`, "Retry-After", "5"),
	"500":          answered(http.StatusInternalServerError, `{"detail": "Internal Server Error"}`),
	"page instead": answered(http.StatusOK, page),
	"404 page":     answered(http.StatusNotFound, page),
	"closed":       cut,
	"broken off":   brokenOff,
}

// TestAccDeployment_outage interrupts the service for twenty requests during every wait: nothing may end early or be tainted.
func TestAccDeployment_outage(t *testing.T) {
	t.Parallel()
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			create := step(plane, "fail_image", nil)
			create.PreConfig = g.armed(func() { g.after(3, polling, 20, outage) })
			create.Check = all(g.counted(creation, 1), healthy(plane))
			update := step(plane, "fail_image", config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")})
			update.PreConfig = create.PreConfig
			update.Check = all(g.counted(changing, 1), healthy(plane), expectRevisions(plane, 2))
			destroy := step(plane, "fail_image", nil)
			destroy.Destroy = true
			destroy.PreConfig = g.armed(func() {
				g.when(deletion, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
					g.when(reading, 20, outage)
					pass.ServeHTTP(w, r)
				})
			})
			tryAll(t, plane, create, update, destroy)
			if got := g.count(deletion); got != 1 {
				t.Errorf("the deletion was sent %d times, want once", got)
			}
		})
	}
}

// TestAccDeployment_outageBeyondDeadline interrupts the service until the timeout, which the error mentions.
func TestAccDeployment_outageBeyondDeadline(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	newer := config.Variables{
		"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0"), "timeouts": named("update", "5m"),
	}
	down := step(plane, "fail_image", newer)
	down.PreConfig = g.armed(func() { g.after(2, polling, -1, answered(http.StatusBadGateway, page)) })
	down.ExpectError = words(`Cannot follow the rollout .*can't be read: timed out after 5m\d+s .limit 5m0s.*502 Bad Gateway.*plan again`)
	again := step(plane, "fail_image", newer)
	again.PreConfig = g.armed()
	again.Check = all(g.counted(changing, 0), expectRevisions(plane, 2))
	tryAll(t, plane, step(plane, "fail_image", nil), down, again)
}

// TestAccDeployment_tooManyRequestsEverywhere refuses every kind of request twice before it succeeds.
func TestAccDeployment_tooManyRequestsEverywhere(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{
		"seconds": {"Retry-After", "7"}, "date": {"Retry-After", "Fri, 02 Jan 2026 03:05:00 GMT"}, "none": nil, "longer than a minute": {"Retry-After", "600"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			refused := answered(http.StatusTooManyRequests, `{"detail": "Too Many Requests"}`, headers...)
			everyKind := g.armed(func() {
				for _, pattern := range []string{creation, listing, reading, changing, deletion, polling, "GET /v2/listeners"} {
					g.when(pattern, 2, refused)
				}
			})
			create := step(plane, "fail_image", nil)
			create.PreConfig = everyKind
			create.Check = all(g.counted(creation, 3), healthy(plane))
			update := step(plane, "fail_image", config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")})
			update.PreConfig = everyKind
			update.Check = all(g.counted(changing, 3), expectRevisions(plane, 2))
			destroy := step(plane, "fail_image", nil)
			destroy.Destroy, destroy.PreConfig = true, everyKind
			tryAll(t, plane, create, update, destroy)
			if got := g.count(deletion); got != 3 {
				t.Errorf("the deletion was sent %d times, want 3", got)
			}
		})
	}
}

// TestAccDeployment_notReadBack can't read the deployment after its rollout: it is healthy, so it isn't tainted,
// and a warning says that the next apply completes the state.
func TestAccDeployment_notReadBack(t *testing.T) {
	t.Parallel()
	failing := answered(http.StatusInternalServerError, `{"detail": "Internal Server Error"}`)
	plane := providertest.NewDev(t, unlagged)
	g := gateTo(t, plane)
	d := drive(t, plane)
	g.when(reading, 500, failing)
	config := imageConfig(plane, nil)
	now, diags := d.apply(t.Context(), kept{}, config)
	expectKept(t, now, diags, "Deployment not read back")
	g.reset()
	d.settled(now, config)

	now = d.refreshed(now)
	g.reset()
	g.after(2, reading, 500, failing)
	config["source_revision_config"] = image("2.0.0")
	now, diags = d.apply(t.Context(), now, config)
	expectKept(t, now, diags, "Deployment not read back")
	if got, want := now.text("latest_revision_id"), *only(plane).LatestRevisionID; got != want || got != now.text("active_revision_id") {
		t.Errorf("revisions in state = %s (latest), %s (active); want the service's, %s", got, now.text("active_revision_id"), want)
	}
	if got := g.count(changing); got != 1 {
		t.Errorf("sent %d PATCHes, want 1", got)
	}
	g.reset()
	d.settled(now, config)
}

// TestAccDeployment_crowd applies twenty deployments while many requests fail.
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
	runCLI(t, plane, create)
}
