package price_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

type (
	object = devservertest.Object
	plane  = devservertest.Plane
)

func TestModelPrices(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{NoDefaultPrices: true})
	created := devservertest.Into[object](p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"prompt_cost_details": object{"cache_read": "1e-6"}})).Want(http.StatusOK))
	want := object{
		"id": created["id"], "tenant_id": devservertest.WorkspaceA, "created_at": "2026-05-02T10:00:00.000000Z", "name": "large",
		"match_pattern": "^example-large$", "match_path": []any{"model", "model_name", "model_id", "model_path", "endpoint_name"},
		"provider": nil, "start_time": nil, "prompt_cost": 0.000002, "completion_cost": 0.000003,
		"prompt_cost_details": object{"cache_read": 0.000001}, "completion_cost_details": nil,
	}
	devservertest.Same(t, "created", want, created)
	path := "/api/v1/model-price-map/" + created["id"].(string)

	// Creating the same price again is a conflict; with a provider, or from a later time, it isn't.
	conflict := devservertest.Into[map[string]string](p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry()).Want(http.StatusConflict))
	if !strings.Contains(conflict["detail"], created["id"].(string)) {
		t.Errorf("the conflict doesn't name the other entry: %s", conflict["detail"])
	}
	other := devservertest.Into[object](p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"provider": "example"})).Want(http.StatusOK))
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"start_time": "2026-06-01T00:00:00Z"})).Want(http.StatusOK)
	// Nor may an update make two of them equal.
	p.Do(http.MethodPut, path, devservertest.PriceEntry(object{"provider": "example"})).Want(http.StatusConflict)
	p.Do(http.MethodPut, path, devservertest.PriceEntry(object{"prompt_cost": 1})).Want(http.StatusOK)

	page := p.Do(http.MethodGet, "/model-price-map?limit=1&offset=1", nil).Want(http.StatusOK)
	if list := devservertest.Into[[]object](page); len(list) != 1 || list[0]["id"] != other["id"] || page.Header.Get("X-Pagination-Total") != "3" {
		t.Errorf("second page = %v of %s prices, want the other one of 3", list, page.Header.Get("X-Pagination-Total"))
	}
	if list := devservertest.Get[[]object](p.As("X-Tenant-Id", devservertest.WorkspaceB), "/model-price-map"); len(list) != 0 {
		t.Errorf("prices of another workspace = %v, want none", list)
	}
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodDelete, path, nil).Want(http.StatusNotFound)
	p.Do(http.MethodDelete, path, nil).Want(http.StatusOK)
	p.Do(http.MethodDelete, path, nil).Want(http.StatusNotFound)
	p.Do(http.MethodPut, path, devservertest.PriceEntry()).Want(http.StatusNotFound)
}

func TestModelPriceRefused(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, test := range map[string]struct {
		body any
		text string
	}{
		"nothing":             {object{}, `["body","match_pattern"]`},
		"a list":              {[]any{}, "valid dictionary"},
		"no pattern":          {devservertest.PriceEntry(object{"match_pattern": "("}), "match_pattern"},
		"an empty pattern":    {devservertest.PriceEntry(object{"match_pattern": ""}), "match_pattern is empty"},
		"a negative price":    {devservertest.PriceEntry(object{"prompt_cost": -1}), "prompt_cost is -1"},
		"a pattern too long":  {devservertest.PriceEntry(object{"match_pattern": strings.Repeat("a", 1001)}), "at most 1000 bytes"},
		"a price that is not": {devservertest.PriceEntry(object{"prompt_cost": "free"}), "free"},
		"no time":             {devservertest.PriceEntry(object{"start_time": "soon"}), "soon"},
	} {
		r := p.Do(http.MethodPost, "/model-price-map", test.body).Want(http.StatusUnprocessableEntity)
		if !strings.Contains(string(r.Body), test.text) {
			t.Errorf("%s: error %s doesn't contain %s", name, r.Body, test.text)
		}
	}
}

// TestModelPricesBounded fills the price map of a workspace with patterns of 2,755 steps each.
func TestModelPricesBounded(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{NoDefaultPrices: true})
	create := func(i int, pattern string) devservertest.Reply {
		return p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"name": fmt.Sprint("model-", i), "match_pattern": pattern}))
	}
	long := func(i int) string { return fmt.Sprintf("^%02d(?:a?){1000}%s$", i, strings.Repeat("b", 750)) }
	var last object
	for i := range 18 {
		last = devservertest.Into[object](create(i, long(i)).Want(http.StatusOK))
	}
	refused := create(18, long(18)).Want(http.StatusUnprocessableEntity)
	if !strings.Contains(string(refused.Body), `["body","match_pattern"]`) || !strings.Contains(string(refused.Body), "limit is 50000") {
		t.Errorf("19th pattern: %s, want its place and the limit", refused.Body)
	}
	create(18, long(17)).Want(http.StatusOK) // It is matched once for both.
	path := "/api/v1/model-price-map/" + last["id"].(string)
	p.Do(http.MethodPut, path, devservertest.PriceEntry(object{"match_pattern": long(17), "prompt_cost": 1})).Want(http.StatusOK)
	p.Do(http.MethodPut, path, devservertest.PriceEntry(object{"match_pattern": long(18)})).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodPut, path, devservertest.PriceEntry(object{"match_pattern": "short"})).Want(http.StatusOK)
}

// TestLongModelName logs a document in place of a model's name.
func TestLongModelName(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"match_pattern": ".*"})).Want(http.StatusOK)
	for length, want := range map[int]any{256: "0.000005", 257: nil, 1 << 20: nil} {
		run := devservertest.RootRun(object{"run_type": "llm", "inputs": object{"model": strings.Repeat("m", length)},
			"outputs": object{"usage": object{"prompt_tokens": 1, "completion_tokens": 1}}})
		p.Do(http.MethodPost, "/runs/batch", object{"post": []any{run}}).Want(http.StatusAccepted)
		devservertest.Same(t, fmt.Sprintf("total cost with a model of %d bytes", length), want, costsOf(p, run["id"].(string))["total"])
	}
}

// costsOf returns the costs of a run.
func costsOf(p *plane, id string) object {
	run := devservertest.Get[object](p, "/runs/"+id)
	return object{"prompt": run["prompt_cost"], "completion": run["completion_cost"], "total": run["total_cost"], "price": run["price_model_id"]}
}

// TestCosts checks that costs are computed exactly from the prices at the time the usage is logged, and never change afterwards.
func TestCosts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	usage := object{"usage_metadata": object{"input_tokens": 20, "output_tokens": 10, "input_token_details": object{"cache_read": 5}}}
	log := func(changes ...object) string {
		run := devservertest.RootRun(append([]object{{"run_type": "llm", "inputs": object{"model": "example-large"}, "outputs": usage}}, changes...)...)
		p.Do(http.MethodPost, "/runs/batch", object{"post": []any{run}}).Want(http.StatusAccepted)
		return run["id"].(string)
	}
	wantCosts := func(what, id string, want object) {
		t.Helper()
		devservertest.Same(t, what, want, costsOf(p, id))
	}
	none := object{"prompt": nil, "completion": nil, "total": nil, "price": nil}
	unpriced := log()
	wantCosts("before there is a price", unpriced, none)

	price := devservertest.Into[object](p.Do(http.MethodPost, "/model-price-map",
		devservertest.PriceEntry(object{"prompt_cost_details": object{"cache_read": 0.000001}})).Want(http.StatusOK))
	priced := log()
	exact := object{"prompt": "0.000035", "completion": "0.00003", "total": "0.000065", "price": price["id"]}
	wantCosts("the example of the service's documentation", priced, exact)
	p.Do(http.MethodPatch, "/runs/"+unpriced, object{"tags": []any{"later"}}).Want(http.StatusAccepted)
	wantCosts("a run that was there before", unpriced, none)

	p.Do(http.MethodPut, "/model-price-map/"+price["id"].(string), devservertest.PriceEntry(object{"prompt_cost": 1})).Want(http.StatusOK)
	p.Do(http.MethodPatch, "/runs/"+priced, object{"end_time": "2026-05-02T10:00:09Z"}).Want(http.StatusAccepted)
	wantCosts("after the price has changed", priced, exact)
	wantCosts("a new run", log(), object{"prompt": "20", "completion": "0.00003", "total": "20.00003", "price": price["id"]})
	p.Do(http.MethodPatch, "/runs/"+priced, object{"outputs": object{"usage_metadata": object{"input_tokens": 1, "output_tokens": 0}}}).Want(http.StatusAccepted)
	wantCosts("another usage", priced, object{"prompt": "1", "completion": "0", "total": "1", "price": price["id"]})

	stated := log(object{"outputs": object{"usage_metadata": object{"input_tokens": 1, "output_tokens": 2, "input_cost": 1e-6, "output_cost": json.Number("0.5")}}})
	wantCosts("costs that are stated", stated, object{"prompt": "0.000001", "completion": "0.5", "total": "0.500001", "price": nil})
	total := log(object{"run_type": "tool", "outputs": object{"usage_metadata": object{"total_cost": 0.25}}})
	wantCosts("a total of a tool", total, object{"prompt": nil, "completion": nil, "total": "0.25", "price": nil})
	wantCosts("no llm run", log(object{"run_type": "chain"}), none)
	wantCosts("another model", log(object{"inputs": object{"model": "unheard-of"}}), none)
}

// TestIncompleteCosts shows why a cost isn't all that the provider bills: in a run, in the run above it, and as counts of their project.
func TestIncompleteCosts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	root := devservertest.RootRun()
	below := devservertest.ChildRun(root, object{"inputs": object{"model": "claude-sonnet-4-6"}, "outputs": object{"type": "message", "usage": object{
		"input_tokens": 1000, "output_tokens": 100, "service_tier": "priority", "server_tool_use": object{"web_search_requests": 3, "code_execution_requests": 1},
	}}})
	unpriced := devservertest.ChildRun(root)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, below, unpriced}}).Want(http.StatusAccepted)
	reasons := []any{"no price for code_execution_requests", "no price for priority"}
	for id, want := range map[any]any{below["id"]: reasons, unpriced["id"]: nil, root["id"]: []any{"incomplete costs of runs below: 1"}} {
		got := devservertest.Get[object](p, fmt.Sprint("/runs/", id))
		devservertest.Same(t, fmt.Sprint(got["name"]), want, got["cost_incomplete"])
	}
	got := devservertest.Get[object](p, fmt.Sprint("/api/v2/runs/", below["id"], "?selects=TOTAL_COST"))
	devservertest.Same(t, "API v2", object{"id": below["id"], "total_cost": 0.0345, "cost_incomplete": reasons}, got)
	project := devservertest.Get[[]object](p, "/sessions?include_stats=true&stats_select=cost_incomplete_run_count&stats_select=cost_unchecked_run_count")[0]
	stats := devservertest.Into[object](p.Do(http.MethodPost, "/runs/stats", object{
		"session": []any{project["id"]}, "is_root": true, "select": []any{"cost_incomplete_run_count", "cost_unchecked_run_count"},
	}).Want(http.StatusOK))
	for what, counts := range map[string]object{"project": project, "statistics": stats} {
		if counts["cost_incomplete_run_count"] != 1.0 || counts["cost_unchecked_run_count"] != 0.0 {
			t.Errorf("%s = %v, want one incomplete cost", what, counts)
		}
	}
}

// TestLateModel logs a patch with the usage before the post that names the model.
func TestLateModel(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry()).Want(http.StatusOK)
	run := devservertest.RootRun(object{"run_type": "llm", "inputs": object{"model": "example-large"}})
	patch := object{"id": run["id"], "trace_id": run["id"], "dotted_order": run["dotted_order"], "outputs": object{"usage": object{"prompt_tokens": 1, "completion_tokens": 1}}}
	p.Do(http.MethodPost, "/runs/batch", object{"patch": []any{patch}}).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{run}}).Want(http.StatusAccepted)
	devservertest.Same(t, "total cost", "0.000005", costsOf(p, run["id"].(string))["total"])
}

// TestDefaultPrices lists what comes with the service after the workspace's entries, and prices runs with it where those have nothing to
// say. OpenAI publishes 0.15, 0.075 and 0.60 dollars per million input, cached and output tokens of gpt-4o-mini.
func TestDefaultPrices(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	own := devservertest.Into[object](p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry()).Want(http.StatusOK))
	first := p.Do(http.MethodGet, "/model-price-map?limit=2", nil).Want(http.StatusOK)
	list := devservertest.Into[[]object](first)
	total, err := strconv.Atoi(first.Header.Get("X-Pagination-Total"))
	if err != nil || total < 1000 || len(list) != 2 || list[0]["id"] != own["id"] || list[1]["tenant_id"] != nil {
		t.Fatalf("the list of %d prices (%v) begins with %v, want the workspace's entry and a default one", total, err, list)
	}
	seen := map[string]bool{}
	var mini object
	for offset := 0; offset < total; offset += 500 {
		for _, price := range devservertest.Get[[]object](p, fmt.Sprintf("/model-price-map?limit=500&offset=%d", offset)) {
			if id := price["id"].(string); seen[id] {
				t.Errorf("%v is listed twice", price)
			}
			seen[price["id"].(string)] = true
			if price["name"] == "openai/gpt-4o-mini" {
				mini = price
			}
		}
	}
	if len(seen) != total {
		t.Errorf("%d prices are listed, want %d", len(seen), total)
	}
	if mini["provider"] != "openai" || mini["prompt_cost"] != 0.00000015 || !strings.Contains(mini["match_pattern"].(string), "^gpt-4o-mini$") {
		t.Errorf("price of gpt-4o-mini = %v", mini)
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		p.Do(method, "/model-price-map/"+mini["id"].(string), devservertest.PriceEntry()).Want(http.StatusNotFound)
	}

	log := func(p *plane, model string) string {
		run := devservertest.RootRun(object{"run_type": "llm", "inputs": object{"model": model}, "outputs": object{"usage_metadata": object{
			"input_tokens": 1000, "output_tokens": 100, "input_token_details": object{"cache_read": 400},
		}}})
		p.Do(http.MethodPost, "/runs/batch", object{"post": []any{run}}).Want(http.StatusAccepted)
		return run["id"].(string)
	}
	want := object{"prompt": "0.00012", "completion": "0.00006", "total": "0.00018", "price": mini["id"]}
	devservertest.Same(t, "by default", want, costsOf(p, log(p, "gpt-4o-mini")))
	none := object{"prompt": nil, "completion": nil, "total": nil, "price": nil}
	devservertest.Same(t, "a model that isn't in the list", none, costsOf(p, log(p, "our-own")))
	cheap := devservertest.Into[object](p.Do(http.MethodPost, "/model-price-map",
		devservertest.PriceEntry(object{"match_pattern": "mini", "prompt_cost": 0, "completion_cost": 0})).Want(http.StatusOK))
	want = object{"prompt": "0", "completion": "0", "total": "0", "price": cheap["id"]}
	devservertest.Same(t, "with a price of the workspace", want, costsOf(p, log(p, "gpt-4o-mini")))
	without := devservertest.New(t, devserver.Config{NoDefaultPrices: true})
	devservertest.Same(t, "without default prices", none, costsOf(without, log(without, "gpt-4o-mini")))
}
