package providertest

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// dialectVariable selects the dialect in which the whole suite runs against the dev server.
const dialectVariable = "AGENTPLANE_TEST_DIALECT"

// EachDialect runs a test in each dialect, as subtests with their names: a test of what the words or the behaviour of a dialect change. All
// other tests run in the first one. While AGENTPLANE_TEST_DIALECT is set, every test runs in that dialect only; a real control plane has one.
func EachDialect(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	only := os.Getenv(dialectVariable)
	if account, err := Installation(); err == nil {
		only = account.Dialect.Name
	}
	if _, err := api.ParseDialect(only); err != nil {
		t.Fatalf("%s: %v", dialectVariable, err)
	}
	for _, dialect := range api.Dialects {
		if only == "" || only == dialect.Name {
			t.Run(dialect.Name, func(t *testing.T) {
				t.Parallel()
				test(t)
			})
		}
	}
}

// testedDialect returns the dialect of a subtest of EachDialect, or that of the suite.
func testedDialect(t *testing.T) *api.Dialect {
	t.Helper()
	for _, dialect := range api.Dialects {
		if slices.Contains(strings.Split(t.Name(), "/"), dialect.Name) {
			return dialect
		}
	}
	dialect, err := api.ParseDialect(os.Getenv(dialectVariable))
	if err != nil {
		t.Fatalf("%s: %v", dialectVariable, err)
	}
	return dialect
}

// Dialect returns the dialect of the control plane. Tests use neutral words all the same; only behaviour differs.
func (p *Plane) Dialect() *api.Dialect { return p.account.Dialect }

// FirstStatus is the status of a new revision in the dialect.
func (p *Plane) FirstStatus() string {
	if p.Dialect().ShowsCreating {
		return string(api.RevisionCreating)
	}
	return string(api.RevisionQueued)
}

// SourceConfig adds to the source_config of a test's request what the dialect requires for the source.
func (p *Plane) SourceConfig(source api.Source, config map[string]any) map[string]any {
	required := map[string]any{}
	switch {
	case source == api.SourceExternalContainer && p.Dialect().RequiresResourceSpec:
		required["resource_spec"] = map[string]any{}
	case source == api.SourceGitHost && p.Dialect().RequiresBuildOnPush:
		required["build_on_push"], required["deployment_type"] = false, api.DeploymentTypeProd
	}
	maps.Copy(required, config)
	return required
}

// contracts has the contracts by dialect. The neutral dialect is specified in prose.
var contracts = map[string]func() (*Contract, error){api.LangSmith.Name: LangSmithContract}

// validated returns a service whose messages are validated against the contract of the dialect.
func (p *Plane) validated(service http.Handler) http.Handler {
	p.t.Helper()
	load, exists := contracts[p.Dialect().Name]
	if !exists {
		return service
	}
	contract, err := load()
	if err != nil {
		p.t.Fatal(err)
	}
	var told sync.Map // Each violation is reported once.
	return contract.Watch(service, func(v Violation) {
		if v.Status != 0 && p.madeUp(v.RequestID) {
			return
		}
		if _, again := told.LoadOrStore(v.String(), true); !again {
			p.t.Error(v)
		}
	})
}

// madeUp reports whether a response comes from a fault: such a response need not obey the contract.
func (p *Plane) madeUp(requestID string) bool {
	return p.Server != nil && slices.ContainsFunc(p.Server.Requests(), func(r devserver.Request) bool {
		return r.ID == requestID && r.Fault
	})
}

// HasComputeType reports whether listeners can be of a compute type besides k8s. Where the dialect has no other, it expects that the dev
// server refuses to register one.
func (p *Plane) HasComputeType(t *testing.T, computeType string) bool {
	t.Helper()
	if !p.Dialect().LangSmithAPI {
		return true
	}
	err := p.account.Call(t.Context(), http.MethodPost, "/dev/listeners", map[string]any{"compute_type": computeType, "compute_id": "other"}, nil)
	if err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("registering a listener of compute type %q: %v, want it refused", computeType, err)
	}
	return false
}
