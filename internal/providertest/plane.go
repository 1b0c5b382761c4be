package providertest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

const (
	// WorkspaceID is the workspace that the dev server's key opens.
	WorkspaceID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	// APIKey is the dev server's only key.
	APIKey = "acceptance-test-key"
	// Rollout is how long the dev server takes for a revision. It goes by a clock that waiting moves forward.
	Rollout = 10 * time.Minute
)

// Plane is the control plane of one test and what tests need to know of it.
type Plane struct {
	// URL is the base URL of the control plane.
	URL string
	// Server is nil when the control plane is a real one.
	Server *devserver.Server
	// Clock is the dev server's and the provider's: every wait of the provider moves it forward, so nothing sleeps.
	Clock *SteppedClock
	// What deployments refer to.
	ListenerID, K8sNamespace, OtherK8sNamespace, IntegrationID string

	t           *testing.T
	workspaceID string // Of Call.
	environment map[string]string
}

// New starts a control plane for one test, or finds the real one. configure changes the dev server's configuration.
func New(t *testing.T, configure ...func(*devserver.Config)) *Plane {
	t.Helper()
	if os.Getenv("AGENTPLANE_BASE_URL") != "" {
		return &Plane{
			URL: os.Getenv("AGENTPLANE_BASE_URL"), t: t,
			ListenerID: os.Getenv("TF_VAR_listener_id"), K8sNamespace: os.Getenv("TF_VAR_k8s_namespace"),
			IntegrationID: os.Getenv("TF_VAR_integration_id"),
		}
	}
	clock := &SteppedClock{devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	cfg := devserver.Config{
		Rollout: Rollout,
		Clock:   clock,
		Keys:    []devserver.Key{{Value: APIKey, Workspaces: []string{WorkspaceID}}},
		DevAPI:  true,
	}
	for _, change := range configure {
		change(&cfg)
	}
	server, err := devserver.New(cfg)
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
	seeded, err := server.Seed(context.Background(), WorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	return &Plane{
		URL: listening.URL, Server: server, Clock: clock, t: t, workspaceID: WorkspaceID,
		ListenerID: seeded.ListenerID, K8sNamespace: seeded.K8sNamespaces[0], OtherK8sNamespace: seeded.K8sNamespaces[1],
		IntegrationID: seeded.IntegrationID,
		environment: map[string]string{
			"AGENTPLANE_BASE_URL": listening.URL, "AGENTPLANE_API_KEY": APIKey, "AGENTPLANE_WORKSPACE_ID": WorkspaceID,
		},
	}
}

// NewDev is New for tests that need the dev server's faults and clock, which no real control plane has.
func NewDev(t *testing.T, configure ...func(*devserver.Config)) *Plane {
	t.Helper()
	p := New(t, configure...)
	if p.Server == nil {
		t.Skip("needs the dev server, but AGENTPLANE_BASE_URL names a real control plane")
	}
	return p
}

// Factories is the provider, configured by nothing but the environment of this control plane.
func (p *Plane) Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	var options []provider.Option
	if p.Server != nil {
		options = append(options, provider.WithClock(p.Clock), provider.WithEnvironment(p.getenv))
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"agentplane": providerserver.NewProtocol6WithError(provider.New("test", options...)()),
	}
}

func (p *Plane) getenv(name string) string { return p.environment[name] }

// Setenv sets a variable of the provider's environment, for this control plane only.
func (p *Plane) Setenv(name, value string) { p.environment[name] = value }

// In is the same dev server in another workspace, which its key must open: for calls, and for what deployments refer to.
// The provider's own workspace stays.
func (p *Plane) In(workspaceID string) *Plane {
	p.t.Helper()
	seeded, err := p.Server.Seed(context.Background(), workspaceID)
	if err != nil {
		p.t.Fatal(err)
	}
	there := *p
	there.workspaceID = workspaceID
	there.ListenerID, there.IntegrationID = seeded.ListenerID, seeded.IntegrationID
	there.K8sNamespace, there.OtherK8sNamespace = seeded.K8sNamespaces[0], seeded.K8sNamespaces[1]
	return &there
}

// Variables are the input variables that configurations may declare, and more of the caller's choice.
func (p *Plane) Variables(more config.Variables) config.Variables {
	variables := config.Variables{
		"listener_id":    config.StringVariable(p.ListenerID),
		"k8s_namespace":  config.StringVariable(p.K8sNamespace),
		"integration_id": config.StringVariable(p.IntegrationID),
	}
	maps.Copy(variables, more)
	return variables
}

// Arm makes something go wrong.
func (p *Plane) Arm(faults ...devserver.Fault) func() {
	return func() {
		p.t.Helper()
		for _, fault := range faults {
			if err := p.Server.Arm(fault); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// Requests returns the requests seen so far whose method and path match, for example "GET /v2/deployments/*".
func (p *Plane) Requests(method, pattern string) []devserver.Request {
	p.t.Helper()
	var matching []devserver.Request
	for _, request := range p.Server.Requests() {
		if matched, err := path.Match(pattern, request.Path); err != nil {
			p.t.Fatal(err)
		} else if matched && request.Method == method {
			matching = append(matching, request)
		}
	}
	return matching
}

// Call sends a request of the test's own, as somebody else than Terraform would, and decodes the answer into out unless
// that is nil.
func (p *Plane) Call(method, urlPath string, body, out any) {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, p.URL+urlPath, strings.NewReader(string(encoded)))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("X-Api-Key", APIKey)
	request.Header.Set("X-Tenant-Id", p.workspaceID)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusMultipleChoices {
		p.t.Fatalf("%s %s: %s", method, urlPath, answer.Status)
	}
	if out == nil {
		return
	}
	if err := json.NewDecoder(answer.Body).Decode(out); err != nil {
		p.t.Fatal(err)
	}
}
