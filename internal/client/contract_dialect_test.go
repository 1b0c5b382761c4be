package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestContractExtensions sends and reads the fields that only extended dialects have. None of them may be lost.
func TestContractExtensions(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		references := []api.SecretReference{{Name: "DB", SecretName: "database", SecretKey: "uri"}}
		req := p.create("chat")
		req.SecretReferences = api.Some(references)
		d, _, err := c.CreateDeployment(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		d, err = c.PatchDeployment(t.Context(), d.ID, api.DeploymentPatchRequest{DisplayName: api.Some("Chat")})
		if err != nil {
			t.Fatal(err)
		}
		type extensions struct {
			DisplayName      *string
			SecretReferences []api.SecretReference
			TenantID         *string
			HasProject       bool
		}
		var want extensions
		if p.dialect.LangSmithAPI {
			want = extensions{new("Chat"), references, new(workspace), true}
		}
		got := extensions{d.DisplayName, d.SecretReferences, d.TenantID, d.TracerSessionID != nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("extensions (-want +got):\n%s", diff)
		}
	})
}

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
