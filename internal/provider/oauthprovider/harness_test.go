package oauthprovider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	typeName = "agentplane_oauth_provider"
	address  = typeName + ".test"
	// slug and path are of the provider that configurations make unless they say otherwise.
	slug = "tf-acc-calendar"
	path = "/v2/auth/providers/" + slug
)

// args are arguments that differ from those of testdata/provider.
type args map[string]config.Variable

func text(value string) config.Variable { return config.StringVariable(value) }

func step(more args) resource.TestStep {
	variables := config.Variables{}
	maps.Copy(variables, more)
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/provider"), ConfigVariables: variables}
}

// refused is a step that ends with an error.
func refused(more args, says string) resource.TestStep {
	s := step(more)
	s.ExpectError = providertest.Words(says)
	return s
}

func planned(s resource.TestStep, checks ...plancheck.PlanCheck) resource.TestStep {
	s.ConfigPlanChecks.PreApply = checks
	return s
}

func run(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
	})
}

// writeOnly skips tests where the CLI knows no write-only arguments, which the configuration has.
var writeOnly = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)}

// runWriteOnly is run for what needs write-only arguments.
func runWriteOnly(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
		TerraformVersionChecks: writeOnly,
	})
}

func checkNoneLeft(plane *providertest.Plane) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var left []struct {
			ProviderID string `json:"provider_id"`
		}
		plane.Call("GET", "/v2/auth/providers", nil, &left)
		if len(left) > 0 {
			return fmt.Errorf("%d providers are left, the first is %q", len(left), left[0].ProviderID)
		}
		return nil
	}
}

// newWrites looks at what is sent. The secrets in it are "***".
func newWrites(plane *providertest.Plane) *providertest.Writes {
	return &providertest.Writes{Plane: plane, Path: "/v2/auth/providers", Normal: providertest.NormalJSON}
}

// created is the body of a creation; the JSON of more comes on top.
func created(more string) string {
	body := map[string]any{
		"provider_id": slug, "name": "Calendar", "client_id": "client-1", "uses_pkce": false, "code_challenge_method": "S256",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
		"token_endpoint_auth_method": "client_secret_post", "authorization_params": map[string]any{}, "allowed_redirect_uris": []any{},
	}
	if more != "" {
		if err := json.Unmarshal([]byte(more), &body); err != nil {
			panic(err)
		}
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return "POST " + string(encoded)
}

// made creates a provider as another user would.
func made(plane *providertest.Plane, providerID string, more map[string]any) {
	body := map[string]any{
		"provider_id": providerID, "name": "Calendar", "client_id": "client-1",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
	maps.Copy(body, more)
	plane.Call("POST", "/v2/auth/providers", body, nil)
}
