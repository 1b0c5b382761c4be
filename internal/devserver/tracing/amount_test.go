package tracing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestAbsurdAmounts checks that numbers too large to add up are refused with the run's ID, and that statistics still work.
func TestAbsurdAmounts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, usage := range map[string]string{
		"total_cost":                     `{"total_cost": 1e400}`,
		"input_cost":                     `{"input_cost": 1e13}`,
		"output_tokens":                  `{"output_tokens": 9223372036854775807}`,
		"input_token_details.cache_read": `{"input_tokens": 1, "input_token_details": {"cache_read": 1e300}}`,
	} {
		run := fmt.Sprintf(`{"id": %q, "trace_id": %q, "dotted_order": %q, "name": "a", "run_type": "llm", "start_time": "2026-05-02T10:00:00Z",
			"inputs": {}, "outputs": {"usage_metadata": %s}, "session_name": "agents"}`, runA, runA, orderOf(runA), usage)
		refused := p.Do(http.MethodPost, "/runs", run).Want(http.StatusUnprocessableEntity)
		if body := string(refused.Body); !strings.Contains(body, name+" is greater than 1000000000000") || !strings.Contains(body, runA) {
			t.Errorf("%s: error = %s, want one with the limit and the run's ID", name, body)
		}
	}
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"outputs": object{"usage_metadata": object{"total_cost": 1e12}}})).
		Want(http.StatusAccepted)
	if got := stats(p, object{}); got["total_cost"] != 1e12 || got["run_count"] != 1.0 {
		t.Errorf("statistics = %v, want one run with a cost of 1e12", got)
	}
	price := object{"name": "absurd", "match_pattern": "x", "prompt_cost": 1e300, "completion_cost": 1}
	if problems := devservertest.Problems(p.Do(http.MethodPost, "/model-price-map", price).Want(http.StatusUnprocessableEntity)); len(problems) != 1 ||
		problems[0] != "prompt_cost less_than_equal" {
		t.Errorf("problems = %v, want one about prompt_cost", problems)
	}
}
