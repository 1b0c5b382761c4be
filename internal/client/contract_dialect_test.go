package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// repository is the deployment of a repository that the seeded integration can access.
func (p *plane) repository(name, ref string) api.DeploymentCreateRequest {
	return api.DeploymentCreateRequest{
		Name: name, Source: api.SourceGitHost,
		SourceConfig: api.SourceConfigRequest{
			IntegrationID: api.Some(api.UUID(p.seeded.IntegrationID)), RepoURL: api.Some("https://git.example.com/example-org/chat"),
			DeploymentType: api.Some(api.DeploymentTypeProd), BuildOnPush: api.Some(false), InstallCommand: api.Some("npm ci"),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{RepoRef: api.Some(ref), GraphConfigPath: api.Some("graph.json")},
	}
}

// TestContractLostRepositories adopts a deployment whose ref the service resolved if it reports the branch, and none otherwise.
func TestContractLostRepositories(t *testing.T) {
	for ref, provable := range map[string]func(*api.Dialect) bool{
		"main":             func(*api.Dialect) bool { return true },
		"refs/tags/v1.0.0": func(d *api.Dialect) bool { return !d.ResolvesRepoRef },
	} {
		t.Run(ref, func(t *testing.T) {
			inEveryDialect(t, func(t *testing.T, p *plane) {
				p.arm(t, devserver.Fault{Match: "POST /v2/deployments", Drop: true})
				d, _, err := p.client(t).CreateDeployment(t.Context(), p.repository("chat", ref))
				if provable(p.dialect) {
					if err != nil || d.Name != "chat" {
						t.Errorf("CreateDeployment = %+v, %v; want the lost create adopted", d, err)
					}
					return
				}
				unknown, ok := errors.AsType[*client.OutcomeUnknownError](err)
				if !ok || unknown.ID == "" || !strings.Contains(unknown.Reason, "source_revision_config.repo_ref") {
					t.Errorf("CreateDeployment = %+v, %v; want an OutcomeUnknownError about the ref", d, err)
				}
			})
		})
	}
}

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

// TestContractDeleteTracingProject checks that a deletion keeps the traces unless the request says otherwise.
func TestContractDeleteTracingProject(t *testing.T) {
	for name, test := range map[string]struct {
		options []client.DeleteOption
		gone    func(*api.Dialect) bool
	}{
		"kept":    {nil, func(*api.Dialect) bool { return false }},
		"deleted": {[]client.DeleteOption{client.WithTracingProject()}, func(*api.Dialect) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			inEveryDialect(t, func(t *testing.T, p *plane) {
				c := p.client(t)
				d, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
				if err != nil {
					t.Fatal(err)
				}
				if err := c.DeleteDeployment(t.Context(), d.ID, test.options...); err != nil {
					t.Fatal(err)
				}
				p.clock.Advance(time.Hour)
				if _, err := c.GetDeployment(t.Context(), d.ID); !client.IsNotFound(err) {
					t.Errorf("after the deletion: error = %v, want a 404", err)
				}
				if _, err := c.FindTracingProject(t.Context(), "chat"); client.IsNotFound(err) != test.gone(p.dialect) {
					t.Errorf("reading the tracing project: error = %v, want it deleted: %t", err, test.gone(p.dialect))
				}
			})
		})
	}
}

// TestContractOlderLogs reads the log of an installation that doesn't have the documented endpoint yet.
func TestContractOlderLogs(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		d, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
		if err != nil {
			t.Fatal(err)
		}
		p.clock.Advance(time.Hour)
		logs := func() ([]api.LogEntry, error) {
			return c.RevisionLogs(t.Context(), d.ID, *d.LatestRevisionID, api.LogTypeDeploy, 3)
		}
		want, err := logs()
		if err != nil || len(want) != 3 {
			t.Fatalf("lines = %+v, %v; want 3", want, err)
		}
		p.arm(t, devserver.Fault{
			Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs", Status: http.StatusNotFound, Detail: "Not Found",
		})
		got, err := logs()
		if !p.dialect.LangSmithAPI {
			if client.StatusOf(err) != http.StatusNotFound {
				t.Errorf("lines = %+v, %v; want a 404", got, err)
			}
			return
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("lines (-documented +older): %v\n%s", err, diff)
		}
	})
}

// TestContractWorkspaceRequired uses a key for several workspaces without naming one.
func TestContractWorkspaceRequired(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t, func(cfg *client.Config) { cfg.WorkspaceID = "" })
		_, err := c.GetDeployment(t.Context(), foreign)
		if client.StatusOf(err) != http.StatusForbidden || !strings.Contains(err.Error(), "requires workspace specification") {
			t.Errorf("error = %v, want a 403 about the missing workspace", err)
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
