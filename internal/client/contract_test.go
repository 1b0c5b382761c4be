package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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

// seen lists the requests that the service received, as "METHOD path status".
func (p *plane) seen() []string {
	var list []string
	for _, r := range p.Requests() {
		list = append(list, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
	}
	return list
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

func TestContractLists_unraced(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		var want []string
		for i := range 101 { // One more than fit on a page.
			name := fmt.Sprintf("chat-%03d", i)
			if _, _, err := c.CreateDeployment(t.Context(), p.create(name)); err != nil {
				t.Fatal(err)
			}
			want = append(want, name)
		}
		names := func(f client.DeploymentFilter) []string {
			t.Helper()
			var list []string
			for d, err := range c.ListDeployments(t.Context(), f) {
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, d.Name)
			}
			return list
		}
		all := names(client.DeploymentFilter{})
		seen := map[string]bool{}
		for _, name := range all {
			seen[name] = true
		}
		if len(all) != len(want) || len(seen) != len(want) {
			t.Errorf("listed %d deployments with %d names, want %d", len(all), len(seen), len(want))
		}
		for _, test := range []struct {
			filter client.DeploymentFilter
			want   []string
		}{
			{client.DeploymentFilter{Name: "chat-007"}, []string{"chat-007"}},
			{client.DeploymentFilter{Name: "chat-00"}, nil},
			{client.DeploymentFilter{NameContains: "t-10"}, []string{"chat-100"}},
			{client.DeploymentFilter{Status: api.DeploymentUnused}, nil},
		} {
			if diff := cmp.Diff(test.want, names(test.filter)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", test.filter, diff)
			}
		}

		listeners, err := client.Collect(c.ListListeners(t.Context()))
		if err != nil || len(listeners) != 1 {
			t.Fatalf("listeners = %+v, %v; want one", listeners, err)
		}
		listener, err := c.GetListener(t.Context(), p.seeded.ListenerID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(listeners[0], *listener); diff != "" {
			t.Errorf("listener (-listed +read):\n%s", diff)
		}
		integrations, err := client.Collect(c.ListIntegrations(t.Context()))
		if err != nil || len(integrations) != 1 || integrations[0].ID != p.seeded.IntegrationID {
			t.Errorf("integrations = %+v, %v; want the seeded one", integrations, err)
		}
		elsewhere := c.InWorkspace(foreign)
		others, err := client.Collect(elsewhere.ListDeployments(t.Context(), client.DeploymentFilter{}))
		if err != nil || len(others) != 0 {
			t.Errorf("the other workspace has %d deployments, %v; want none", len(others), err)
		}
	})
}

func TestContractRefusals(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		existing, _, err := c.CreateDeployment(t.Context(), p.create("taken"))
		if err != nil {
			t.Fatal(err)
		}
		tests := map[string]struct {
			call   func(*client.Client) error
			status int
			text   string
			loc    []api.LocStep // The location of the first validation error.
		}{
			"name is taken": {func(c *client.Client) error {
				_, _, err := c.CreateDeployment(t.Context(), p.create("taken"))
				return err
			}, 409, "taken", nil},
			"body of another form": {func(c *client.Client) error {
				req := p.create("chat")
				req.SourceConfig.ListenerID = api.Some[api.UUID]("no-uuid")
				_, _, err := c.CreateDeployment(t.Context(), req)
				return err
			}, 422, "body.source_config.listener_id: ", []api.LocStep{api.Key("body"), api.Key("source_config"), api.Key("listener_id")}},
			"field of the other source": {func(c *client.Client) error {
				req := p.create("chat")
				req.SourceRevisionConfig.RepoRef = api.Some("main")
				_, _, err := c.CreateDeployment(t.Context(), req)
				return err
			}, 400, "repo_ref", nil},
			"immutable field": {func(c *client.Client) error {
				_, err := c.PatchDeployment(t.Context(), existing.ID, api.DeploymentPatchRequest{Name: api.Some("renamed")})
				return err
			}, 400, "name", nil},
			"unknown deployment": {func(c *client.Client) error {
				return c.DeleteDeployment(t.Context(), foreign)
			}, 404, foreign, nil},
			"other workspace's deployment": {func(c *client.Client) error {
				_, err := c.InWorkspace(foreign).GetDeployment(t.Context(), existing.ID)
				return err
			}, 404, existing.ID, nil},
			"workspace that the key does not open": {func(c *client.Client) error {
				_, err := c.InWorkspace("cccccccc-0000-4000-8000-000000000000").GetDeployment(t.Context(), existing.ID)
				return err
			}, 403, "", nil},
			"wrong key": {func(*client.Client) error {
				_, err := p.client(t, func(cfg *client.Config) { cfg.APIKey = "wrong" }).GetDeployment(t.Context(), existing.ID)
				return err
			}, 401, "", nil},
			"wrong base URL": {func(*client.Client) error {
				_, err := p.client(t, func(cfg *client.Config) { cfg.BaseURL += "/nowhere" }).GetDeployment(t.Context(), existing.ID)
				return err
			}, 404, "Not Found", nil},
		}
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				err := test.call(c)
				refused, ok := errors.AsType[*client.Error](err)
				if !ok || refused.Status != test.status || refused.RequestID == "" || !strings.Contains(err.Error(), test.text) {
					t.Fatalf("error = %v, want %d with %q and a request id", err, test.status, test.text)
				}
				if client.IsAmbiguous(err) || client.IsTransient(err) || strings.Contains(err.Error(), "hunter22") {
					t.Errorf("error = %v (ambiguous: %v, transient: %v), want neither, and no secret", err, client.IsAmbiguous(err), client.IsTransient(err))
				}
				if test.loc != nil {
					if len(refused.Validation) == 0 {
						t.Fatal("the error has no validation errors, want at least one")
					}
					if diff := cmp.Diff(test.loc, refused.Validation[0].Loc); diff != "" {
						t.Errorf("loc (-want +got):\n%s", diff)
					}
				}
			})
		}
	})
}

func TestContractFaults(t *testing.T) {
	t.Parallel()
	const collection = "/v2/deployments"
	tests := map[string]struct {
		faults []devserver.Fault
		want   []string // The requests after the look-up, with the statuses of POST and GET.
		err    string   // Part of the error; empty: created.
	}{
		"429, then success": {
			[]devserver.Fault{{Match: "POST " + collection, Status: 429, RetryAfter: new(int64(3)), Times: 2}},
			[]string{"POST " + collection + " 429", "POST " + collection + " 429", "POST " + collection + " 201"}, "",
		},
		"503 with Retry-After, then success": {
			[]devserver.Fault{{Match: "POST " + collection, Status: 503, RetryAfter: new(int64(3))}},
			[]string{"POST " + collection + " 503", "POST " + collection + " 201"}, "",
		},
		"reply dropped after the work": {
			[]devserver.Fault{{Match: "POST " + collection, Drop: true}},
			[]string{"POST " + collection + " 0", "GET " + collection + " 200"}, "",
		},
		"reply dropped, and the look is answered 502 at first": {
			[]devserver.Fault{{Match: "POST " + collection, Drop: true}, {Match: "GET " + collection, Skip: 1, Status: 502, HTML: "<h1>Bad</h1>"}},
			[]string{"POST " + collection + " 0", "GET " + collection + " 502", "GET " + collection + " 200"}, "",
		},
		"dropped before the work": {
			[]devserver.Fault{{Match: "POST " + collection, DropBefore: true}},
			append([]string{"POST " + collection + " 0"}, slices.Repeat([]string{"GET " + collection + " 200"}, 6)...),
			`whether deployment "chat" was created is unknown (nothing with that name exists yet)`,
		},
		"a page instead of the service": {
			[]devserver.Fault{{Match: "POST " + collection, Status: 200, HTML: "<title>Sign in</title>"}},
			append([]string{"POST " + collection + " 200"}, slices.Repeat([]string{"GET " + collection + " 200"}, 6)...),
			"an HTML page instead of JSON; check any proxy: Sign in",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inEveryDialect(t, func(t *testing.T, p *plane) {
				for _, f := range test.faults {
					p.arm(t, f)
				}
				c := p.client(t)
				d, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
				if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Fatalf("CreateDeployment = %+v, %v; want %q", d, err, test.err)
				}
				if diff := cmp.Diff(append([]string{"GET " + collection + " 200"}, test.want...), p.seen()); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				made, err := client.Collect(c.ListDeployments(t.Context(), client.DeploymentFilter{}))
				if err != nil {
					t.Fatal(err)
				}
				if test.err != "" {
					if len(made) != 0 {
						t.Errorf("deployments = %+v, want none", made)
					}
				} else if diff := cmp.Diff([]api.Deployment{*d}, made); diff != "" {
					t.Errorf("deployments (-returned +made):\n%s", diff)
				}
			})
		})
	}
}

// TestContractLostConflictIsNotAdopted loses the reply to a create that was refused because another client had just created the same deployment.
func TestContractLostConflictIsNotAdopted(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		older, _, err := p.client(t).CreateDeployment(t.Context(), p.create("chat"))
		if err != nil {
			t.Fatal(err)
		}
		p.arm(t, devserver.Fault{Match: "POST /v2/deployments", Drop: true})
		_, _, err = p.client(t).CreateDeployment(t.Context(), p.create("chat"))
		unknown, ok := errors.AsType[*client.OutcomeUnknownError](err)
		if !ok || unknown.ID != older.ID || !strings.Contains(unknown.Reason, "before this request") {
			t.Errorf("error = %v, want an OutcomeUnknownError with %s", err, older.ID)
		}
	})
}

func TestContractLostPatchAndDelete(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		d, _, err := c.CreateDeployment(t.Context(), p.create("chat"))
		if err != nil {
			t.Fatal(err)
		}
		p.arm(t, devserver.Fault{Match: "PATCH /v2/deployments/{id}", Drop: true})
		_, err = c.PatchDeployment(t.Context(), d.ID, api.DeploymentPatchRequest{
			SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:2")}),
		})
		if unknown, ok := errors.AsType[*client.OutcomeUnknownError](err); !ok || unknown.ID != d.ID {
			t.Errorf("error = %v, want an OutcomeUnknownError with %s", err, d.ID)
		}
		revisions, err := client.Collect(c.ListRevisions(t.Context(), d.ID, client.RevisionFilter{}))
		if err != nil || len(revisions) != 2 {
			t.Errorf("revisions = %+v, %v; want two: the patch must not be sent twice", revisions, err)
		}
		newest, err := client.Collect(c.ListRevisions(t.Context(), d.ID, client.RevisionFilter{Limit: 1}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(revisions[:1], newest); diff != "" {
			t.Errorf("newest revision (-want +got):\n%s", diff)
		}

		p.arm(t, devserver.Fault{Match: "DELETE /v2/deployments/{id}", Drop: true})
		if err := c.DeleteDeployment(t.Context(), d.ID); err != nil {
			t.Errorf("deletion with a lost reply: %v", err)
		}
		if err := c.DeleteDeployment(t.Context(), d.ID); !client.IsNotFound(err) {
			t.Errorf("second deletion: error = %v, want a 404", err)
		}
	})
}
