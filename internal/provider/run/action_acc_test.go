package run_test

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const logAction = "agentplane_log_llm_run"

// smoke is a run for the action; changes are laid over it, and nil takes away.
func smoke(changes map[string]any) map[string]any {
	arguments := map[string]any{
		"project_name": "chat", "inputs_json": `{"messages":[{"role":"user","content":"Hi"}]}`,
		"outputs_json":        `{"role":"assistant","content":"Hello","usage_metadata":{"input_tokens":20,"output_tokens":10,"total_cost":0.5}}`,
		"time_to_first_token": "250ms",
	}
	maps.Copy(arguments, changes)
	return arguments
}

// TestAccLogLLMRun logs a run without any state, and tells what the service has found.
func TestAccLogLLMRun(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	messages, diags := plane.RPC().Invoke(t.Context(), logAction, smoke(nil), nil)
	if len(diags) > 0 {
		t.Fatal(providertest.Told(diags))
	}
	want := []*regexp.Regexp{
		regexp.MustCompile(`^Run [0-9a-f-]{36} was logged\. Waiting until the service has processed it\.$`),
		regexp.MustCompile(`^The service counted 20 prompt tokens and 10 completion tokens, a cost of \$0\.5, a time to first token of 0\.25 s\.$`),
		regexp.MustCompile(`^URL of the run: http://127\.0\.0\.1:\d+/o/`),
	}
	if len(messages) != len(want) {
		t.Fatalf("messages %q", messages)
	}
	for i, message := range messages {
		if !want[i].MatchString(message) {
			t.Errorf("message %q, want %s", message, want[i])
		}
	}
	if runs := runsOf(plane, "chat"); len(runs) != 1 || runs[0]["status"] != "success" {
		t.Errorf("runs %v", runs)
	}
}

// TestAccLogLLMRun_failures: what the service refuses, or doesn't do in time, is an error with the next step.
func TestAccLogLLMRun_failures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes map[string]any
		fault   devserver.Fault
		want    string
		logged  int
	}{
		"refused":  {fault: devserver.Fault{Match: "POST /api/v1/runs", Status: http.StatusForbidden}, want: "workspace_id (AGENTPLANE_WORKSPACE_ID)"},
		"lost":     {fault: devserver.Fault{Match: "POST /api/v1/runs", Drop: true}, logged: 1},
		"a failed": {changes: map[string]any{"outputs_json": nil, "error": "no such model"}, logged: 1},
		"slow": {
			changes: map[string]any{"timeout": "1m"},
			fault:   devserver.Fault{Match: "GET /api/v2/runs/{run_id}", Status: http.StatusNotFound, Detail: "Run not found", Times: 100000},
			want:    "hasn't processed it in time", logged: 1,
		},
		"not known": {
			fault: devserver.Fault{Match: "POST /api/v1/runs", Status: http.StatusInternalServerError, Times: 100},
			want:  "Check the tracing project before logging another run.", logged: 0,
		},
		"away": {
			changes: map[string]any{"timeout": "1m"},
			fault:   devserver.Fault{Match: "GET /api/v2/runs/{run_id}", Status: http.StatusServiceUnavailable, Times: 100000},
			want:    "was logged. Check the tracing project", logged: 1,
		},
		"no deployment": {
			changes: map[string]any{"project_name": nil, "deployment_id": "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"},
			want:    "Cannot read the deployment of the tracing project",
		},
		"no project": {
			changes: map[string]any{"project_name": nil, "project_id": another},
			want:    "project_id " + another + " is not a project of this workspace: create it, or send project_name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			if test.fault.Match != "" {
				plane.Arm(test.fault)()
			}
			_, diags := plane.RPC().Invoke(t.Context(), logAction, smoke(test.changes), nil)
			told := strings.Join(strings.Fields(providertest.Told(diags)), " ")
			if !strings.Contains(told, test.want) || test.want == "" && told != "" {
				t.Errorf("diagnostics %q, want %q", told, test.want)
			}
			if runs := runsOf(plane, "chat"); len(runs) != test.logged {
				t.Errorf("%d runs were logged, want %d", len(runs), test.logged)
			}
		})
	}
}

// TestAccLogLLMRun_next triggers the action by a resource.
func TestAccLogLLMRun_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0)),
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/action"),
			PostApplyFunc: func() {
				if runs := runsOf(plane, "chat"); len(runs) != 1 {
					t.Errorf("%d runs were logged, want 1", len(runs))
				}
			},
		}},
	})
}
