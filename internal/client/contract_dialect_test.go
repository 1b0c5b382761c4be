package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestContractTiers sets the tiers with both operations. One reply and one request are lost.
func TestContractTiers(t *testing.T) {
	t.Parallel()
	p := newPlane(t, api.LangSmith)
	c := p.client(t)
	created, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
	if err != nil {
		t.Fatal(err)
	}
	p.arm(t, devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}/deployment-tier", Drop: true})
	p.arm(t, devserver.Fault{Match: "PATCH /v2/deployments/{deployment_id}/resource-tiers", DropBefore: true})
	got, err := c.PatchDeploymentTier(t.Context(), created.ID, api.TierDedicatedS)
	if err != nil {
		t.Fatal(err)
	}
	want := [3]*api.DeploymentTier{new(api.TierDedicatedS), new(api.TierDedicatedS), new(api.TierDedicatedS)}
	if diff := cmp.Diff(want, [3]*api.DeploymentTier{got.DeploymentTier, got.ComputeTier, got.DatabaseTier}); diff != "" {
		t.Errorf("deployment tier (-want +got):\n%s", diff)
	}
	got, err = c.PatchResourceTiers(t.Context(), created.ID, api.DeploymentResourceTiersUpdateRequest{DatabaseTier: api.Some(api.TierDedicatedL)})
	if err != nil {
		t.Fatal(err)
	}
	want[2] = new(api.TierDedicatedL)
	if diff := cmp.Diff(want, [3]*api.DeploymentTier{got.DeploymentTier, got.ComputeTier, got.DatabaseTier}); diff != "" {
		t.Errorf("resource tiers (-want +got):\n%s", diff)
	}
}
