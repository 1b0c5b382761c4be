package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const (
	workspace = "aaaaaaaa-0000-4000-8000-000000000000"
	foreign   = "bbbbbbbb-0000-4000-8000-000000000000"
	apiKey    = "key-of-workspace-a"
)

// plane is a dev server on a loopback port, whose clock the test controls.
type plane struct {
	*devservertest.Servers
	dialect *api.Dialect
	url     string
	clock   *devserver.ManualClock
	seeded  devserver.Seeded
}

// inEveryDialect runs a test against a plane of each dialect.
func inEveryDialect(t *testing.T, test func(*testing.T, *plane)) {
	t.Parallel()
	for _, dialect := range api.Dialects {
		t.Run(dialect.Name, func(t *testing.T) {
			t.Parallel()
			test(t, newPlane(t, dialect))
		})
	}
}

func newPlane(t *testing.T, dialect *api.Dialect) *plane {
	t.Helper()
	p := &plane{dialect: dialect, clock: devserver.NewManualClock(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))}
	server, err := devservertest.NewServers(t, devservertest.Stored(t, devserver.Config{
		NoDefaultPrices: true,
		Clock:           p.clock, Rollout: time.Minute, Dialect: dialect,
		Keys: []devserver.Key{{Value: apiKey, Workspaces: []string{workspace, foreign}}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	p.Servers = server
	// net/http would set Date from the machine's clock instead of the service's.
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", p.clock.Now().Format(http.TimeFormat))
		server.ServeHTTP(w, r)
	}))
	p.url = web.URL
	t.Cleanup(func() {
		web.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	if p.seeded, err = server.Seed(t.Context(), workspace); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *plane) client(t *testing.T, options ...func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{
		BaseURL: p.url, Dialect: p.dialect, APIKey: apiKey, WorkspaceID: workspace, MaxRetries: 3,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, option := range options {
		option(&cfg)
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *plane) arm(t *testing.T, f devserver.Fault) {
	t.Helper()
	if err := p.Arm(f); err != nil {
		t.Fatal(err)
	}
}

func (p *plane) create(name string) api.DeploymentCreateRequest {
	return api.DeploymentCreateRequest{
		Name: name, Source: api.SourceExternalContainer,
		SourceConfig: api.SourceConfigRequest{
			ListenerID:     api.Some(api.UUID(p.seeded.ListenerID)),
			ListenerConfig: api.Some(api.ListenerConfig{K8sNamespace: &p.seeded.K8sNamespaces[0]}),
			ResourceSpec:   api.Some(api.ResourceSpec{CPU: new(api.CPU(2)), MemoryMB: new(int64(1024))}),
		},
		SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:1")},
		Secrets:              []api.Secret{{Name: "TOKEN", Value: "hunter22"}},
	}
}

func TestContractLifecycle(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		// A tracing project that is left behind can keep its name reserved.
		for name, prefix := range map[string]string{"chat": "", "chat-behind-a-prefix": "/api-host/"} {
			c := p.client(t, func(cfg *client.Config) { cfg.BaseURL += prefix })
			created, _, err := c.CreateDeployment(t.Context(), p.create(name))
			if err != nil {
				t.Fatal(err)
			}
			if created.LatestRevisionID == nil || created.ActiveRevisionID != nil {
				t.Fatalf("created = %+v, want a latest revision and no active one", created)
			}
			first := *created.LatestRevisionID
			if r, err := c.GetRevision(t.Context(), created.ID, first); err != nil || r.Status == api.RevisionDeployed {
				t.Errorf("revision = %+v, %v; want it in progress", r, err)
			}
			p.clock.Advance(time.Minute)
			if r, err := c.GetRevision(t.Context(), created.ID, first); err != nil || r.Status != api.RevisionDeployed {
				t.Errorf("revision = %+v, %v; want DEPLOYED", r, err)
			}

			patched, err := c.PatchDeployment(t.Context(), created.ID, api.DeploymentPatchRequest{
				SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:2")}),
			})
			if err != nil {
				t.Fatal(err)
			}
			if *patched.LatestRevisionID == first || *patched.SourceRevisionConfig.ImageURI != "registry.example.com/chat:2" {
				t.Errorf("patched = %+v, want a new revision with the new image", patched)
			}
			revisions, err := client.Collect(c.ListRevisions(t.Context(), created.ID, client.RevisionFilter{}))
			if err != nil || len(revisions) != 2 || revisions[0].ID != *patched.LatestRevisionID || revisions[1].ID != first {
				t.Errorf("revisions = %+v, %v; want the patched one, then the first", revisions, err)
			}
			read, err := c.GetDeployment(t.Context(), created.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(patched, read); diff != "" {
				t.Errorf("response to the patch and the next read differ (-patched +read):\n%s", diff)
			}

			if err := c.DeleteDeployment(t.Context(), created.ID); err != nil {
				t.Fatal(err)
			}
			p.clock.Advance(time.Hour)
			if d, err := c.GetDeployment(t.Context(), created.ID); !client.IsNotFound(err) {
				t.Errorf("after the deletion: %+v, %v; want a 404", d, err)
			}
		}
	})
}
