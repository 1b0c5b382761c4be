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

func listenerRequest(computeID string) api.ListenerCreateRequest {
	return api.ListenerCreateRequest{
		Version: api.Some("0.2.14"), ComputeType: api.ComputeTypeK8s, ComputeID: computeID,
		ComputeConfig: api.ListenerComputeConfigRequest{K8sNamespaces: api.Some([]string{"agents"})},
	}
}

func providerRequest(slug string) api.OAuthProviderCreateRequest {
	return api.OAuthProviderCreateRequest{
		ProviderID: slug, Name: "Mail", ClientID: "c", ClientSecret: api.Some("hunter22"),
		AuthURL: "https://mail.example.com/auth", TokenURL: "https://mail.example.com/token", UsesPKCE: api.Some(true),
		ProviderType: api.Some(api.OAuthProviderMicrosoft), AllowedRedirectURIs: api.Some([]string{"https://a.example.com"}),
	}
}

func TestContractListeners(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		created, err := c.CreateListener(t.Context(), listenerRequest("east"))
		if err != nil {
			t.Fatal(err)
		}
		if *created.Version != "0.2.14" || created.ComputeID != "east" || created.ComputeConfig.K8sNamespaces[0] != "agents" {
			t.Errorf("created = %+v, want version 0.2.14, compute east and namespace agents", created)
		}
		patched, err := c.PatchListener(t.Context(), created.ID, api.ListenerPatchRequest{Version: api.Some("0.3.0")})
		if err != nil {
			t.Fatal(err)
		}
		created.Version = new("0.3.0")
		if diff := cmp.Diff(created, patched); diff != "" {
			t.Errorf("patched (-want +got):\n%s", diff)
		}
		listed, err := client.Collect(c.ListListeners(t.Context()))
		if err != nil || len(listed) != 2 {
			t.Errorf("listeners = %+v, %v; want the seeded one and this one", listed, err)
		}
		if _, err := c.CreateListener(t.Context(), listenerRequest("east")); client.StatusOf(err) != http.StatusConflict {
			t.Errorf("second create: error = %v, want a conflict", err)
		}
		if _, _, err := c.CreateDeployment(t.Context(), p.create("chat")); err != nil { // On the seeded listener.
			t.Fatal(err)
		}
		err = c.DeleteListener(t.Context(), p.seeded.ListenerID)
		if client.StatusOf(err) != http.StatusConflict || !strings.Contains(err.Error(), "is used by deployments: 'chat'.") {
			t.Errorf("deletion of a listener in use: error = %v, want a conflict that names the deployment", err)
		}
		if err := c.DeleteListener(t.Context(), created.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetListener(t.Context(), created.ID); !client.IsNotFound(err) {
			t.Errorf("after the deletion: error = %v, want a 404", err)
		}
	})
}

func TestContractOAuthProviders(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		created, err := c.CreateOAuthProvider(t.Context(), providerRequest("mail"))
		if err != nil {
			t.Fatal(err)
		}
		patched, err := c.PatchOAuthProvider(t.Context(), "mail", api.OAuthProviderUpdateRequest{
			Name: api.Some("Post"), ClientSecret: api.Some("hunter23"), AuthorizationParams: api.Some(map[string]string{"a": "b"}),
		}, created.UpdatedAt)
		if err != nil {
			t.Fatal(err)
		}
		created.Name, created.AuthorizationParams, created.UpdatedAt = "Post", map[string]string{"a": "b"}, patched.UpdatedAt
		read, err := c.GetOAuthProvider(t.Context(), "mail")
		if err != nil {
			t.Fatal(err)
		}
		listed, err := client.Collect(c.ListOAuthProviders(t.Context()))
		if err != nil || len(listed) != 1 {
			t.Fatalf("providers = %+v, %v; want one", listed, err)
		}
		for how, got := range map[string]*api.OAuthProviderResponse{"patched": patched, "read": read, "listed": &listed[0]} {
			if diff := cmp.Diff(created, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", how, diff)
			}
		}
		_, err = c.CreateOAuthProvider(t.Context(), providerRequest("mail"))
		if client.StatusOf(err) != http.StatusConflict || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("second create: error = %v, want a conflict without the secret", err)
		}
		if err := c.DeleteOAuthProvider(t.Context(), "mail"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetOAuthProvider(t.Context(), "mail"); !client.IsNotFound(err) {
			t.Errorf("after the deletion: error = %v, want a 404", err)
		}
		if err := c.DeleteOAuthProvider(t.Context(), "mail"); !client.IsNotFound(err) {
			t.Errorf("second deletion: error = %v, want a 404", err)
		}
	})
}

func TestContractRedeploy(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		created, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
		if err != nil {
			t.Fatal(err)
		}
		first := *created.LatestRevisionID
		again, err := c.RedeployRevision(t.Context(), created.ID, first)
		if err != nil || *again.LatestRevisionID == first {
			t.Fatalf("RedeployRevision = %+v, %v; want a new revision", again, err)
		}
		p.arm(t, devserver.Fault{Match: "POST /v2/deployments/{id}/revisions/{rid}/redeploy", Drop: true})
		_, err = c.RedeployRevision(t.Context(), created.ID, first)
		if unknown, ok := errors.AsType[*client.OutcomeUnknownError](err); !ok || unknown.ID != created.ID {
			t.Errorf("error = %v, want an OutcomeUnknownError with %s", err, created.ID)
		}
		revisions, err := client.Collect(c.ListRevisions(t.Context(), created.ID, client.RevisionFilter{}))
		if err != nil || len(revisions) != 3 {
			t.Errorf("revisions = %+v, %v; want three: a redeploy must not be sent twice", revisions, err)
		}
		if _, err := c.RedeployRevision(t.Context(), created.ID, foreign); !client.IsNotFound(err) {
			t.Errorf("redeploy of an unknown revision: error = %v, want a 404", err)
		}
	})
}

func TestContractRevisionLogs(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		p.arm(t, devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "the image does not start"}})
		d, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
		if err != nil {
			t.Fatal(err)
		}
		p.clock.Advance(time.Hour)
		for limit, want := range map[int][]string{
			2:    {"Deploying registry.example.com/chat:1.", "the image does not start"},
			1000: {"Queued.", "Waiting for compute.", "Deploying registry.example.com/chat:1.", "the image does not start"},
		} {
			lines, err := c.RevisionLogs(t.Context(), d.ID, *d.LatestRevisionID, api.LogTypeDeploy, limit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range lines {
				got = append(got, line.Message)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the last %d (-want +got):\n%s", limit, diff)
			}
		}
		if lines, err := c.RevisionLogs(t.Context(), d.ID, *d.LatestRevisionID, api.LogTypeBuild, 5); err != nil || len(lines) > 0 {
			t.Errorf("build log of an image = %+v, %v; want no lines", lines, err)
		}
	})
}

func TestContractRepositoriesAndTracingProjects(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		for _, prefix := range []string{"", "/api-host"} {
			c := p.client(t, func(cfg *client.Config) { cfg.BaseURL += prefix })
			repositories, err := client.Collect(c.ListRepositories(t.Context(), p.seeded.IntegrationID))
			if err != nil || len(repositories) != 3 || repositories[0].HostIntegrationID != p.seeded.IntegrationID {
				t.Errorf("%q: repositories = %+v, %v; want 3 of the seeded integration", prefix, repositories, err)
			}
			if _, err := client.Collect(c.ListRepositories(t.Context(), foreign)); !client.IsNotFound(err) {
				t.Errorf("%q: repositories of an unknown integration: error = %v, want a 404", prefix, err)
			}
			name := "chat" + strings.ReplaceAll(prefix, "/", "-")
			if _, err := c.FindTracingProject(t.Context(), name); !client.IsNotFound(err) {
				t.Errorf("%q: tracing project before the deployment: error = %v, want a 404", prefix, err)
			}
			if _, _, err := c.CreateDeployment(t.Context(), p.create(name)); err != nil {
				t.Fatal(err)
			}
			found, err := c.FindTracingProject(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			read, err := c.GetTracingProject(t.Context(), found.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := api.TracingProject{ID: found.ID, TenantID: workspace, Name: name, StartTime: "2026-05-02T10:00:00.000000Z"}
			if diff := cmp.Diff([]api.TracingProject{want, want}, []api.TracingProject{*found, *read}); diff != "" {
				t.Errorf("%q: project (-want +got):\n%s", prefix, diff)
			}
			if _, err := c.InWorkspace(foreign).GetTracingProject(t.Context(), found.ID); !client.IsNotFound(err) {
				t.Errorf("%q: tracing project read from another workspace: error = %v, want a 404", prefix, err)
			}
		}
	})
}
