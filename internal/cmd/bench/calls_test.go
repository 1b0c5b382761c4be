package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// configurations has a typical configuration of each resource.
func configurations(t testing.TB, p *plane) map[string]object {
	t.Helper()
	named := func(prefix string, amount int) object {
		values := object{}
		for i := range amount {
			values[fmt.Sprintf("%s_%d", prefix, i)] = fmt.Sprintf("value %d", i)
		}
		return values
	}
	return map[string]object{
		ours: {
			"name": "chat", "source": "external_container", "source_revision_config": image(0),
			"source_config": object{
				"listener_id": p.seeded.ListenerID, "listener_config": object{"k8s_namespace": p.seeded.K8sNamespaces[0]},
				"resource_spec": object{
					"min_scale": 1, "max_scale": 4, "cpu": 1, "cpu_limit": 2, "memory_mb": 1024, "memory_limit_mb": 2048,
					"queue_min_scale": 1, "queue_max_scale": 2,
				},
			},
			"environment": named("SETTING", 10), "secrets": named("SECRET", 5),
		},
		"agentplane_listener": {
			"compute_id": "production", "compute_config": object{"k8s_namespaces": []string{"agents", "agents-staging"}},
		},
		"agentplane_model_price": {
			"name": "example-large", "match_pattern": "^example-large$", "model_provider": "example",
			"prompt_cost": "2e-6", "completion_cost": "3e-6", "prompt_cost_details": object{"cache_read": "1e-6"},
		},
		"agentplane_oauth_provider": {
			"provider_id": "mail", "name": "Mail", "client_id": "agents", "client_secret": "secret",
			"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token", "uses_pkce": true,
			"authorization_params": object{"access_type": "offline", "prompt": "consent"},
		},
		"agentplane_llm_run": {
			"project_name": "chat", "name": "smoke-test", "model_name": "example-large", "model_provider": "example",
			"inputs_json":         `{"messages":[{"role":"user","content":"Say hello."}]}`,
			"outputs_json":        `{"choices":[{"message":{"role":"assistant","content":"Hello!"}}],"usage_metadata":{"input_tokens":12,"output_tokens":3,"total_tokens":15}}`,
			"time_to_first_token": "250ms", "duration": "1s",
		},
		"agentplane_agent_connection": {"agent_id": "assistant", "oauth_token_id": importToken(t, p)},
		"agentplane_oauth_token": {
			"provider_id": "calendar", "access_token_wo": "secret", "tokens_wo_version": 1, "scopes": []string{"calendar.read"},
			"provider_account_label": "assistant@example.com", "is_default": false,
		},
		"agentplane_agent_provider_token": {
			"agent_id": "assistant", "provider_id": "calendar", "access_token_wo": "secret", "tokens_wo_version": 1,
			"scopes": []string{"calendar.read"}, "provider_account_label": "assistant@example.com",
		},
	}
}

// importToken imports a token of an OAuth provider that isn't managed by Terraform, and returns its ID.
func importToken(t testing.TB, p *plane) string {
	t.Helper()
	provider := object{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "client_secret": "secret",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
	if err := p.call(t.Context(), http.MethodPost, "/v2/auth/providers", provider, nil); err != nil {
		t.Fatal(err)
	}
	var imported struct {
		TokenID string `json:"token_id"`
	}
	token := object{"provider_id": "calendar", "access_token": "secret"}
	if err := p.call(t.Context(), http.MethodPost, "/v2/auth/tokens/import", token, &imported); err != nil {
		t.Fatal(err)
	}
	return imported.TokenID
}

// replay answers repeated requests from memory instead of the dev server, so that a measurement of calls includes the
// provider's work only.
type replay struct {
	service http.Handler
	// host is the dev server's host, which some responses contain.
	host string

	mu       sync.Mutex
	recorded map[string]*httptest.ResponseRecorder
}

func (r *replay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := request.Method + " " + request.URL.String() + " " + string(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, ok := r.recorded[key]
	if !ok {
		request.Body, request.Host = io.NopCloser(bytes.NewReader(body)), r.host
		answer = httptest.NewRecorder()
		r.service.ServeHTTP(answer, request)
		r.recorded[key] = answer
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// replayed returns the URL of a server that replays the dev server's responses.
func replayed(t testing.TB, p *plane) string {
	t.Helper()
	web := httptest.NewServer(&replay{service: p.server, host: p.web.Listener.Addr().String(), recorded: map[string]*httptest.ResponseRecorder{}})
	t.Cleanup(web.Close)
	return web.URL
}

// existing is a resource that was applied and is unchanged. The calls are those that Terraform makes in a plan.
type existing struct {
	name        string
	schema      tftypes.Type
	environment map[string]string

	config, state *tfprotov6.DynamicValue
	private       []byte
	identity      *tfprotov6.ResourceIdentityData

	// found and planned are the results of the last calls.
	found, planned *tfprotov6.DynamicValue
}

// newExisting applies a resource.
func newExisting(t testing.TB, name string) *existing {
	t.Helper()
	p := startPlane(t)
	environment := p.environment()
	applying, err := newInProcess(t.Context(), environment)
	if err != nil {
		t.Fatal(err)
	}
	e := &existing{name: name, schema: applying.schema.ResourceSchemas[name].ValueType(), environment: environment}
	if e.config, err = newValue(e.schema, configurations(t, p)[name]); err != nil {
		t.Fatal(err)
	}
	if err := e.apply(t.Context(), applying); err != nil {
		t.Fatal(err)
	}
	environment["AGENTPLANE_BASE_URL"] = replayed(t, p)
	e.checkUnchanged(t)
	return e
}

func (e *existing) apply(ctx context.Context, p *inProcess) error {
	none, err := newValue(e.schema, nil)
	if err != nil {
		return err
	}
	planned, err := p.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: e.name, PriorState: none, ProposedNewState: e.config, Config: e.config,
	})
	if err != nil {
		return err
	}
	if err := failure(planned.Diagnostics); err != nil {
		return err
	}
	applied, err := p.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: e.name, PriorState: none, PlannedState: planned.PlannedState, Config: e.config,
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		return err
	}
	e.state, e.private, e.identity = applied.NewState, applied.Private, applied.NewIdentity
	return failure(applied.Diagnostics)
}

// provider starts a provider with an empty cache.
func (e *existing) provider(t testing.TB) *inProcess {
	t.Helper()
	p, err := newInProcess(t.Context(), e.environment)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (e *existing) validate(ctx context.Context, p *inProcess) error {
	resp, err := p.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: e.name, Config: e.config,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return err
	}
	return failure(resp.Diagnostics)
}

func (e *existing) plan(ctx context.Context, p *inProcess) error {
	resp, err := p.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: e.name, PriorState: e.state, ProposedNewState: e.state, Config: e.config,
		PriorPrivate: e.private, PriorIdentity: e.identity,
	})
	if err != nil {
		return err
	}
	e.planned = resp.PlannedState
	return failure(resp.Diagnostics)
}

func (e *existing) read(ctx context.Context, p *inProcess) error {
	resp, err := p.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: e.name, CurrentState: e.state, Private: e.private, CurrentIdentity: e.identity,
	})
	if err != nil {
		return err
	}
	e.found = resp.NewState
	return failure(resp.Diagnostics)
}

// checkUnchanged checks that reading and planning find no change, because that is the case to be measured.
func (e *existing) checkUnchanged(t testing.TB) {
	t.Helper()
	p := e.provider(t)
	if err := errors.Join(e.read(t.Context(), p), e.plan(t.Context(), p)); err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	want, err := e.state.Unmarshal(e.schema)
	if err != nil {
		t.Fatal(err)
	}
	for call, state := range map[string]*tfprotov6.DynamicValue{"read": e.found, "planned": e.planned} {
		got, err := state.Unmarshal(e.schema)
		if err != nil {
			t.Fatal(err)
		}
		if diff, err := want.Diff(got); err != nil || len(diff) > 0 {
			t.Fatalf("%s is %s with differences: %v, %v; want none", e.name, call, diff, err)
		}
	}
}

// calls are the kinds of calls.
var calls = []struct {
	name string
	call func(*existing, context.Context, *inProcess) error
	// fresh means that each call needs a new provider, because a provider caches what it reads.
	fresh bool
}{
	{"Validate", (*existing).validate, false},
	{"Plan", (*existing).plan, false},
	{"Read", (*existing).read, true},
}
