package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestSpeaksDialect checks that the printed exports set the dialect, and that the server uses it.
func TestSpeaksDialect(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "-seed", "-dialect", "langsmith")
	if !slices.Contains(p.lines, "export AGENTPLANE_DIALECT='langsmith'") {
		t.Errorf("no line exports the dialect: %q", p.lines)
	}
	if neutral := startProcess(t, "-seed"); slices.ContainsFunc(neutral.lines, func(line string) bool {
		return strings.Contains(line, "DIALECT")
	}) {
		t.Errorf("without the flag, a line exports a dialect: %q", neutral.lines)
	}
	p.do(http.MethodGet, "/v1/integrations/git_host/install", nil, http.StatusNotFound)
	created := p.do(http.MethodPost, "/v2/deployments", map[string]any{
		"name": "chat", "source": "internal_docker",
		"source_config":          map[string]any{"deployment_type": "dev"},
		"source_revision_config": map[string]any{},
		"secrets":                []any{},
	}, http.StatusCreated)
	type seen struct{ Source, Tenant, Revision any }
	want := seen{Source: "internal_docker", Tenant: devserver.DefaultWorkspaceID}
	got := seen{created["source"], created["tenant_id"], created["latest_revision_id"]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
}
