package functions_test

import (
	"math/big"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMain sets the namespace under which configurations look for the provider, agentplane/agentplane.
func TestMain(m *testing.M) {
	if err := os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "agentplane"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestAccFunctions(t *testing.T) {
	t.Parallel()
	plane := providertest.New(t)
	number := func(n float64) knownvalue.Check { return knownvalue.NumberExact(big.NewFloat(n)) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/functions"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("tag", knownvalue.StringExact("refs/tags/v1.2.3")),
				statecheck.ExpectKnownOutputValue("name", knownvalue.StringExact("chat")),
				statecheck.ExpectKnownOutputValue("memory_mb", number(4*1536+4*2048)),
				statecheck.ExpectKnownOutputValue("effective", knownvalue.ObjectExact(map[string]knownvalue.Check{
					"cpu": number(1.5), "cpu_limit": number(3), "queue_cpu": number(1.5), "queue_cpu_limit": number(3),
					"memory_mb": number(1024), "memory_limit_mb": number(1536), "queue_memory_mb": number(1024),
					"queue_memory_limit_mb": number(2048), "max_scale": number(4), "queue_max_scale": number(4),
					"labels": knownvalue.ObjectExact(map[string]knownvalue.Check{"team": knownvalue.StringExact("research")}),
				})),
			},
		}},
	})
}
