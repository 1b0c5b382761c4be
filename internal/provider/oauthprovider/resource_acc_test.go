package oauthprovider_test

import (
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const otherWorkspace = "11111111-2222-4333-8444-555555555555"

func is(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check)
}

func action(want plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, want)
}

// twoWorkspaces lets the key open another workspace, too.
func twoWorkspaces(cfg *devserver.Config) {
	cfg.Keys = []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID, otherWorkspace}}}
}
