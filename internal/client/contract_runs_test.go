package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// accepted counts the requests that the service has answered 202, by their methods.
func (p *plane) accepted() map[string]int {
	counts := map[string]int{}
	for _, r := range p.Requests() {
		if r.Status == http.StatusAccepted {
			counts[r.Method]++
		}
	}
	return counts
}

// loggedRun is what the service makes of a run.
type loggedRun struct {
	ID, Status      string
	ParentRunID     *string `json:"parent_run_id"`
	FirstTokenTime  *string `json:"first_token_time"`
	Inputs, Outputs json.RawMessage
}

// trace reads the runs of a trace.
func (p *plane) trace(t *testing.T, id uuid.UUID) []loggedRun {
	t.Helper()
	body := strings.NewReader(`{"trace":"` + id.String() + `","limit":100}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/api/v1/runs/query", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", apiKey)
	req.Header.Set("X-Tenant-Id", workspace)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Runs []loggedRun }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return answer.Runs
}

// TestContractRunTree logs a trace as programs do: each run is posted, streams, ends and is patched, many at once.
func TestContractRunTree(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		const children = 8
		c := p.client(t, func(cfg *client.Config) { cfg.Now = p.clock.Now })
		root := c.NewRun(client.RunConfig{Name: "agent", ProjectName: "tests", Inputs: json.RawMessage(`{"question":"?"}`)})
		if err := root.Post(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range children {
			wait.Go(func() {
				call := root.Child(client.RunConfig{
					Name: "call", RunType: llmrun.RunTypeLLM,
					Inputs: json.RawMessage(`{"model":"m","messages":[{"role":"user","content":"?"}]}`),
				})
				if err := call.Post(t.Context()); err != nil {
					t.Error(err)
				}
				call.NewToken(time.Time{})
				call.End(json.RawMessage(`{"role":"assistant","content":"!"}`), "", time.Time{})
				if err := call.Patch(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		root.End(json.RawMessage(`{"answer":"!"}`), "", time.Time{})
		if err := root.Patch(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(map[string]int{http.MethodPost: children + 1, http.MethodPatch: children + 1}, p.accepted()); diff != "" {
			t.Errorf("accepted (-want +got):\n%s", diff)
		}
		runs := p.trace(t, root.ID())
		if len(runs) != children+1 {
			t.Errorf("the trace has %d runs, want %d", len(runs), children+1)
		}
		for _, run := range runs {
			isRoot := run.ID == root.ID().String()
			if run.Status != "success" || (run.ParentRunID == nil) != isRoot || run.FirstTokenTime == nil ||
				len(run.Inputs) == 0 || !strings.Contains(string(run.Outputs), `"!"`) {
				t.Errorf("run %+v, the root: %v", run, isRoot)
			}
		}
		if _, err := c.FindTracingProject(t.Context(), "tests"); err != nil {
			t.Errorf("the project of the runs: %v", err)
		}
	})
}

// TestContractLogRun loses answers, and is refused.
func TestContractLogRun(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		run := client.FinishedRun{RunConfig: client.RunConfig{ID: uuid.MustParse("01a1fb6f-924d-7000-8000-00d1858fd5af"), ProjectName: "tests"}}
		p.arm(t, devserver.Fault{Match: "POST /api/v1/runs", Drop: true})
		for range 2 { // Once more is no error either.
			if err := c.LogRun(t.Context(), run); err != nil {
				t.Error(err)
			}
		}
		for name, test := range map[string]struct {
			change func(*client.RunConfig)
			status int
			says   string
		}{
			"run type": {func(cfg *client.RunConfig) { cfg.RunType = "agent" }, http.StatusUnprocessableEntity, "agent"},
			"project":  {func(cfg *client.RunConfig) { cfg.ProjectID = uuid.NewString() }, http.StatusUnprocessableEntity, "is no project"},
		} {
			refused := client.FinishedRun{}
			test.change(&refused.RunConfig)
			err := c.LogRun(t.Context(), refused)
			if client.StatusOf(err) != test.status || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v, want status %d and %q", name, err, test.status, test.says)
			}
		}
	})
}

func priceRequest(name string) api.ModelPriceRequest {
	return api.ModelPriceRequest{
		Name: name, MatchPattern: "^" + name + "$", PromptCost: "0.0000020", CompletionCost: "3e-6",
		PromptCostDetails: map[string]api.DecimalNumber{"cache_read": "1e-6"},
	}
}

// TestContractModelPrices creates, changes, finds and deletes, and loses answers to each.
func TestContractModelPrices(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		const collection, one = "/api/v1/model-price-map", "/api/v1/model-price-map/{price_id}"
		p.arm(t, devserver.Fault{Match: "POST " + collection, Drop: true})
		large, err := c.CreateModelPrice(t.Context(), priceRequest("large"))
		if err != nil {
			t.Fatal(err)
		}
		if large.TenantID == nil || *large.TenantID != workspace || large.CreatedAt == nil {
			t.Errorf("created %+v, want it in %s", large, workspace)
		}
		small, err := c.CreateModelPrice(t.Context(), priceRequest("small"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateModelPrice(t.Context(), priceRequest("large")); client.StatusOf(err) != http.StatusConflict {
			t.Errorf("second create: %v, want a conflict", err)
		}
		changed := priceRequest("large")
		changed.Provider, changed.CompletionCost, changed.PromptCostDetails = new("example"), "0", nil
		p.arm(t, devserver.Fault{Match: "PUT " + one, Drop: true})
		updated, err := c.UpdateModelPrice(t.Context(), large.ID, changed)
		if err != nil {
			t.Fatal(err)
		}
		large.Provider, large.CompletionCost, large.PromptCostDetails = changed.Provider, "0", nil
		if diff := cmp.Diff(large, updated, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("updated (-want +got):\n%s", diff)
		}
		listed, err := c.ModelPrices(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]api.ModelPrice{*updated, *small}, listed); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if there, err := c.InWorkspace(foreign).ModelPrices(t.Context()); err != nil || len(there) > 0 {
			t.Errorf("from another workspace: %+v, %v", there, err)
		}
		p.arm(t, devserver.Fault{Match: "DELETE " + one, Drop: true})
		if err := c.DeleteModelPrice(t.Context(), large.ID); err != nil {
			t.Fatal(err)
		}
		if err := c.DeleteModelPrice(t.Context(), large.ID); !client.IsNotFound(err) {
			t.Errorf("second delete: %v", err)
		}
		left, err := c.ModelPrices(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]api.ModelPrice{*small}, left); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

// TestContractManyModelPrices reads more than a page.
func TestContractManyModelPrices(t *testing.T) {
	t.Parallel()
	p := newPlane(t, api.Neutral)
	c := p.client(t)
	const count = 101
	for i := range count {
		if _, err := c.CreateModelPrice(t.Context(), priceRequest("m"+string(rune('a'+i%26))+string(rune('a'+i/26)))); err != nil {
			t.Fatal(err)
		}
	}
	if prices, err := c.ModelPrices(t.Context()); err != nil || len(prices) != count {
		t.Errorf("%d prices, %v; want %d", len(prices), err, count)
	}
}
