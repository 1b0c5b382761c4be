package bench

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/errgroup"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

const (
	// manyObjects is how many objects of each resource the requests are counted for.
	manyObjects = 1000
	// inFlight is how many calls Terraform makes at a time.
	inFlight = 10
)

// countedResource is a resource whose requests are counted.
type countedResource struct {
	name string
	// config is the configuration of one of many objects.
	config func(p *plane, i int) object
	// needs has the bodies of what must exist first for each object, by their paths.
	needs func(i int) map[string]object
	// dialectal: the number of requests depends on the dialect.
	dialectal bool
}

// dialects are those whose requests are counted.
func (c countedResource) dialects() []string {
	if c.dialectal {
		return []string{"neutral", "langsmith"}
	}
	return []string{"neutral"}
}

// ours is the resource that most is asserted of.
const ours = "agentplane_deployment"

// counted are all of them.
var counted = []countedResource{
	{name: ours, dialectal: true, config: func(p *plane, i int) object {
		return object{
			"name": fmt.Sprintf("bench-%d", i), "source": "external_container",
			"source_revision_config": object{"image_uri": "registry.example.com/agents/chat:1.0.0"},
			"source_config":          object{"listener_id": p.seeded.ListenerID, "listener_config": object{"k8s_namespace": p.seeded.K8sNamespaces[0]}},
		}
	}},
	{name: "agentplane_listener", config: func(_ *plane, i int) object {
		return object{"compute_id": fmt.Sprintf("bench-%d", i), "compute_config": object{"k8s_namespaces": []string{"agents"}}}
	}},
	{name: "agentplane_model_price", config: func(_ *plane, i int) object {
		return object{"name": fmt.Sprintf("bench-%d", i), "match_pattern": fmt.Sprintf("^bench-%d$", i), "prompt_cost": "2e-6", "completion_cost": "3e-6"}
	}},
	{name: "agentplane_oauth_provider", dialectal: true, config: func(_ *plane, i int) object {
		return oauthProvider(fmt.Sprintf("bench-%d", i))
	}},
	{name: "agentplane_agent_provider_token", config: func(_ *plane, i int) object {
		return object{"agent_id": "assistant", "provider_id": fmt.Sprintf("of-another-%d", i), "access_token_wo": "secret", "tokens_wo_version": 1}
	}, needs: func(i int) map[string]object {
		return map[string]object{"/v2/auth/providers": oauthProvider(fmt.Sprintf("of-another-%d", i))}
	}},
	{name: "agentplane_agent_connection", config: func(_ *plane, i int) object {
		return object{"agent_id": "assistant", "provider_id": fmt.Sprintf("of-another-%d", i)}
	}, needs: func(i int) map[string]object {
		id := fmt.Sprintf("of-another-%d", i)
		return map[string]object{"/v2/auth/providers": oauthProvider(id), "/v2/auth/tokens/import": {"provider_id": id, "access_token": "secret"}}
	}},
	{name: "agentplane_oauth_token", config: func(_ *plane, i int) object {
		return object{"provider_id": fmt.Sprintf("of-another-%d", i), "access_token_wo": "secret", "tokens_wo_version": 1}
	}, needs: func(i int) map[string]object {
		return map[string]object{"/v2/auth/providers": oauthProvider(fmt.Sprintf("of-another-%d", i))}
	}},
	{name: "agentplane_llm_run", config: func(_ *plane, i int) object {
		return object{"project_name": "chat", "name": fmt.Sprintf("bench-%d", i), "inputs_json": `{"question":"?"}`, "outputs_json": `{"answer":"!"}`}
	}},
}

func oauthProvider(id string) object {
	return object{
		"provider_id": id, "name": "Mail", "client_id": "agents", "client_secret": "secret",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
}

// BenchmarkRequests counts the requests for many objects of each resource.
func BenchmarkRequests(b *testing.B) {
	for _, c := range counted {
		for _, dialect := range c.dialects() {
			b.Run("resource="+c.name+"/dialect="+dialect, func(b *testing.B) {
				for b.Loop() {
					sent := countRequests(b, dialect, c, manyObjects)
					for phase, unit := range []string{"plan-new-requests", "create-requests", "plan-requests", "destroy-requests"} {
						b.ReportMetric(float64(sent[phase]), unit)
					}
				}
			})
		}
	}
}

// TestCountRequests_unraced asserts the requests of each resource for more objects than a page has. A plan takes a page for each 99 objects and
// at most two reads before the list: 13 requests for a thousand. The numbers of writes are bounds: how much creations share depends on their order.
func TestCountRequests_unraced(t *testing.T) {
	t.Parallel()
	const amount, pages = 110, 2
	writes := map[string][2]int{ // For a creation and for a deletion.
		ours: {4, 2}, "agentplane_listener": {3, 4}, "agentplane_model_price": {3, 2}, "agentplane_oauth_provider": {2, 2},
		"agentplane_agent_provider_token": {4, 3}, "agentplane_agent_connection": {4, 3}, "agentplane_oauth_token": {4, 3},
		"agentplane_llm_run": {4, 0},
	}
	for _, c := range counted {
		for _, dialect := range c.dialects() {
			t.Run(c.name+"/"+dialect, func(t *testing.T) {
				t.Parallel()
				sent := countRequests(t, dialect, c, amount)
				if sent[1] < amount {
					t.Errorf("%d requests create %d objects: they aren't counted", sent[1], amount)
				}
				t.Logf("requests of %d objects: %d to plan new ones, %d to create, %d to plan, %d to destroy", amount, sent[0], sent[1], sent[2], sent[3])
				for phase, most := range []int{12, writes[c.name][0]*amount + 30, pages + 2, writes[c.name][1] * amount} {
					if sent[phase] > most {
						t.Errorf("%s took %d requests, want at most %d", []string{"a plan of new objects", "creations", "a plan", "deletions"}[phase], sent[phase], most)
					}
				}
			})
		}
	}
}

// countRequests returns the requests that plan many new objects, create them, plan them without changes, and destroy them. Those for the
// status of a rollout in progress are left out: there is none.
func countRequests(t testing.TB, dialect string, c countedResource, amount int) (sent [4]int) {
	t.Helper()
	config := devserver.Config{DevAPI: true, NoDefaultPrices: true}
	if err := config.SetDialect(dialect); err != nil {
		t.Fatal(err)
	}
	p := openPlane(t, config)
	p.latency = 5 * time.Millisecond // As of a real service. Without it, reads may come one after the other, and are sent one by one.
	environment := p.environment()
	environment["AGENTPLANE_DIALECT"] = dialect
	getenv := func(name string) string { return environment[name] }
	for i := range amount {
		if c.needs == nil {
			break
		}
		needs := c.needs(i)
		for _, path := range slices.Sorted(maps.Keys(needs)) { // OAuth providers before their tokens.
			if err := p.call(t.Context(), http.MethodPost, path, needs[path], nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	driver := core.NewDriver(c.name, func() (tfprotov6.ProviderServer, error) {
		return provider.NewServer("bench", provider.WithClock(&skippingClock{}), provider.WithEnvironment(getenv))(), nil
	})
	objects, plans := make([]core.Object, amount), make([]*core.Planned, amount)
	plan := func(command *core.Command, i int, config object) (out core.Outcome) {
		plans[i], out = command.Plan(t.Context(), objects[i], config)
		return out
	}
	apply := func(command *core.Command, i int) (out core.Outcome) {
		objects[i], out = command.Apply(t.Context(), plans[i])
		return out
	}
	configured := func(command *core.Command, i int) core.Outcome { return plan(command, i, c.config(p, i)) }
	for phase, call := range []func(*core.Command, int) core.Outcome{
		configured, apply,
		func(command *core.Command, i int) core.Outcome {
			var read core.Outcome
			if objects[i], read = command.Refresh(t.Context(), objects[i]); read.Failed() {
				return read
			}
			return configured(command, i)
		},
		func(command *core.Command, i int) core.Outcome { return plan(command, i, nil) }, apply,
	} {
		command, err := driver.Command(t.Context()) // Terraform starts a provider for each.
		if err != nil {
			t.Fatal(err)
		}
		p.seen()
		var all errgroup.Group
		all.SetLimit(inFlight)
		for i := range objects {
			all.Go(func() error { return call(command, i).Err() })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		sent[min(phase, len(sent)-1)] += p.seen() // A destruction is planned and applied.
	}
	return sent
}

// skippingClock is a clock on which sleeping takes no time.
type skippingClock struct{ skipped atomic.Int64 }

func (c *skippingClock) Now() time.Time { return time.Now().Add(time.Duration(c.skipped.Load())) }

func (c *skippingClock) Sleep(ctx context.Context, d time.Duration) error {
	c.skipped.Add(int64(d))
	return ctx.Err()
}
