package deployment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccPredicted changes deployments at random and compares each plan with what the service does. A plan
// must show a new revision if and only if one is made, and one must be made only for changes that the specification lists. A plan with
// unknown values shows a revision that may be made.
// AGENTPLANE_TEST_SEED repeats a run.
func TestAccPredicted(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		const runs, changes = 2, 7
		first, err := strconv.ParseUint(os.Getenv("AGENTPLANE_TEST_SEED"), 10, 64)
		if err != nil {
			first = 1
		}
		for _, source := range []string{"external_container", "git_host"} {
			for seed := first; seed < first+runs; seed++ {
				t.Run(fmt.Sprintf("%s seed %d", source, seed), func(t *testing.T) {
					t.Parallel()
					p := &predictions{plane: providertest.NewDev(t), Rand: rand.New(rand.NewPCG(seed, 0))}
					values := p.initial(source)
					steps := []resource.TestStep{p.step(t, values, false)}
					for range changes {
						next := p.changed(values)
						steps = append(steps, p.compared(t, values, next))
						values = next
					}
					run(t, p.plane, steps...)
				})
			}
		}
	})
}

// predictions generates configurations, and records what the plan of a step shows.
type predictions struct {
	*rand.Rand
	plane   *providertest.Plane
	choices map[string][]any // By argument; nil omits it.

	generation int

	before    api.Deployment
	revisions int
	patches   int
	tiers     int
	unknown   bool            // All values are unknown in the plan, so it may show too many changes.
	triggered bool            // By the attribute whose only purpose is to make a revision.
	planned   map[string]bool // The attributes that are unknown in the plan.
	reasons   [2]any          // The attribute revision_reasons before and after, if it isn't unknown.
	differing []string        // The arguments that the step changes.
}

func (p *predictions) initial(source string) map[string]any {
	values := valuesOf(p.plane, source)
	delete(values, "token")
	text := func(name string, values ...string) map[string]any {
		some := map[string]any{}
		for _, value := range values {
			some[name+value] = "value-" + value
		}
		return some
	}
	p.choices = map[string][]any{
		"environment":           {nil, text("A", "1"), text("A", "1", "2"), map[string]any{"A1": "other"}, map[string]any{"A1": ""}},
		"secrets":               {nil, text("S", "1"), map[string]any{"S1": "other"}},
		"secrets_wo":            {nil, text("W", "1"), map[string]any{"W1": "other"}},
		"environment_ownership": {nil, "all", "declared"},
		"triggers":              {nil, map[string]any{}, map[string]any{"T": "1"}, map[string]any{"T": "2"}},
		"wait_for_deployed":     {nil, true},
	}
	specific := map[string][]any{
		"custom_url": {nil, "https://chat.example.com", "https://other.example.com"},
		"image_uri":  {"registry.example.com/agents/chat:1.0.0", "registry.example.com/agents/chat:2.0.0"},
		"resource_spec": {
			nil, map[string]any{}, map[string]any{"cpu": 2}, map[string]any{"cpu": 2, "memory_mb": 2048}, map[string]any{"labels": map[string]any{}},
			map[string]any{"labels": map[string]any{"team": "chat"}}, map[string]any{"min_scale": 1, "max_scale": 3}, map[string]any{"cpu": 1, "labels": map[string]any{"team": "other"}},
		},
	}
	if source == "git_host" {
		specific = map[string][]any{
			"build_on_push": {nil, true, false}, "install_command": {nil, "npm ci", "npm install"}, "build_command": {nil, "npm run build"},
			"repo_ref": {"main", "next"}, "graph_config_path": {"graph.json", "other.json"}, "deployment_type": {nil, "prod"},
		}
	}
	maps.Copy(p.choices, specific)
	if p.plane.Dialect().LangSmithAPI {
		p.choices["display_name"] = []any{nil, "Chat", "Assistant"}
		p.choices["route_through_gateway"] = []any{nil, true, false}
		p.choices["deployment_tier"] = []any{nil, "SERVERLESS_S", "DEDICATED_S"}
		p.choices["compute_tier"] = []any{nil, "SERVERLESS_S", "DEDICATED_M"}
		if source == "external_container" {
			p.choices["secret_references"] = []any{nil, map[string]any{"R": map[string]any{"secret_name": "s", "secret_key": "k"}}}
		}
	}
	for _, name := range []string{"secrets", "secrets_wo_version", "environment_ownership", "wait_for_deployed", "display_name", "route_through_gateway", "deployment_tier", "compute_tier", "secret_references", "build_command"} {
		values[name] = nil
	}
	return values
}

// changed returns the configuration with some arguments changed or omitted.
func (p *predictions) changed(values map[string]any) map[string]any {
	next := maps.Clone(values)
	for _, name := range slices.Sorted(maps.Keys(p.choices)) {
		if p.IntN(5) == 0 {
			next[name] = p.choices[name][p.IntN(len(p.choices[name]))]
		}
	}
	return next
}

func (p *predictions) step(t *testing.T, values map[string]any, unknown bool) resource.TestStep {
	t.Helper()
	encoded, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	generation := ""
	if unknown {
		p.generation++
		generation = strconv.Itoa(p.generation)
	}
	return step(p.plane, "predicted", config.Variables{
		"values": config.StringVariable(string(encoded)), "generation": config.StringVariable(generation),
	})
}

func (p *predictions) compared(t *testing.T, values, next map[string]any) resource.TestStep {
	t.Helper()
	unknown := p.IntN(4) == 0
	s := p.step(t, next, unknown)
	s.PreConfig = func() {
		p.unknown, p.before, p.revisions, p.patches, p.tiers = unknown, only(p.plane), p.countRevisions(), p.countPatches(), p.countTiers()
	}
	s.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{p}
	s.Check = func(*terraform.State) error {
		p.triggered = values["triggers"] != nil && next["triggers"] != nil && !cmp.Equal(values["triggers"], next["triggers"])
		p.differing = slices.DeleteFunc(slices.Sorted(maps.Keys(next)), func(name string) bool { return cmp.Equal(values[name], next[name]) })
		if err := p.compare(); err != nil {
			return fmt.Errorf("%w, after\n%s", err, cmp.Diff(values, next))
		}
		return nil
	}
	return s
}

// CheckPlan implements plancheck.PlanCheck.
func (p *predictions) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	p.planned = map[string]bool{}
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != address {
			continue
		}
		if slices.Contains(change.Change.Actions, tfjson.ActionDelete) {
			resp.Error = errors.New("the plan replaces the deployment")
		}
		unknown, _ := change.Change.AfterUnknown.(map[string]any)
		for name, value := range unknown {
			p.planned[name] = value == true
		}
		before, _ := change.Change.Before.(map[string]any)
		after, _ := change.Change.After.(map[string]any)
		if stored := before["revision_reasons"]; p.reasons[1] != nil && !cmp.Equal(stored, p.reasons[1]) {
			resp.Error = fmt.Errorf("revision_reasons are %v, want those that were planned before, %v", stored, p.reasons[1])
		}
		p.reasons = [2]any{before["revision_reasons"], after["revision_reasons"]}
	}
}

// compare compares the plan with what happened.
func (p *predictions) compare() error {
	made, patched := p.countRevisions()-p.revisions, p.countPatches()-p.patches
	if patched > 1 || made > patched {
		return fmt.Errorf("%d requests made %d revisions, want at most one each", patched, made)
	}
	for _, name := range []string{"latest_revision_id", "latest_revision_status", "active_revision_id", "image_version"} {
		if p.planned[name] != (made == 1) && (!p.unknown || made == 1) {
			return fmt.Errorf("unknown in the plan: %v (%s %t), but %d revisions were made", p.planned, name, p.planned[name], made)
		}
	}
	sent := patched + p.countTiers() - p.tiers
	if p.planned["updated_at"] != (sent > 0) && (!p.unknown || sent > 0) {
		return fmt.Errorf("unknown in the plan: %v, but %d requests were sent", p.planned, sent)
	}
	if p.planned["id"] || p.planned["created_at"] || p.planned["tracing_project_id"] {
		return fmt.Errorf("unknown in the plan without a reason: %v", p.planned)
	}
	return errors.Join(p.explained(made), p.needless(made))
}

// explained returns an error if the reasons in the plan don't explain the revision that was made.
func (p *predictions) explained(made int) error {
	if p.planned["revision_reasons"] {
		if !p.planned["latest_revision_id"] {
			return errors.New("the plan makes no revision, but its revision_reasons are unknown")
		}
		return nil
	}
	if made == 0 {
		if !cmp.Equal(p.reasons[0], p.reasons[1]) {
			return fmt.Errorf("no revision was made, but revision_reasons changed from %v to %v", p.reasons[0], p.reasons[1])
		}
		return nil
	}
	reasons, _ := p.reasons[1].(map[string]any)
	changes, _ := reasons["changes"].([]any)
	if reasons["previous_revision_id"] != *p.before.LatestRevisionID || len(changes) == 0 {
		return fmt.Errorf("revision_reasons = %v after %s, want the reasons for the revision", reasons, *p.before.LatestRevisionID)
	}
	environment := []string{"environment", "secrets", "secrets_wo", "environment_ownership"}
	for _, change := range changes {
		path, _, _ := strings.Cut(fmt.Sprint(change), "[")
		names := []string{path[strings.LastIndex(path, ".")+1:]}
		switch {
		case strings.HasPrefix(path, "source_config.resource_spec"):
			names = []string{"resource_spec"}
		case slices.Contains(environment, path), path == "environment_names":
			names = environment // Variables may have another value or owner since the environment was last managed.
		}
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(p.differing, name) }) {
			return fmt.Errorf("revision_reasons have %s, but what changed is %v", change, p.differing)
		}
	}
	return nil
}

// needless returns an error if a revision was made although nothing changed for which the specification requires one.
func (p *predictions) needless(made int) error {
	after := only(p.plane)
	type triggering struct {
		Revision   api.SourceRevisionConfig
		Secrets    []api.Secret
		Spec       *api.ResourceSpec
		References []api.SecretReference
		Commands   [2]*string
	}
	of := func(d api.Deployment) triggering {
		these := triggering{Revision: d.SourceRevisionConfig, Secrets: d.Secrets, Spec: d.SourceConfig.ResourceSpec, References: d.SecretReferences}
		these.Revision.RepoCommitSHA = nil
		if p.plane.Dialect().CommandsMakeRevision {
			these.Commands = [2]*string{d.SourceConfig.InstallCommand, d.SourceConfig.BuildCommand}
		}
		return these
	}
	byName := cmpopts.SortSlices(func(a, b api.Secret) bool { return a.Name < b.Name })
	same := cmp.Equal(of(p.before), of(after), byName, cmpopts.EquateEmpty())
	if made == 1 && same && !p.triggered {
		return errors.New("a revision was made without a change that requires one")
	}
	return nil
}

func (p *predictions) countRevisions() int {
	var revisions api.List[api.Revision]
	p.plane.Call(http.MethodGet, "/v2/deployments/"+only(p.plane).ID+"/revisions?limit=100", nil, &revisions)
	return len(revisions.Resources)
}

func (p *predictions) countPatches() int {
	return len(p.plane.Requests(http.MethodPatch, "/v2/deployments/*"))
}

func (p *predictions) countTiers() int {
	return len(p.plane.Requests(http.MethodPatch, tierOperation)) + len(p.plane.Requests(http.MethodPatch, partsOperation))
}
