package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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
	if err := p.call(t.Context(), http.MethodPost, "/v2/auth/providers", oauthProvider("calendar"), nil); err != nil {
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
	web := httptest.NewServer(&replay{service: p.server, host: strings.TrimPrefix(p.urls[0], "http://"), recorded: map[string]*httptest.ResponseRecorder{}})
	t.Cleanup(web.Close)
	return web.URL
}

// existing is an object that was created and is unchanged.
type existing struct {
	managed
	schema      tftypes.Type
	environment map[string]string
}

// newExisting creates an object, and checks that reading and planning find no change, because that is the case to be measured.
func newExisting(t testing.TB, name string) *existing {
	t.Helper()
	plane := startPlane(t)
	e := &existing{environment: plane.environment()}
	p, err := newInProcess(t.Context(), e.environment)
	if err != nil {
		t.Fatal(err)
	}
	e.schema = p.schema.ResourceSchemas[name].ValueType()
	if e.managed, err = newManaged(p, name, configurations(t, plane)[name]); err != nil {
		t.Fatal(err)
	}
	if err := e.create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	e.environment["AGENTPLANE_BASE_URL"] = replayed(t, plane)
	p, found := e.provider(t), e.managed
	if err := found.read(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	planned, err := e.plan(t.Context(), p, e.state, e.state)
	if err != nil {
		t.Fatal(err)
	}
	for call, state := range map[string]*tfprotov6.DynamicValue{"read": found.state, "planned": planned.PlannedState} {
		got, err := state.Unmarshal(e.schema)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.state.Unmarshal(e.schema)
		if err != nil {
			t.Fatal(err)
		}
		if diff, err := want.Diff(got); err != nil || len(diff) > 0 {
			t.Fatalf("%s is %s with differences: %v, %v; want none", name, call, diff, err)
		}
	}
	return e
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

// calls are those of a plan.
var calls = []struct {
	name string
	call func(managed, context.Context, *inProcess) error
	// fresh means that each call needs a new provider, because a provider caches what it reads.
	fresh bool
}{
	{"Validate", func(m managed, ctx context.Context, p *inProcess) error { return m.validate(ctx, p) }, false},
	{"Plan", func(m managed, ctx context.Context, p *inProcess) error {
		_, err := m.plan(ctx, p, m.state, m.state)
		return err
	}, false},
	{"Read", func(m managed, ctx context.Context, p *inProcess) error { return m.read(ctx, p) }, true},
}

// BenchmarkCalls makes the calls of a plan for one unchanged object. A Read begins with a new connection to a service that answers from memory;
// the provider is started beforehand.
func BenchmarkCalls(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(configurations(b, startPlane(b)))) {
		e := newExisting(b, name)
		for _, c := range calls {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				p := e.provider(b)
				for b.Loop() {
					if c.fresh {
						b.StopTimer()
						p = e.provider(b)
						b.StartTimer()
					}
					if err := c.call(e.managed, b.Context(), p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
