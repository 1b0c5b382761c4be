package deployment

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// rolloutTime is the duration of the dev server's rollouts, on a clock that only sleeping advances.
const rolloutTime = 10 * time.Second

// steppedClock is a clock on which sleeping takes no real time: it only advances the clock.
type steppedClock struct {
	*devserver.ManualClock
	// beforeSleep, if set, is called with the number of earlier sleeps.
	beforeSleep func(slept int)
	slept       int
}

func newSteppedClock() *steppedClock {
	return &steppedClock{ManualClock: devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
}

func (c *steppedClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.beforeSleep != nil {
		c.beforeSleep(c.slept)
	}
	c.slept++
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}

// plane is a dev server and a client of it that share a clock.
type plane struct {
	server *devservertest.Servers
	clock  *steppedClock
	client *client.Client
}

func newPlane(t *testing.T, configure ...func(*devserver.Config)) *plane {
	t.Helper()
	clock := newSteppedClock()
	cfg := devserver.Config{Clock: clock, Rollout: rolloutTime}
	for _, change := range configure {
		change(&cfg)
	}
	server, err := devservertest.NewServers(t, devservertest.Stored(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	p := &plane{server: server, clock: clock, client: newClient(t, server, clock)}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// newClient returns a client of the handler. It doesn't retry, so that every response
// reaches the code under test.
func newClient(t *testing.T, service http.Handler, clock *steppedClock) *client.Client {
	t.Helper()
	listening := httptest.NewServer(service)
	t.Cleanup(listening.Close)
	c, err := client.New(client.Config{BaseURL: listening.URL, Sleep: clock.Sleep, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *plane) policy() poll.Policy { return poll.Policy{Clock: p.clock, Jitter: -1} }

func (p *plane) writer() writer { return writer{client: p.client, policy: p.policy()} }

func (p *plane) arm(t *testing.T, faults ...devserver.Fault) {
	t.Helper()
	for _, fault := range faults {
		if err := p.server.Arm(fault); err != nil {
			t.Fatal(err)
		}
	}
}

// create creates a deployment of an image.
func (p *plane) create(t *testing.T, name string, change ...func(*api.DeploymentCreateRequest)) *api.Deployment {
	t.Helper()
	created, _, err := p.client.CreateDeployment(t.Context(), imageRequest(name, change...))
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func (p *plane) get(t *testing.T, id string) *api.Deployment {
	t.Helper()
	d, err := p.client.Deployments().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sent counts the requests of a method on paths with a prefix.
func (p *plane) sent(method, prefix string) int {
	return len(slices.DeleteFunc(p.server.Requests(), func(r devserver.Request) bool {
		return r.Method != method || !strings.HasPrefix(r.Path, prefix)
	}))
}

func imageRequest(name string, change ...func(*api.DeploymentCreateRequest)) api.DeploymentCreateRequest {
	request := api.DeploymentCreateRequest{
		Name: name, Source: api.SourceExternalContainer,
		SourceRevisionConfig: api.SourceRevisionConfigRequest{ImageURI: api.Some("registry.example.com/chat:1")},
		Secrets:              []api.Secret{},
	}
	for _, c := range change {
		c(&request)
	}
	return request
}

func secretsOf(pairs ...string) []api.Secret {
	secrets := []api.Secret{}
	for i := 0; i < len(pairs); i += 2 {
		secrets = append(secrets, api.Secret{Name: pairs[i], Value: pairs[i+1]})
	}
	return secrets
}

// elementTypes returns the attribute types of the objects in a list of resource_spec, or in a list within those.
func elementTypes(t *testing.T, names ...string) map[string]attr.Type {
	t.Helper()
	return frameworktest.ElementTypes(t, resourcespec.Types(), names...)
}

// objectList returns a list of objects for the attribute with this path.
func objectList(t *testing.T, names []string, elements ...map[string]attr.Value) types.List {
	t.Helper()
	return frameworktest.ObjectList(elementTypes(t, names...), elements...)
}

func text(s string) types.String             { return types.StringValue(s) }
func number64(n int64) types.Int64           { return types.Int64Value(n) }
func jsonText(s string) jsontypes.Normalized { return jsontypes.NewNormalizedValue(s) }

// specObject returns a resource_spec with the given attributes.
func specObject(given map[string]attr.Value) types.Object {
	return frameworktest.Object(resourcespec.Types(), given)
}

func specOf(t *testing.T, text string) api.ResourceSpec {
	t.Helper()
	var spec api.ResourceSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// imageModel returns a deployment of an image as after a refresh.
func imageModel(config map[string]attr.Value) model {
	return model{
		dataModel: dataModel{
			ID: text("6ba7b810-9dad-41d1-80b4-00c04fd430c8"), Name: text("chat"), Source: text("external_container"),
			SourceConfig:         frameworktest.Object(attributeTypes("source_config"), config),
			SourceRevisionConfig: revisionConfig(map[string]attr.Value{"image_uri": text("registry.example.com/chat:1")}),
			EnvironmentNames:     types.SetValueMust(types.StringType, nil),
			CreatedAt:            text("2026-01-02T03:04:05Z"), UpdatedAt: text("2026-01-02T03:04:05Z"), Status: text("READY"),
			LatestRevisionID: text("r1"), ActiveRevisionID: text("r1"), SecretReferences: noReferences(),
		},
		Environment: types.MapNull(types.StringType), Secrets: types.MapNull(types.StringType), SecretsWO: types.MapNull(types.StringType),
		EnvironmentOwnership: text(ownershipAll), Triggers: types.MapNull(types.StringType), WaitForDeployed: types.BoolValue(true),
		OnFailedCreate: text(onFailedCreateTaint), DeletionProtection: types.BoolValue(false), LatestRevisionStatus: text("DEPLOYED"),
		RevisionReasons: types.ObjectNull(attributeTypes("revision_reasons")), DeleteTracingProject: types.BoolValue(false),
		Timeouts: timeouts.Value{Object: types.ObjectNull(attributeTypes("timeouts"))},
	}
}

// gitModel returns a deployment of a repository as after a refresh.
func gitModel(config, revision map[string]attr.Value) model {
	m := imageModel(nil)
	m.Source = text("git_host")
	all := map[string]attr.Value{
		"integration_id": text("6ba7b810-9dad-41d1-80b4-00c04fd430c9"), "repo_url": text("https://git.example.com/example-org/chat"),
		"deployment_type": text("prod"), "build_on_push": types.BoolValue(false),
	}
	maps.Copy(all, config)
	m.SourceConfig = frameworktest.Object(attributeTypes("source_config"), all)
	all = map[string]attr.Value{
		"repo_ref": text("main"), "graph_config_path": text("graph.json"), "repo_commit_sha": text("c0ffee"),
	}
	maps.Copy(all, revision)
	m.SourceRevisionConfig = revisionConfig(all)
	return m
}

func revisionConfig(given map[string]attr.Value) types.Object {
	return frameworktest.Object(attributeTypes("source_revision_config"), given)
}

func listenerConfig(namespace types.String) types.Object {
	return frameworktest.Object(framework.NestedTypes(attributeTypes("source_config")["listener_config"]), map[string]attr.Value{"k8s_namespace": namespace})
}

// wantText checks that a text contains all parts.
func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text doesn't contain %q:\n%s", part, text)
		}
	}
}
