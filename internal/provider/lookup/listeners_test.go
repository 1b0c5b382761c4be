package lookup_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// TestListeners plans other namespaces for a listener: they count in its workspace, until it changes.
func TestListeners(t *testing.T) {
	t.Parallel()
	const id = "1a000001-0000-4000-8000-000000000000"
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"resources": [{"id": "` + id + `", "compute_config": {"k8s_namespaces": ["old"]}}]}`))
	}))
	t.Cleanup(service.Close)
	c, err := client.New(client.Config{BaseURL: service.URL, WorkspaceID: "w1"})
	if err != nil {
		t.Fatal(err)
	}
	p := &framework.ProviderData{Client: c, Memo: &framework.Memo{}}
	expect := func(when, workspace string, want []string) {
		t.Helper()
		listeners, err := lookup.Listeners(t.Context(), p, c.InWorkspace(workspace))
		if err != nil || len(listeners) != 1 {
			t.Fatalf("%s: Listeners = %v, %v", when, listeners, err)
		}
		if diff := cmp.Diff(want, listeners[0].ComputeConfig.K8sNamespaces); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	expect("before the plan", "w1", []string{"old"})
	lookup.PlanNamespaces(p, c, id, []string{"new"})
	expect("planned", "w1", []string{"new"})
	expect("planned in another workspace", "w2", []string{"old"})
	lookup.PlanNamespaces(p, c, id, nil)
	expect("unknown", "w1", nil)
	lookup.ForgetListeners(p, c)
	expect("changed", "w1", []string{"old"})
}
