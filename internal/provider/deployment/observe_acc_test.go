package deployment_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// spy is a proxy between the provider and the dev server that records whole requests: the dev server's own record omits
// the values of secrets.
type spy struct {
	mu   sync.Mutex
	seen []spied
}

type spied struct{ method, path, body string }

// spyOn must be called before the provider is configured. answer, unless nil, changes responses.
func spyOn(t *testing.T, plane *providertest.Plane, answer func(*http.Response) error) *spy {
	t.Helper()
	target, err := url.Parse(plane.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := &spy{}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: answer,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.seen = append(s.seen, spied{
			method: r.Method, path: plane.Dialect().Path(r.URL.String()), body: string(plane.Dialect().Body(body)),
		})
		s.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	plane.Setenv("AGENTPLANE_BASE_URL", server.URL)
	return s
}

// sent returns the requests with the method, in order.
func (s *spy) sent(method string) []spied {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sent []spied
	for _, r := range s.seen {
		if r.method == method {
			sent = append(sent, r)
		}
	}
	return sent
}

// forget removes all recorded requests.
func (s *spy) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = nil
}

// carrying returns the requests whose URL or body contains the text.
func (s *spy) carrying(text string) []spied {
	s.mu.Lock()
	defer s.mu.Unlock()
	var carrying []spied
	for _, r := range s.seen {
		if strings.Contains(r.path+"\n"+r.body, text) {
			carrying = append(carrying, r)
		}
	}
	return carrying
}

// expectWrites checks the number of the provider's writes: the dev server's record also contains the test's.
func (s *spy) expectWrites(posts, patches int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := len(s.sent(http.MethodPost)); got != posts {
			return fmt.Errorf("%d POSTs were sent, want %d", got, posts)
		}
		if got := len(s.sent(http.MethodPatch)); got != patches {
			return fmt.Errorf("%d PATCHes were sent, want %d", got, patches)
		}
		return nil
	}
}

// expectSecrets checks the environment in the last request with the method, including values.
func (s *spy) expectSecrets(method string, wanted map[string]string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		sent := s.sent(method)
		if len(sent) == 0 {
			return fmt.Errorf("%s wasn't sent", method)
		}
		var body struct {
			Secrets []api.Secret `json:"secrets"`
		}
		if err := json.Unmarshal([]byte(sent[len(sent)-1].body), &body); err != nil {
			return err
		}
		got := map[string]string{}
		for _, secret := range body.Secrets {
			got[secret.Name] = secret.Value
		}
		if len(got) != len(body.Secrets) {
			return fmt.Errorf("a name was sent twice: %s", sent[len(sent)-1].body)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			return fmt.Errorf("environment in the last %s (-want +got):\n%s", method, diff)
		}
		return nil
	}
}

// expectBody compares the body of the provider's last request with the method with JSON.
func expectBody(plane *providertest.Plane, method, wanted string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		path := "/v2/deployments"
		if method != http.MethodPost {
			path += "/*"
		}
		sent := plane.Requests(method, path)
		if len(sent) == 0 {
			return fmt.Errorf("%s wasn't sent", method)
		}
		return sameJSON(wanted, string(sent[len(sent)-1].Body))
	}
}

func sameJSON(wanted, got string) error {
	var trees [2]any
	for i, text := range []string{wanted, got} {
		if err := json.Unmarshal([]byte(text), &trees[i]); err != nil {
			return fmt.Errorf("%w in %q", err, text)
		}
	}
	if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
		return fmt.Errorf("body (-want +got):\n%s", diff)
	}
	return nil
}

// all runs every check.
func all(checks ...resource.TestCheckFunc) resource.TestCheckFunc {
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

// expectRevisions checks the number of revisions of the only deployment.
func expectRevisions(plane *providertest.Plane, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var revisions api.List[api.Revision]
		plane.Call(http.MethodGet, "/v2/deployments/"+only(plane).ID+"/revisions", nil, &revisions)
		if got := len(revisions.Resources); got != want {
			return fmt.Errorf("the deployment has %d revisions, want %d", got, want)
		}
		return nil
	}
}

// only returns the service's only deployment.
func only(plane *providertest.Plane) api.Deployment {
	var current api.List[api.Deployment]
	plane.Call(http.MethodGet, "/v2/deployments", nil, &current)
	if len(current.Resources) != 1 {
		panic(fmt.Sprintf("the service has %d deployments, want 1", len(current.Resources)))
	}
	return current.Resources[0]
}

// patchedByOther changes the deployment as another user would, and finishes the rollout.
func patchedByOther(plane *providertest.Plane, body any) func() {
	return func() {
		plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID, body, nil)
		plane.Clock.Advance(providertest.Rollout)
	}
}

// makeDeployment creates a deployment without Terraform, waits for it and returns its ID. config is added to the
// required fields.
func makeDeployment(plane *providertest.Plane, name string, config map[string]any, secrets []map[string]string) string {
	sourceConfig := map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
	}
	maps.Copy(sourceConfig, config)
	var created api.Deployment
	plane.Call(http.MethodPost, "/v2/deployments", map[string]any{
		"name": name, "source": "external_container", "source_config": plane.SourceConfig(api.SourceExternalContainer, sourceConfig),
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
		"secrets":                append([]map[string]string{}, secrets...),
	}, &created)
	plane.Clock.Advance(providertest.Rollout)
	return created.ID
}

// updates expects an update in place, with or without a new revision.
func updates(revision bool) []plancheck.PlanCheck {
	return append(revisionPredicted(revision), plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
}

// Installations that mask the values of variables, or don't return the list at all.
// unlagged is for tests that count requests or time, or that look once: reads don't lag.
func unlagged(cfg *devserver.Config) { cfg.Lag, cfg.Rollout = 0, providertest.Rollout }

func masked(cfg *devserver.Config)  { cfg.MaskSecrets = true }
func omitted(cfg *devserver.Config) { cfg.OmitSecrets = true }

// faultEchoing refuses a change as services do that echo their input, here in every encoding.
func faultEchoing(value string) devserver.Fault {
	return devserver.Fault{
		Match: "PATCH /v2/deployments/{deployment_id}", Status: http.StatusBadRequest,
		Detail: fmt.Sprintf("secrets: value %q is not acceptable; %s", value, providertest.EchoOf(value)),
	}
}
