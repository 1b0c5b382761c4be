package devserver_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestSample checks that the sample has three projects with runs of the last days, including threads, errors, costs, first tokens and feedback, and is stored only once.
func TestSample(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for range 2 {
		devservertest.Must(t, p.Sample(t.Context(), devservertest.WorkspaceA))
	}
	got := map[string][]any{}
	for _, project := range devservertest.Get[[]map[string]any](p, "/sessions?include_stats=true&name_contains=sample") {
		cost, _ := project["total_cost"].(string)
		got[project["name"].(string)] = []any{project["run_count"], project["error_rate"] != 0.0, cost > "0.0", project["first_token_p50"] != nil, project["feedback_stats"] != nil}
	}
	want := map[string][]any{
		"sample-support-agent": {36.0, true, true, true, true}, "sample-docs-chat": {24.0, true, true, true, false},
		"sample-image-captions": {6.0, false, true, false, false},
	}
	devservertest.Same(t, "", want, got)
}
