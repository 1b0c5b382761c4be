package chaos

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// rollout is how long a revision takes, and tick how far every wait of the provider moves the clock, whatever it asks for:
// waits have jitter, which would make a run that can't be repeated.
const (
	rollout = 90 * time.Second
	tick    = 15 * time.Second
)

// clock is a clock on which waiting takes no time.
type clock struct{ *devserver.ManualClock }

func (c *clock) Sleep(ctx context.Context, _ time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(tick)
	return nil
}

// service is a control plane, as somebody sees it to whom it tells everything.
type service struct {
	t       *testing.T
	server  *devserver.Server
	clock   *clock
	account providertest.Account
	at      place
}

func newService(t *testing.T, dialect *api.Dialect) *service {
	t.Helper()
	moved := &clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	server, err := devserver.New(devserver.Config{
		Clock: moved, Dialect: dialect, Rollout: rollout,
		Keys: []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	seeded, err := server.Seed(t.Context(), providertest.WorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server)
	t.Cleanup(func() {
		listening.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &service{
		t: t, server: server, clock: moved, at: place{seeded.ListenerID, seeded.K8sNamespaces[0], seeded.IntegrationID},
		account: providertest.Account{
			URL: listening.URL, APIKey: providertest.APIKey, WorkspaceID: providertest.WorkspaceID, Dialect: dialect,
		},
	}
}

func (s *service) call(method, path string, body, out any) {
	s.t.Helper()
	if err := s.account.Call(s.t.Context(), method, path, body, out); err != nil {
		s.t.Fatal(err)
	}
}

// held are the deployments that are not being deleted, by their ids.
func (s *service) held() map[string]api.Deployment {
	s.t.Helper()
	var list api.List[api.Deployment]
	s.call(http.MethodGet, "/v2/deployments?limit=100", nil, &list)
	held := map[string]api.Deployment{}
	for _, each := range list.Resources {
		if !each.Status.BeingDeleted() {
			held[each.ID] = each
		}
	}
	return held
}

func (s *service) revisions(id string) []api.Revision {
	s.t.Helper()
	var list api.List[api.Revision]
	s.call(http.MethodGet, "/v2/deployments/"+id+"/revisions?limit=100", nil, &list)
	return list.Resources
}

// meddle changes a deployment as somebody else does, and says how. Where values are hidden nobody could see that one was
// changed, so only names are. meanwhile is in the middle of a change of Terraform's own.
func (s *service) meddle(random *rand.Rand, d api.Deployment, w *wanted, hides hiding, meanwhile bool) string {
	s.t.Helper()
	path := "/v2/deployments/" + d.ID
	body := map[string]any{}
	revision := func(name string, v any) { body["source_revision_config"] = map[string]any{name: v} }
	switch choice := random.IntN(6); {
	case choice < 2 && w.source == api.SourceGitHost:
		revision("repo_ref", "theirs")
	case choice < 2:
		revision("image_uri", "registry.example.com/agents/chat:theirs")
	case choice == 2 && w.source == api.SourceExternalContainer && len(w.numbers) > 0:
		body["source_config"] = map[string]any{"resource_spec": map[string]any{"cpu": 3, "memory_mb": 4096}}
	case choice == 3 && !meanwhile:
		if s.account.Dialect.ProjectsBlockNames {
			path += "?delete_tracing_project=true" // Or the name could never be used again.
		}
		s.call(http.MethodDelete, path, nil, nil)
		return "delete"
	case hides == omits:
		revision(pick(random, revisionField[w.source]), pick(random, "main", "release"))
	default:
		body["secrets"] = meddledSecrets(random, d.Secrets, hides)
	}
	s.call(http.MethodPatch, path, body, nil)
	if chance(random, 0.5) {
		s.clock.Advance(rollout)
	}
	return fmt.Sprint(body)
}

// revisionField is what a new revision of a source is made of.
var revisionField = map[api.Source]string{api.SourceGitHost: "repo_ref", api.SourceExternalContainer: "image_uri"}

// meddledSecrets are an environment with a variable more, less, or another value.
func meddledSecrets(random *rand.Rand, secrets []api.Secret, hides hiding) []map[string]string {
	values := map[string]string{"THEIRS": value(random)}
	for _, secret := range secrets {
		values[secret.Name] = secret.Value
	}
	if names := slices.Sorted(maps.Keys(values)); chance(random, 0.3) {
		delete(values, pick(random, names...))
	} else if hides == tells && chance(random, 0.5) {
		values[pick(random, names...)] = value(random)
	}
	all := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, map[string]string{"name": name, "value": values[name]})
	}
	return all
}
