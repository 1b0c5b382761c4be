package client

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestAnotherObject responds with an object that wasn't requested.
func TestAnotherObject(t *testing.T) {
	t.Parallel()
	const asked, theOther = "a0000000-0000-4000-8000-000000000000", "b0000000-0000-4000-8000-000000000000"
	c, _ := serve(t, answerWith(http.StatusOK, fmt.Sprintf(`{"id": %q, "provider_id": %[1]q, "status": "DEPLOYED"}`, theOther)))
	for name, call := range map[string]func() error{
		"deployment":      func() error { _, err := c.Deployments().Get(t.Context(), asked); return err },
		"revision":        func() error { _, err := c.Revisions("d").Get(t.Context(), asked); return err },
		"listener":        func() error { _, err := c.Listeners().Get(t.Context(), asked); return err },
		"OAuth provider":  func() error { _, err := c.OAuthProviders().Get(t.Context(), asked); return err },
		"tracing project": func() error { _, err := c.TracingProjects().Get(t.Context(), asked); return err },
		"run":             func() error { _, err := c.GetRun(t.Context(), "p", asked); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("is %q, not %q", theOther, asked)) {
			t.Errorf("%s: error = %v, want one that names both IDs", name, err)
		}
	}
	if _, err := c.Deployments().Get(t.Context(), strings.ToUpper(theOther)); err != nil {
		t.Errorf("the same ID in other letter case: error = %v, want none", err)
	}
}

// TestEndlessLists_unraced reads from a service that always announces another page: reading must end with an error.
func TestEndlessLists_unraced(t *testing.T) {
	t.Parallel()
	count := 0
	next := func(format string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			items := make([]string, pageSize)
			for i := range items {
				count++
				items[i] = fmt.Sprintf(`{"id": %q}`, uuidOf(count))
			}
			fmt.Fprintf(w, format, strings.Join(items, ","))
		}
	}
	resources, _ := serve(t, next(`{"resources": [%s], "offset": 0}`))
	if _, err := Collect(resources.Listeners().List(t.Context())); err == nil || !strings.Contains(err.Error(), "the list doesn't end") {
		t.Errorf("listeners: error = %v, want \"the list doesn't end\"", err)
	}
	arrays, _ := serve(t, next(`[%s]`))
	if _, err := Collect(arrays.ModelPrices().List(t.Context())); err == nil || !strings.Contains(err.Error(), "the list doesn't end") {
		t.Errorf("prices: error = %v, want \"the list doesn't end\"", err)
	}
	for _, last := range []int{1, 2, 1 << 30} { // The number of different cursors. The last value is never reached.
		runs, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			count++
			fmt.Fprintf(w, `{"items": [], "next_cursor": "%d"}`, count%last)
		}))
		if _, err := runs.QueryRuns(t.Context(), api.RunQuery{}, 10); err == nil || !strings.Contains(err.Error(), "runs can't be read") && !strings.Contains(err.Error(), "doesn't end") {
			t.Errorf("runs: error = %v, want one about an endless list", err)
		}
	}
}
