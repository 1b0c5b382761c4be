package client

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestAnotherObject answers with an object that wasn't asked for.
func TestAnotherObject(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, answerWith(http.StatusOK, `{"id": "B", "provider_id": "B", "status": "DEPLOYED", "latest_revision_id": "r"}`))
	for name, call := range map[string]func() error{
		"deployment":      func() error { _, err := c.GetDeployment(t.Context(), "A"); return err },
		"patched":         func() error { _, err := c.PatchDeployment(t.Context(), "A", api.DeploymentPatchRequest{}); return err },
		"redeployed":      func() error { _, err := c.RedeployRevision(t.Context(), "A", "r"); return err },
		"revision":        func() error { _, err := c.GetRevision(t.Context(), "d", "A"); return err },
		"listener":        func() error { _, err := c.GetListener(t.Context(), "A"); return err },
		"OAuth provider":  func() error { _, err := c.GetOAuthProvider(t.Context(), "A"); return err },
		"tracing project": func() error { _, err := c.GetTracingProject(t.Context(), "A"); return err },
		"run":             func() error { _, err := c.GetRun(t.Context(), "p", "A"); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), `is "B", not "A"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.GetDeployment(t.Context(), "b"); err != nil {
		t.Errorf("the same in other letters: %v", err)
	}
}

// TestEndlessLists: a service that always promises another page doesn't keep its reader for good.
func TestEndlessLists(t *testing.T) {
	t.Parallel()
	count := 0
	next := func(format string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			items := make([]string, pageSize)
			for i := range items {
				count++
				items[i] = fmt.Sprintf(`{"id": "%d"}`, count)
			}
			fmt.Fprintf(w, format, strings.Join(items, ","))
		}
	}
	resources, _ := serve(t, next(`{"resources": [%s], "offset": 0}`))
	if _, err := Collect(resources.ListListeners(t.Context())); err == nil || !strings.Contains(err.Error(), "the list doesn't end") {
		t.Errorf("listeners: %v", err)
	}
	arrays, _ := serve(t, next(`[%s]`))
	if _, err := arrays.ModelPrices(t.Context()); err == nil || !strings.Contains(err.Error(), "the list doesn't end") {
		t.Errorf("prices: %v", err)
	}
	for _, last := range []int{1, 2, 1 << 30} { // The cursor repeats after so many, or never.
		runs, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			count++
			fmt.Fprintf(w, `{"items": [], "next_cursor": "%d"}`, count%last)
		}))
		if _, err := runs.QueryRuns(t.Context(), api.RunQuery{}, 10); err == nil || !strings.Contains(err.Error(), "runs can't be read") && !strings.Contains(err.Error(), "doesn't end") {
			t.Errorf("runs: %v", err)
		}
	}
}
