package provider_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const address = "agentplane_deployment.test"

// unknownConfiguration applies a configuration in which another resource gives the provider its address and its key.
func unknownConfiguration(plane *providertest.Plane, generation int) resource.TestStep {
	for _, name := range []string{"AGENTPLANE_BASE_URL", "AGENTPLANE_API_KEY", "AGENTPLANE_WORKSPACE_ID"} {
		plane.Setenv(name, "")
	}
	return resource.TestStep{
		ProtoV6ProviderFactories: plane.Factories(),

		ConfigDirectory: config.StaticDirectory("testdata/unknown_configuration"),
		ConfigVariables: plane.Variables(config.Variables{
			"base_url":     config.StringVariable(plane.URL),
			"api_key":      config.StringVariable(providertest.APIKey),
			"workspace_id": config.StringVariable(providertest.WorkspaceID),
			"generation":   config.IntegerVariable(generation),
		}),
	}
}

// TestAccProvider_unknownConfiguration plans a deployment, new and then existing, while the provider can't be asked yet.
func TestAccProvider_unknownConfiguration(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deployed := statecheck.ExpectKnownValue(address, tfjsonpath.New("latest_revision_status"), knownvalue.StringExact("DEPLOYED"))
	create := unknownConfiguration(plane, 1)
	create.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownValue("terraform_data.installation", tfjsonpath.New("output")),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
	}
	create.ConfigStateChecks = []statecheck.StateCheck{deployed}
	again := unknownConfiguration(plane, 2)
	again.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownValue("terraform_data.installation", tfjsonpath.New("output")),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
	}
	again.ConfigStateChecks = []statecheck.StateCheck{deployed}
	providertest.Test(t, resource.TestCase{Steps: []resource.TestStep{create, again}})
}

// TestAccProvider_logs looks for the key, for a secret and for a header in everything that is logged at TRACE, by the provider and by
// the CLI.
func TestAccProvider_logs(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "trace.log")
	t.Setenv("TF_ACC_LOG_PATH", logs)
	t.Setenv("TF_LOG", "TRACE")
	plane := providertest.NewDev(t)
	const token, gatewayKey = "value-canary-of-a-secret", "value-canary-of-a-header"
	resource.Test(t, resource.TestCase{Steps: []resource.TestStep{{
		ProtoV6ProviderFactories: plane.Factories(),

		ConfigDirectory: config.StaticDirectory("testdata/secrecy"),
		ConfigVariables: plane.Variables(config.Variables{
			"api_key": config.StringVariable(providertest.APIKey), "token": config.StringVariable(token),
			"gateway_key": config.StringVariable(gatewayKey),
		}),
	}}})
	if os.Getenv("TF_ACC") == "" {
		return // Nothing has run.
	}
	content, err := os.ReadFile(logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, logged := range []string{"control plane request", "revision status changed", "/v2/deployments", "CLI args"} {
		if !bytes.Contains(content, []byte(logged)) {
			t.Errorf("the logs don't hold %q: this test looks at the wrong place", logged)
		}
	}
	for what, secret := range map[string]string{"API key": providertest.APIKey, "secret": token, "header": gatewayKey} {
		if at := bytes.Index(content, []byte(secret)); at >= 0 {
			t.Errorf("the %s is logged: …%s…", what, content[max(0, at-300):at+len(secret)])
		}
	}
}
