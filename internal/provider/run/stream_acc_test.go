package run_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// recorded is a stream of a format.
func recorded(t *testing.T, format string) string {
	t.Helper()
	stream, err := os.ReadFile("testdata/streamed/" + format + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(stream)
}

// TestAccLLMRun_streamed logs the same answer as it was streamed in each format: its text, its tokens and its times follow
// from the stream.
func TestAccLLMRun_streamed(t *testing.T) {
	t.Parallel()
	for _, format := range message.StreamFormats() {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{
				ConfigDirectory: config.StaticDirectory("testdata/streamed"),
				ConfigVariables: config.Variables{"stream": config.StringVariable(recorded(t, string(format)))},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("prompt_tokens"), knownvalue.Int64Exact(25)),
					statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("completion_tokens"), knownvalue.Int64Exact(15)),
					statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("time_to_first_token_seconds"), knownvalue.Float64Exact(0.35)),
					statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("outputs_json"), knownvalue.Null()),
				},
			}}})
			checkStreamed(t, plane)
		})
	}
}

// TestAccLogLLMRun_streamed does it with the action.
func TestAccLogLLMRun_streamed(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	messages, diags := plane.RPC().Invoke(t.Context(), logAction, smoke(map[string]any{
		"outputs_json": nil, "time_to_first_token": nil, "start_time": "2026-01-01T10:00:00Z", "stream_json": recorded(t, "chat_completions"),
	}), nil)
	if len(diags) > 0 {
		t.Fatal(providertest.Told(diags))
	}
	const want = "The service counted 25 prompt tokens and 15 completion tokens, a time to first token of 0.35 s."
	if len(messages) < 2 || messages[1] != want {
		t.Errorf("messages %q, want %q", messages, want)
	}
	checkStreamed(t, plane)
}

// checkStreamed looks what the service has got of the stream in testdata/streamed.
func checkStreamed(t *testing.T, plane *providertest.Plane) {
	t.Helper()
	runs := runsOf(plane, "chat")
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	outputs, err := json.Marshal(runs[0]["outputs"])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(outputs), `"Hello!"`) || runs[0]["first_token_time"] != "2026-01-01T10:00:00.350000" ||
		runs[0]["end_time"] != "2026-01-01T10:00:01.000000" {
		t.Errorf("first token %v, end %v, outputs %s", runs[0]["first_token_time"], runs[0]["end_time"], outputs)
	}
}
