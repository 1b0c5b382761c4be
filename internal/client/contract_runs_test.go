package client_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestContractLogRun logs runs while replies are lost, and logs invalid runs.
func TestContractLogRun(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		run := func(project, runType string) api.RunIngest {
			id := uuid.NewString()
			return api.RunIngest{
				ID: id, TraceID: id, DottedOrder: "20261121T000915597001Z" + id, SessionID: project, Name: "smoke", RunType: runType,
				StartTime: "2026-11-21T00:09:15.597001Z",
			}
		}
		good := run("", "llm")
		p.arm(t, devserver.Fault{Match: "POST /api/v1/runs", Drop: true})
		for range 2 { // Sending it again isn't an error.
			if err := c.LogRun(t.Context(), good); err != nil {
				t.Error(err)
			}
		}
		between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost { // A gateway refuses what the service has processed.
				p.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			p.ServeHTTP(w, r)
		}))
		t.Cleanup(between.Close)
		if err := p.client(t, func(cfg *client.Config) { cfg.BaseURL = between.URL }).LogRun(t.Context(), run("", "llm")); err != nil {
			t.Errorf("a run that was refused and is there: %v", err)
		}
		for name, test := range map[string]struct {
			run  api.RunIngest
			says string
		}{
			"run type": {run("", "agent"), "agent"},
			"project":  {run(uuid.NewString(), "llm"), "is not a project"},
		} {
			err := c.LogRun(t.Context(), test.run)
			if client.StatusOf(err) != http.StatusUnprocessableEntity || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: error = %v, want status 422 and %q", name, err, test.says)
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

// TestContractModelPrices creates, updates, finds and deletes prices, and loses a reply to each kind of request.
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
			t.Errorf("created %+v, want it in workspace %s, with a time", large, workspace)
		}
		small, err := c.CreateModelPrice(t.Context(), priceRequest("small"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateModelPrice(t.Context(), priceRequest("large")); client.StatusOf(err) != http.StatusConflict {
			t.Errorf("second create: error = %v, want a conflict", err)
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
			t.Errorf("prices of another workspace = %+v, %v; want none", there, err)
		}
		p.arm(t, devserver.Fault{Match: "DELETE " + one, Drop: true})
		if err := c.DeleteModelPrice(t.Context(), large.ID); err != nil {
			t.Fatal(err)
		}
		if err := c.DeleteModelPrice(t.Context(), large.ID); !client.IsNotFound(err) {
			t.Errorf("second deletion: error = %v, want a 404", err)
		}
		left, err := c.ModelPrices(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]api.ModelPrice{*small}, left); diff != "" {
			t.Errorf("remaining prices (-want +got):\n%s", diff)
		}
	})
}
