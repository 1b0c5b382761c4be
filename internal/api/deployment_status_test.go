package api_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestDeploymentStatus_BeingDeleted(t *testing.T) {
	t.Parallel()
	for status, want := range map[api.DeploymentStatus]bool{
		api.DeploymentAwaitingDelete: true, api.DeploymentAwaitingFinalDelete: true,
		api.DeploymentReady: false, api.DeploymentUnknown: false, "AWAITING_A_MIRACLE": false, "": false,
	} {
		if got := status.BeingDeleted(); got != want {
			t.Errorf("DeploymentStatus(%q).BeingDeleted() = %t, want %t", status, got, want)
		}
	}
}
