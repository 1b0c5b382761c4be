package run_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// spent are the figures of a run: tokens, and costs in thousandths of a dollar; no cost is -1.
type spent struct{ Prompt, Completion, Cost int64 }

func (s spent) tokens() int64 { return s.Prompt + s.Completion }

func (s spent) plus(more spent) spent {
	sum := spent{s.Prompt + more.Prompt, s.Completion + more.Completion, s.Cost}
	if more.Cost >= 0 {
		sum.Cost = max(0, s.Cost) + more.Cost
	}
	return sum
}

// grown is a run of a generated tree.
type grown struct {
	id, name string
	parent   *grown
	order    string
	start    time.Time
	own      spent
	// whole is what the run has spent with all below it, and missing says that it is never logged.
	whole   spent
	missing bool
}

// grow makes a trace. Every run counts for all above it, whether they are logged or not.
func grow(random *rand.Rand, tree int) []*grown {
	all := make([]*grown, 2+random.IntN(10))
	for i := range all {
		r := &grown{
			id: uuid.NewString(), name: fmt.Sprintf("run-%d-%d", tree, i), own: spent{Cost: -1},
			start: time.Date(2026, 1, 2, 3, tree, i, 0, time.UTC),
		}
		if i > 0 {
			r.parent = all[random.IntN(i)]
			r.order = r.parent.order + "."
			r.missing = i < len(all)-1 && random.IntN(6) == 0
		}
		r.order += r.start.Format("20060102T150405") + "000000Z" + r.id
		if random.IntN(3) > 0 {
			r.own = spent{random.Int64N(100), random.Int64N(100), random.Int64N(1000) - 100}
			r.own.Cost = max(-1, r.own.Cost)
		}
		all[i] = r
	}
	for i, r := range slices.Backward(all) {
		if r.missing {
			r.own = spent{Cost: -1}
		}
		r.whole = r.own
		for _, below := range all[i+1:] {
			if below.parent == r {
				r.whole = r.whole.plus(below.whole)
			}
		}
	}
	return slices.DeleteFunc(all, func(r *grown) bool { return r.missing })
}

func (r *grown) root() *grown {
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// dollars is a cost as an exact decimal; empty for none.
func dollars(thousandths int64) string {
	if thousandths < 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000), "0"), ".")
}

func (r *grown) body() map[string]any {
	body := map[string]any{
		"id": r.id, "trace_id": r.root().id, "dotted_order": r.order, "session_name": "chat", "name": r.name, "run_type": "llm",
		"start_time": r.start.Format(time.RFC3339), "end_time": r.start.Add(time.Second).Format(time.RFC3339),
	}
	if r.parent != nil {
		body["parent_run_id"] = r.parent.id
	}
	usage := map[string]any{"input_tokens": r.own.Prompt, "output_tokens": r.own.Completion}
	if r.own.Cost >= 0 {
		usage["total_cost"] = json.Number(dollars(r.own.Cost))
	}
	body["outputs"] = map[string]any{"usage_metadata": usage}
	return body
}

// shown are the figures of runs in an answer, by the names of the runs. Costs are texts in one version of the API and numbers
// in the other.
func shown(runs []map[string]any) map[string]spent {
	all := map[string]spent{}
	for _, run := range runs {
		figures := spent{int64(run["prompt_tokens"].(float64)), int64(run["completion_tokens"].(float64)), -1}
		if int64(run["total_tokens"].(float64)) != figures.tokens() {
			figures.Prompt = -1 // Not what anything expects.
		}
		if text := fmt.Sprint(run["total_cost"]); run["total_cost"] != nil {
			var cost float64
			_, _ = fmt.Sscan(text, &cost)
			figures.Cost = int64(math.Round(cost * 1000))
		}
		all[run["name"].(string)] = figures
	}
	return all
}

// TestAccFiguresAgree: for generated traces, of which some runs never arrive, what an answer shows is what a filter compares,
// what statistics sum up, and what the data source returns, in both versions of the API.
func TestAccFiguresAgree(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	random := rand.New(rand.NewPCG(1, 2))
	var all []*grown
	for tree := range 6 {
		all = append(all, grow(random, tree)...)
	}
	bodies := make([]any, len(all))
	for i, at := range random.Perm(len(all)) { // Runs arrive in no order.
		bodies[i] = all[at].body()
	}
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": bodies}, nil)

	conditions := map[string]func(spent) bool{
		"":                     func(spent) bool { return true },
		"eq(total_cost, null)": func(s spent) bool { return s.Cost < 0 },
	}
	for _, r := range all[:12] { // The bounds are figures that there are.
		for _, of := range []spent{r.own, r.whole} {
			conditions[fmt.Sprintf("gte(total_tokens, %d)", of.tokens())] = func(s spent) bool { return s.tokens() >= of.tokens() }
			conditions[fmt.Sprintf("lt(prompt_tokens, %d)", of.Prompt)] = func(s spent) bool { return s.Prompt < of.Prompt }
			conditions[fmt.Sprintf("eq(completion_tokens, %d)", of.Completion)] = func(s spent) bool { return s.Completion == of.Completion }
			if of.Cost >= 0 {
				conditions[fmt.Sprintf("eq(total_cost, %s)", dollars(of.Cost))] = func(s spent) bool { return s.Cost == of.Cost }
				conditions[fmt.Sprintf("gt(total_cost, %s)", dollars(of.Cost))] = func(s spent) bool { return s.Cost > of.Cost }
			}
		}
	}
	own, whole := func(r *grown) spent { return r.own }, func(r *grown) spent { return r.whole }
	matching := func(holds func(spent) bool, of func(*grown) spent) map[string]spent {
		matches := map[string]spent{}
		for _, r := range all {
			if holds(of(r)) {
				matches[r.name] = of(r)
			}
		}
		return matches
	}
	selects := []string{"NAME", "PROMPT_TOKENS", "COMPLETION_TOKENS", "TOTAL_TOKENS", "TOTAL_COST"}
	for condition, holds := range conditions {
		for _, version := range []struct {
			path  string
			query map[string]any
			of    func(*grown) spent
		}{
			{"/api/v1/runs/query", map[string]any{}, whole},
			{"/api/v2/runs/query", map[string]any{"selects": selects, "min_start_time": "2026-01-01T00:00:00Z"}, own},
			{"/api/v2/runs/query", map[string]any{"selects": selects, "min_start_time": "2026-01-01T00:00:00Z", "include_subtree_usage": true}, whole},
		} {
			version.query["filter"] = condition
			var page struct{ Runs, Items []map[string]any }
			plane.Call(http.MethodPost, version.path, version.query, &page)
			if diff := cmp.Diff(matching(holds, version.of), shown(append(page.Runs, page.Items...))); diff != "" {
				t.Errorf("%s %v (-want +got):\n%s", version.path, version.query, diff)
			}
		}
		// Statistics count no run twice, wherever it is shown.
		var stats struct {
			RunCount         int64        `json:"run_count"`
			PromptTokens     int64        `json:"prompt_tokens"`
			CompletionTokens int64        `json:"completion_tokens"`
			TotalCost        *json.Number `json:"total_cost"`
		}
		plane.Call(http.MethodPost, "/api/v1/runs/stats", map[string]any{"filter": condition}, &stats)
		matches := matching(holds, whole)
		want := spent{Cost: -1}
		for _, r := range all {
			for above := r; above != nil; above = above.parent {
				if _, counts := matches[above.name]; counts {
					want = want.plus(r.own)
					break
				}
			}
		}
		got := spent{stats.PromptTokens, stats.CompletionTokens, -1}
		if stats.TotalCost != nil {
			cost, _ := stats.TotalCost.Float64()
			got.Cost = int64(math.Round(cost * 1000))
		}
		if got != want || stats.RunCount != int64(len(matches)) {
			t.Errorf("statistics of %q: %d runs with %+v, want %d with %+v", condition, stats.RunCount, got, len(matches), want)
		}
	}

	var steps []resource.TestStep
	for _, condition := range []string{"", fmt.Sprintf("gte(total_tokens, %d)", all[0].whole.tokens())} {
		var want []knownvalue.Check
		for _, r := range all {
			if conditions[condition](r.whole) {
				cost := knownvalue.Check(knownvalue.Null())
				if r.whole.Cost >= 0 {
					cost = knownvalue.StringExact(dollars(r.whole.Cost))
				}
				want = append(want, knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"name": knownvalue.StringExact(r.name), "prompt_tokens": knownvalue.Int64Exact(r.whole.Prompt),
					"completion_tokens": knownvalue.Int64Exact(r.whole.Completion), "total_tokens": knownvalue.Int64Exact(r.whole.tokens()), "total_cost": cost,
				}))
			}
		}
		variables := config.Variables{"order": config.StringVariable("asc")}
		if condition != "" {
			variables["filter"] = config.StringVariable(condition)
		}
		steps = append(steps, list(variables, statecheck.ExpectKnownValue(runs, tfjsonpath.New("runs"), knownvalue.ListExact(want))))
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
