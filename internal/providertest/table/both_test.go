package table

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// both runs a scenario without a CLI and with the real one, each with its own control plane. Both must see the same plans and states and send
// the same requests, so that core behaves like Terraform.
func both(t *testing.T, scenario func(*providertest.Plane) resource.TestCase) {
	t.Helper()
	run := func(name string, engine func(*testing.T, resource.TestCase)) (seen []string) {
		t.Run(name, func(t *testing.T) {
			plane := providertest.NewDev(t)
			r := &recorder{plane: plane}
			engine(t, r.observing(scenario(plane)))
			seen = r.seen
		})
		return seen
	}
	without := run("core", core.Test)
	if os.Getenv(resource.EnvTfAcc) == "" || t.Failed() {
		return // There is nothing to compare with.
	}
	with := run("CLI", func(t *testing.T, c resource.TestCase) { t.Helper(); resource.Test(t, c) })
	if with == nil {
		return // The CLI is too old, or the test has failed.
	}
	if diff := cmp.Diff(with, without); diff != "" && !t.Failed() {
		t.Errorf("core isn't what the CLI is (-CLI +core):\n%s", diff)
	}
}

// recorder records what a test case sees.
type recorder struct {
	plane *providertest.Plane
	seen  []string
	sent  int
}

// observing adds checks to each step that record the plan, the state and the requests so far.
func (r *recorder) observing(c resource.TestCase) resource.TestCase {
	steps := make([]resource.TestStep, len(c.Steps))
	for i, step := range c.Steps {
		if !step.ImportState {
			step.ConfigPlanChecks.PreApply = append([]plancheck.PlanCheck{planRecorder{r}}, step.ConfigPlanChecks.PreApply...)
			step.ConfigPlanChecks.PostApplyPostRefresh = append([]plancheck.PlanCheck{planRecorder{r}}, step.ConfigPlanChecks.PostApplyPostRefresh...)
		}
		if !step.ImportState && !step.Destroy {
			step.ConfigStateChecks = append([]statecheck.StateCheck{stateRecorder{r}}, step.ConfigStateChecks...)
		}
		steps[i] = step
	}
	c.Steps = steps
	return c
}

// note records a value, and the requests since the last one.
func (r *recorder) note(what string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	requests := r.plane.Seen()
	// The number of polls depends on timing, and so do the order of concurrent reads and which of them share the list of deployments.
	reads := map[string]bool{}
	flush := func() {
		r.seen = append(r.seen, slices.Sorted(maps.Keys(reads))...)
		clear(reads)
	}
	for _, request := range requests[r.sent:] {
		sent := r.plain(fmt.Sprintf("%s %s", request.Method, request.Path))
		if request.Method == http.MethodGet {
			if sent == "GET /v2/deployments/UUID" {
				sent = "GET /v2/deployments"
			}
			reads[sent] = true
			continue
		}
		flush()
		r.seen = append(r.seen, sent)
	}
	flush()
	r.sent = len(requests)
	r.seen = append(r.seen, what+" "+r.plain(string(data)))
	return nil
}

var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
)

// plain removes what differs in every run.
func (r *recorder) plain(text string) string {
	text = strings.ReplaceAll(text, r.plane.URL, "URL")
	return times.ReplaceAllString(uuids.ReplaceAllString(text, "UUID"), "TIME")
}

type planRecorder struct{ *recorder }

// CheckPlan implements plancheck.PlanCheck.
func (r planRecorder) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	changes := map[string]any{}
	for _, change := range req.Plan.ResourceChanges {
		changes[change.Address] = map[string]any{
			"actions": change.Change.Actions, "before": change.Change.Before, "after": change.Change.After,
			"unknown": marked("", change.Change.AfterUnknown),
		}
	}
	resp.Error = r.note("plan", changes) //nolint:contextcheck // The requests of a test are there until it ends.
}

type stateRecorder struct{ *recorder }

// CheckState implements statecheck.StateCheck.
func (r stateRecorder) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	all := map[string]any{}
	if req.State.Values == nil {
		resp.Error = r.note("state", all) //nolint:contextcheck // The requests of a test are there until it ends.
		return
	}
	for _, current := range req.State.Values.RootModule.Resources {
		all[current.Address] = map[string]any{
			"values": current.AttributeValues, "tainted": current.Tainted, "mode": current.Mode == tfjson.ManagedResourceMode,
		}
	}
	for name, output := range req.State.Values.Outputs {
		all["output."+name] = output.Value
	}
	resp.Error = r.note("state", all) //nolint:contextcheck // The requests of a test are there until it ends.
}

// marked are the places of true marks: CLIs differ in what else they write.
func marked(at string, marks any) (places []string) {
	switch marks := marks.(type) {
	case bool:
		if marks {
			return []string{at}
		}
	case map[string]any:
		for name, mark := range marks {
			places = append(places, marked(at+"."+name, mark)...)
		}
	case []any:
		for i, mark := range marks {
			places = append(places, marked(fmt.Sprintf("%s[%d]", at, i), mark)...)
		}
	}
	slices.Sort(places)
	return places
}
