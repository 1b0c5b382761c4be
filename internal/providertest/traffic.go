package providertest

import (
	"context"
	"net/http"
	"path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// Arm returns a function that arms faults in the dev server, for use as a PreConfig.
func (p *Plane) Arm(faults ...devserver.Fault) func() {
	return func() {
		p.t.Helper()
		for _, fault := range faults {
			fault.Match = p.Dialect().Path(fault.Match)
			if err := p.Server.Arm(fault); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// Seen returns the requests seen so far.
func (p *Plane) Seen() []devserver.Request {
	requests := p.Server.Requests()
	for i := range requests {
		r := &requests[i]
		r.Body = p.account.translated(r.Path, r.Body)
		r.Path = p.Dialect().Path(r.Path)
	}
	return requests
}

// Requests returns the requests seen so far whose method and path match, for example "GET /v2/deployments/*".
func (p *Plane) Requests(method, pattern string) []devserver.Request {
	p.t.Helper()
	var matching []devserver.Request
	for _, request := range p.Seen() {
		if matched, err := path.Match(pattern, request.Path); err != nil {
			p.t.Fatal(err)
		} else if matched && request.Method == method {
			matching = append(matching, request)
		}
	}
	return matching
}

// Call sends a request of the test itself, as a client other than Terraform, and decodes the response into out unless that is nil.
func (p *Plane) Call(method, urlPath string, body, out any) {
	p.t.Helper()
	if err := p.account.Call(context.Background(), method, urlPath, body, out); err != nil {
		p.t.Fatal(err)
	}
}

// Deploy makes a deployment of the image registry.example.com/agents/chat:1, as a client other than Terraform.
func (p *Plane) Deploy(name string, secrets ...api.Secret) api.Deployment {
	p.t.Helper()
	var made api.Deployment
	p.Call(http.MethodPost, "/v2/deployments", map[string]any{
		"name": name, "source": api.SourceExternalContainer, "secrets": append([]api.Secret{}, secrets...),
		"source_config": p.SourceConfig(api.SourceExternalContainer, map[string]any{
			"listener_id": p.ListenerID, "listener_config": map[string]any{"k8s_namespace": p.K8sNamespace},
		}),
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1"},
	}, &made)
	return made
}
