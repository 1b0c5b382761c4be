package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDefaultModelPrice estimates costs from the prices that the providers publish: gpt-4o-mini costs 0.15 dollars per million input
// tokens, 0.075 if they are cached, and 0.60 per million output tokens; gemini-2.5-pro 1.25 and 10, and above 200,000 tokens 2.50 and 15.
func TestAccDefaultModelPrice(t *testing.T) {
	t.Parallel()
	text := knownvalue.StringExact
	mini := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"source": knownvalue.StringRegexp(regexp.MustCompile(`^@pydantic/genai-prices \d+\.\d+\.\d+$`)),
		"date":   knownvalue.StringRegexp(regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)),
		"prices": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
			"name": text("openai/gpt-4o-mini"), "match_pattern": text("^gpt-4o-mini$"), "start_time": knownvalue.Null(),
			"prompt_token_threshold": knownvalue.Null(), "prompt_cost": text("0.00000015"), "completion_cost": text("0.0000006"),
			"request_cost": knownvalue.Null(), "completion_cost_details": knownvalue.Null(), "incomplete": knownvalue.Null(),
			"unit_costs":          knownvalue.MapExact(map[string]knownvalue.Check{"web_searches": text("0.01"), "file_searches": text("0.0025")}),
			"multipliers":         knownvalue.MapExact(map[string]knownvalue.Check{"batch": text("0.5"), "flex": text("0.5")}),
			"prompt_cost_details": knownvalue.MapExact(map[string]knownvalue.Check{"cache_read": text("0.000000075")}),
		})}),
	})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.New(t).Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/default_price"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValueAtPath("listed", tfjsonpath.New("mini"), mini),
				statecheck.ExpectKnownOutputValueAtPath("listed", tfjsonpath.New("unlisted"), knownvalue.Null()),
				statecheck.ExpectKnownOutputValue("costs", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"mini": text("0.00027"), "threshold": text("0.252"), "above": text("0.5030025"), "request": text("0.0132"), "unlisted": text("none"),
				})),
			},
		}},
	})
}
