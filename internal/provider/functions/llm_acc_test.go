package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccLLMFunctions reads a run that is unknown in the plan, and then other ones.
func TestAccLLMFunctions(t *testing.T) {
	t.Parallel()
	plane := providertest.New(t)
	const run = `{"run_type":"llm","start_time":"2026-05-02T10:00:00Z","inputs":{"model":"gpt-4o-mini"},
		"outputs":{"choices":[{"message":{"role":"assistant","content":"On its way."}}],
			"usage":{"prompt_tokens":20,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":5}}},
		"events":[{"name":"new_token","time":"2026-05-02T10:00:00.350Z"}]}`
	const plain = `{"run_type":"llm","outputs":{"role":"assistant","content":"Hello."}}`
	step := func(run, to string) resource.TestStep {
		return resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/llm"),
			ConfigVariables: config.Variables{"run": config.StringVariable(run), "to": config.StringVariable(to)},
		}
	}
	first := step(run, "chat_completions")
	first.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownOutputValue("model"), plancheck.ExpectUnknownOutputValue("cost"),
		plancheck.ExpectUnknownOutputValue("seconds"), plancheck.ExpectUnknownOutputValue("converted"),
	}
	text := knownvalue.StringExact
	first.ConfigStateChecks = []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValue("model", knownvalue.ObjectExact(map[string]knownvalue.Check{
			"name": text("gpt-4o-mini"), "provider": knownvalue.Null(), "source": text("inputs.model"),
		})),
		statecheck.ExpectKnownOutputValue("total_tokens", knownvalue.Int64Exact(30)),
		statecheck.ExpectKnownOutputValue("cost", text("0.000065")),
		statecheck.ExpectKnownOutputValue("seconds", knownvalue.Float64Exact(0.35)),
		statecheck.ExpectKnownOutputValue("text", text("On its way.")),
		statecheck.ExpectKnownOutputValue("problems", knownvalue.Int64Exact(0)),
		statecheck.ExpectKnownOutputValue("lossy", knownvalue.ObjectExact(map[string]knownvalue.Check{
			"json":    text(`{"messages":[{"role":"user","content":"Hi"}],"max_tokens":50}`),
			"dropped": knownvalue.ListExact([]knownvalue.Check{text("/extras/seed")}),
		})),
		statecheck.ExpectKnownOutputValue("demanded", knownvalue.ListExact([]knownvalue.Check{text("format_expected")})),
		statecheck.ExpectKnownOutputValue("converted", knownvalue.StringRegexp(regexp.MustCompile(`"content":"On its way\."`))),
	}
	second := step(plain, "messages")
	second.ConfigStateChecks = []statecheck.StateCheck{
		statecheck.ExpectKnownOutputValue("measured", knownvalue.ListExact([]knownvalue.Check{
			knownvalue.Bool(false), knownvalue.Bool(false), knownvalue.Bool(false),
		})),
		statecheck.ExpectKnownOutputValue("text", text("Hello.")),
	}
	// The run is known now, so the plan already fails.
	wrong := step(plain, "telegram")
	wrong.ExpectError = regexp.MustCompile(`Invalid value for "to" parameter: "telegram" is not an\s+output\s+format`)
	noRun := step(`[]`, "native")
	noRun.ExpectError = regexp.MustCompile(`(?s)Unsupported attribute|The value is not a run as a JSON object`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		Steps:                    []resource.TestStep{first, second, wrong, noRun},
	})
}
