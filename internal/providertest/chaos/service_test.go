package chaos

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// rollout is how long a revision takes, and tick how far every wait of the provider moves the clock, whatever it asks for:
// waits have jitter, which would make runs unrepeatable.
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

// service is a control plane with unrestricted access to its contents.
type service struct {
	t       *testing.T
	server  *devservertest.Servers
	clock   *clock
	account providertest.Account
	at      place
	kinds   []*kind

	mu sync.Mutex
	// secrets are those of OAuth providers, by provider_id, and the tokens of agents, by agent_id. No response contains them.
	secrets map[string]string
	// agents are those that requests have named.
	agents map[string]bool
}

func newService(t *testing.T, dialect *api.Dialect) *service {
	t.Helper()
	moved := &clock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	server, err := devservertest.NewServers(t, devservertest.Stored(t, devserver.Config{
		Clock: moved, Dialect: dialect, Rollout: rollout, Lag: providertest.Lag(t), NoDefaultPrices: true,
		Keys: []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID}}},
	}))
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
		t: t, server: server, secrets: map[string]string{}, agents: map[string]bool{}, clock: moved, at: place{seeded.ListenerID, seeded.K8sNamespaces[0], seeded.IntegrationID},
		account: providertest.Account{
			URL: listening.URL, APIKey: providertest.APIKey, WorkspaceID: providertest.WorkspaceID, Dialect: dialect, WithoutLag: true,
		},
	}
}

// ServeHTTP processes a request, and records the secret in it.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	done := httptest.NewRecorder()
	s.server.ServeHTTP(done, r)
	if agentID, is := agentIn(r.URL.Path); is {
		s.mu.Lock()
		s.agents[agentID] = true
		s.mu.Unlock()
	}
	var sent struct {
		ProviderID   string  `json:"provider_id"`
		ClientSecret *string `json:"client_secret"`
		AccessToken  *string `json:"access_token"`
	}
	if strings.HasPrefix(r.URL.Path, oauthProviders.collection) && done.Code < http.StatusMultipleChoices && json.Unmarshal(body, &sent) == nil {
		s.mu.Lock()
		providerID := cmp.Or(sent.ProviderID, path.Base(r.URL.Path))
		if r.Method == http.MethodPost {
			delete(s.secrets, providerID)
		}
		if sent.ClientSecret != nil {
			s.secrets[providerID] = *sent.ClientSecret
		}
		s.mu.Unlock()
	}
	if agent, is := strings.CutPrefix(r.URL.Path, agentsPath); is && r.Method == http.MethodPost && done.Code < http.StatusMultipleChoices &&
		json.Unmarshal(body, &sent) == nil && sent.AccessToken != nil {
		s.mu.Lock()
		agentID, _, _ := strings.Cut(agent, "/")
		s.secrets[agentID] = *sent.AccessToken
		s.mu.Unlock()
	}
	maps.Copy(w.Header(), done.Header())
	w.WriteHeader(done.Code)
	_, _ = w.Write(done.Body.Bytes()) // The proxy reads all of it.
}

func (s *service) secret(providerID string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	secret, sent := s.secrets[providerID]
	return secret, sent
}

func (s *service) named() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.agents))
}

func (s *service) call(method, path string, body, out any) {
	s.t.Helper()
	if err := s.account.Call(s.t.Context(), method, path, body, out); err != nil {
		s.t.Fatal(err)
	}
}

// try is like call, for requests that the service may refuse.
func (s *service) try(method, path string, body any) {
	s.t.Helper()
	var refused *providertest.StatusError
	if err := s.account.Call(s.t.Context(), method, path, body, nil); err != nil && !errors.As(err, &refused) {
		s.t.Fatal(err)
	}
}

// list are the objects of a collection, whether it has an envelope or not.
func (s *service) list(collection string) []map[string]any {
	s.t.Helper()
	var body json.RawMessage
	s.call(http.MethodGet, collection+"?limit=100", nil, &body)
	var list api.List[json.RawMessage]
	if err := json.Unmarshal(body, &list); err == nil {
		body, _ = json.Marshal(list.Resources) // It was JSON.
	}
	var all []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// current are the objects of this world's kinds that are not being deleted, by ID.
func (s *service) current() map[string]found {
	s.t.Helper()
	current := map[string]found{}
	for _, k := range s.kinds {
		for _, f := range k.list(s) {
			current[f.id] = f
		}
	}
	return current
}

func (s *service) revisions(id string) []api.Revision {
	s.t.Helper()
	var list api.List[api.Revision]
	s.call(http.MethodGet, "/v2/deployments/"+id+"/revisions?limit=100", nil, &list)
	return list.Resources
}
