package providertest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

const (
	// WorkspaceID is the workspace of the dev server's key.
	WorkspaceID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	// APIKey is the dev server's only key.
	APIKey = "acceptance-test-key"
	// Rollout is how long a rollout takes, on a clock that waiting advances: so short that the provider polls only some thirty times.
	Rollout = 20 * time.Second
)

// Plane is the control plane of one test, with what tests need to know about it.
type Plane struct {
	// URL is the base URL of the control plane.
	URL string
	// Server is nil for any other control plane.
	Server *devservertest.Servers
	// Service is the handler behind URL; nil for a real control plane.
	Service http.Handler
	// Clock is the clock of the dev server and of the provider: every wait of the provider advances it, so nothing sleeps. It is
	// nil for a real control plane, which uses real time.
	Clock *SteppedClock
	// The objects that deployments refer to.
	ListenerID, K8sNamespace, OtherK8sNamespace, IntegrationID string

	t           *testing.T
	account     Account // For Call.
	environment map[string]string
	compares    bool
}

// New starts a control plane for one test, or connects to the real one. configure changes the dev server's configuration.
func New(t *testing.T, configure ...func(*devserver.Config)) *Plane {
	t.Helper()
	switch account, err := Installation(); {
	case err == nil:
		return &Plane{
			URL: account.URL, t: t, account: *account,
			ListenerID: os.Getenv("TF_VAR_listener_id"), K8sNamespace: os.Getenv("TF_VAR_k8s_namespace"),
			IntegrationID: os.Getenv("TF_VAR_integration_id"),
		}
	case !errors.Is(err, errNoInstallation):
		t.Fatal(err)
	}
	p := newPlane(t, testedDialect(t))
	cfg := devserver.Config{
		Dialect: p.Dialect(),
		Rollout: Rollout - Lag(t),
		Lag:     Lag(t),
		Clock:   p.Clock,
		Keys:    []devserver.Key{{Value: APIKey, Workspaces: []string{WorkspaceID}}},
		DevAPI:  true,
		// The authorization servers of tests are on this machine.
		AllowLoopback: true,
		// The list of default prices is long, and costs of well-known models would depend on it.
		NoDefaultPrices: true,
	}
	for _, change := range configure {
		change(&cfg)
	}
	p.account.Dialect = cfg.Dialect
	if cfg.Data == "" {
		cfg = devservertest.Stored(t, cfg)
	}
	server, err := devservertest.NewServers(t, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Server = server
	p.serve(server)
	p.seed()
	return p
}

// Unseen is how long a resource stays in state at least that the service has not shown since its creation.
const Unseen = 10 * time.Minute

// lagVariable is how far reads of the dev servers of tests lag behind changes.
const lagVariable = "AGENTPLANE_TEST_LAG"

// Lag returns the lag with which tests run. Calls of a test itself don't lag.
func Lag(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(lagVariable)
	if text == "" {
		return 0
	}
	lag, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", lagVariable, err)
	}
	return lag
}

// NewDev is New for tests that need the dev server's faults and clock, which no real control plane has.
func NewDev(t *testing.T, configure ...func(*devserver.Config)) *Plane {
	t.Helper()
	p := New(t, configure...)
	if p.Server == nil {
		t.Skip("needs the dev server, but the environment names a real control plane")
	}
	return p
}

// NewFrom returns a control plane of another implementation, in a dialect.
func NewFrom(t *testing.T, dialect *api.Dialect, service http.Handler) *Plane {
	t.Helper()
	p := newPlane(t, dialect)
	p.serve(service)
	return p
}

func newPlane(t *testing.T, dialect *api.Dialect) *Plane {
	t.Helper()
	return &Plane{
		Clock: &SteppedClock{ManualClock: devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))},
		t:     t, account: Account{APIKey: APIKey, WorkspaceID: WorkspaceID, Dialect: dialect, WithoutLag: true},
	}
}

// serve starts a service at the plane's URL, behind the contract of the dialect if there is one.
func (p *Plane) serve(service http.Handler) {
	p.t.Helper()
	p.Service = p.validated(service)
	listening := httptest.NewServer(p.Service)
	p.t.Cleanup(listening.Close)
	p.URL, p.account.URL = listening.URL, listening.URL
	p.environment = map[string]string{
		"AGENTPLANE_BASE_URL": listening.URL, "AGENTPLANE_API_KEY": APIKey, "AGENTPLANE_WORKSPACE_ID": WorkspaceID,
		"AGENTPLANE_DIALECT": p.account.Dialect.Name, "AGENTPLANE_DIRECT": os.Getenv("AGENTPLANE_DIRECT"),
	}
}

func (p *Plane) seed() {
	p.t.Helper()
	seeded, err := p.Server.Seed(context.Background(), p.account.WorkspaceID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.ListenerID, p.IntegrationID = seeded.ListenerID, seeded.IntegrationID
	p.K8sNamespace, p.OtherK8sNamespace = seeded.K8sNamespaces[0], seeded.K8sNamespaces[1]
}

// Factories returns the provider, configured only by the environment of this control plane.
func (p *Plane) Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	var options []provider.Option
	if p.compares || os.Getenv(cliVariable) != "" {
		options = append(options, provider.WithComparison(SameAnswers(p.t)))
	}
	if p.Service != nil {
		options = append(options, provider.WithClock(p.Clock), provider.WithEnvironment(p.getenv))
	}
	server := provider.NewServer("test", options...)
	return map[string]func() (tfprotov6.ProviderServer, error){
		"agentplane": func() (tfprotov6.ProviderServer, error) { return server(), nil },
	}
}

func (p *Plane) getenv(name string) string { return p.environment[name] }

// Setenv sets a variable of the provider's environment, for this control plane only.
func (p *Plane) Setenv(name, value string) { p.environment[name] = value }

// Environ returns the provider's environment, for a separate process. Such a process waits in real time, in which a lag has to end.
func (p *Plane) Environ() []string {
	if p.Clock != nil && Lag(p.t) > 0 {
		p.Clock.run()
	}
	variables := make([]string, 0, len(p.environment))
	for name, value := range p.environment {
		variables = append(variables, name+"="+value)
	}
	return variables
}

// In returns the same dev server in another workspace, which its key must be able to access: for calls, and for objects that
// deployments refer to. The provider's own workspace stays the same.
func (p *Plane) In(workspaceID string) *Plane {
	p.t.Helper()
	there := *p
	there.account.WorkspaceID = workspaceID
	there.seed()
	return &there
}

// Variables returns the input variables that configurations may declare, with additional ones of the caller.
func (p *Plane) Variables(more config.Variables) config.Variables {
	variables := config.Variables{
		"listener_id":    config.StringVariable(p.ListenerID),
		"k8s_namespace":  config.StringVariable(p.K8sNamespace),
		"integration_id": config.StringVariable(p.IntegrationID),
		"suffix":         config.StringVariable(p.suffix()),
	}
	if p.Dialect().ProjectsBlockNames {
		variables["delete_tracing_project"] = config.BoolVariable(true) // Otherwise names couldn't be reused.
	}
	if p.Service == nil {
		variables["image_uri"] = config.StringVariable(p.Image("1.0.0"))
	}
	maps.Copy(variables, more)
	return variables
}
