package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMain lets garbage grow: the walks over all values allocate much and keep little, and collecting it took a fifth of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// settings are those of a provider block or an environment. A value is a string, an int or unknown.
type settings map[string]any

// unknown is a value that isn't known before the apply.
var unknown = tftypes.UnknownValue

// plugin is the provider as Terraform sees it: through the protocol.
type plugin struct {
	tfprotov6.ProviderServer
	t      *testing.T
	schema *tfprotov6.GetProviderSchemaResponse
}

// start starts the provider with an environment. Its retries don't wait.
func start(t *testing.T, environment settings) *plugin {
	t.Helper()
	getenv := func(name string) string {
		value, _ := environment[name].(string)
		return value
	}
	clock := &providertest.SteppedClock{ManualClock: devserver.NewManualClock(epoch)}
	server := providerserver.NewProtocol6(provider.New("1.2.3", provider.WithEnvironment(getenv), provider.WithClock(clock))())()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range schema.Diagnostics {
		t.Fatalf("%s: %s", d.Summary, d.Detail)
	}
	return &plugin{server, t, schema}
}

// configure validates a provider block and configures the provider with it, as every command of Terraform does.
func (p *plugin) configure(block settings) []*tfprotov6.Diagnostic {
	p.t.Helper()
	config := p.encode(p.schema.Provider, block)
	validated, err := p.ValidateProviderConfig(p.t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return validated.Diagnostics
	}
	configured, err := p.ConfigureProvider(p.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	return configured.Diagnostics
}

// use reads the data source agentplane_listeners, which sends one request.
func (p *plugin) use() []*tfprotov6.Diagnostic {
	p.t.Helper()
	const name = "agentplane_listeners"
	read, err := p.ReadDataSource(p.t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: p.encode(p.schema.DataSourceSchemas[name], nil),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return read.Diagnostics
}

// encode returns a configuration with these values, and null for all others.
func (p *plugin) encode(schema *tfprotov6.Schema, values settings) *tfprotov6.DynamicValue {
	p.t.Helper()
	object := schema.ValueType().(tftypes.Object)
	attributes := map[string]tftypes.Value{}
	for name, attributeType := range object.AttributeTypes {
		attributes[name] = tftypes.NewValue(attributeType, values[name])
	}
	for name := range values {
		if _, known := object.AttributeTypes[name]; !known {
			p.t.Fatalf("the schema has no attribute %s", name)
		}
	}
	encoded, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, attributes))
	if err != nil {
		p.t.Fatal(err)
	}
	return &encoded
}

// text returns the text of diagnostics.
func text(diagnostics []*tfprotov6.Diagnostic) string {
	var all strings.Builder
	for _, d := range diagnostics {
		all.WriteString(d.Severity.String() + " " + d.Attribute.String() + " " + d.Summary + ": " + d.Detail + "\n")
	}
	return all.String()
}

// service is a server that gives every request the same response and records it.
type service struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

// noListeners responds to the only request that these tests send.
func noListeners(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"resources": [], "offset": 0}`)
}

func serve(t *testing.T, listen func(http.Handler) *httptest.Server, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// requests returns the received requests.
func (s *service) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}
