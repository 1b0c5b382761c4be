package integration_test

import (
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	// seeded is the name of the integration that every dev server starts with.
	seeded = "example-org"
	// elsewhere is a UUID that doesn't exist in the seeded workspace.
	elsewhere = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
)

// install creates an integration, as installing the app at the git host does, and returns its ID.
func install(plane *providertest.Plane, name string) string {
	var integration struct {
		ID string `json:"id"`
	}
	plane.Call("POST", "/dev/integrations", map[string]any{"name": name}, &integration)
	return integration.ID
}

// lookUp returns a step that reads the data source of one integration.
func lookUp(variables config.Variables) resource.TestStep {
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/one"), ConfigVariables: variables}
}
