package devservertest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// Workspaces of tests.
const (
	WorkspaceA = "aaaaaaaa-0000-4000-8000-000000000000"
	WorkspaceB = "bbbbbbbb-0000-4000-8000-000000000000"
)

// OwnAddress is replaced by the server's address, so that a seed registers URLs of the server.
const OwnAddress = "own"

// Start is the time of a Plane's clock.
var Start = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

// Object is a JSON object in a test.
type Object = map[string]any

// Plane is a server under test and a client of it.
type Plane struct {
	*Servers
	T      *testing.T
	Clock  *devserver.ManualClock
	Web    *httptest.Server
	Header http.Header
	Seeded devserver.Seeded
	config devserver.Config
}

// New starts a server whose clock stands still. Workspace A has an integration and no listener.
func New(t *testing.T, cfg devserver.Config) *Plane {
	t.Helper()
	clock := devserver.NewManualClock(Start)
	if cfg.Clock == nil {
		cfg.Clock = clock
	}
	cfg.DevAPI = true
	own := cfg
	web := httptest.NewUnstartedServer(nil)
	if cfg.Address == OwnAddress {
		cfg.Address = "http://" + web.Listener.Addr().String()
	}
	if cfg.Data == "" {
		cfg = Stored(t, cfg)
	}
	servers, err := NewServers(t, cfg)
	if err != nil {
		web.Close()
		t.Fatal(err)
	}
	web.Config.Handler = servers
	web.Start()
	if os.Getenv(proxyVariable) != "" {
		web.URL = Proxy(t, web.Listener.Addr().String())
	}
	own.Data, own.SealKey = cfg.Data, cfg.SealKey
	p := &Plane{Servers: servers, T: t, Clock: clock, Web: web, Header: http.Header{"X-Tenant-Id": {WorkspaceA}}, config: own}
	t.Cleanup(p.Stop)
	return p
}

// Peer starts another server that shares the data and the clock of this one, with the same configuration.
func (p *Plane) Peer() *Plane {
	p.T.Helper()
	other := New(p.T, p.config)
	other.Clock, other.Header, other.Seeded = p.Clock, p.Header, p.Seeded
	return other
}

// Stop ends the server; it may be called more than once.
func (p *Plane) Stop() {
	p.Web.Close()
	if err := p.Close(); err != nil {
		p.T.Error(err)
	}
}

// WithSeed gives the workspace a listener and an integration.
func (p *Plane) WithSeed(workspace string) *Plane {
	p.T.Helper()
	seeded, err := p.Seed(p.T.Context(), workspace)
	if err != nil {
		p.T.Fatal(err)
	}
	p.Seeded = seeded
	return p
}

// As returns the same server for a client with another header.
func (p *Plane) As(pairs ...string) *Plane {
	other := *p
	other.Header = http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		other.Header.Set(pairs[i], pairs[i+1])
	}
	return &other
}

// Reply is a response; err is set if there was none.
type Reply struct {
	T      *testing.T
	Err    error
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request. A string body is sent unchanged, anything else as JSON.
func (p *Plane) Do(method, path string, body any) Reply {
	p.T.Helper()
	var content io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		content = bytes.NewBufferString(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			p.T.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(p.T.Context(), method, p.Web.URL+path, content)
	if err != nil {
		p.T.Fatal(err)
	}
	request.Header = p.Header.Clone()
	if body != nil && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return p.send(request)
}

func (p *Plane) send(request *http.Request) Reply {
	// Not with http.DefaultClient: any httptest.Server that a parallel test stops closes the connections of that.
	response, err := p.Web.Client().Do(request)
	if err != nil {
		return Reply{T: p.T, Err: err}
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	return Reply{T: p.T, Err: err, Status: response.StatusCode, Header: response.Header, Body: received}
}

// Want fails the test unless the reply has this status.
func (r Reply) Want(status int) Reply {
	r.T.Helper()
	if r.Err != nil {
		r.T.Fatal(r.Err)
	}
	if r.Status != status {
		r.T.Fatalf("status %d, want %d: %s", r.Status, status, r.Body)
	}
	return r
}

// Into decodes the body strictly.
func Into[T any](r Reply) T {
	r.T.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(r.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		r.T.Fatalf("decode %s: %v", r.Body, err)
	}
	return v
}

// WantDetail fails the test unless the reply has this detail.
func (r Reply) WantDetail(detail string) {
	r.T.Helper()
	Same(r.T, "detail", api.ErrorDetail{Detail: detail}, Into[api.ErrorDetail](r))
}

// Problems returns the entries of a 422, each as its location and its type.
func Problems(r Reply) []string {
	r.T.Helper()
	list := []string{}
	for _, e := range Into[api.HTTPValidationError](r).Detail {
		path := make([]string, 0, len(e.Loc))
		for _, step := range e.Loc[1:] {
			text, err := json.Marshal(step)
			if err != nil {
				r.T.Fatal(err)
			}
			path = append(path, strings.Trim(string(text), `"`))
		}
		list = append(list, strings.Join(path, ".")+" "+e.Type)
	}
	return list
}

// Get reads a resource.
func Get[T any](p *Plane, path string) T {
	p.T.Helper()
	return Into[T](p.Do(http.MethodGet, path, nil).Want(http.StatusOK))
}

// Recorded is the request log of a workspace. Without is the number of requests that belong to no workspace.
type Recorded struct {
	Requests []devserver.Request `json:"requests"`
	Without  int                 `json:"requests_without_workspace"`
	Next     *int                `json:"next_offset"`
}

// Recorded reads the first page of the log of the client's workspace.
func (p *Plane) Recorded() Recorded {
	p.T.Helper()
	return Get[Recorded](p, "/dev/requests")
}

// ImageRequest is a minimal external_container deployment; changes are merged into it.
func ImageRequest(name string, changes ...Object) Object {
	return With(Object{
		"name": name, "source": "external_container",
		"source_config":          Object{},
		"source_revision_config": Object{"image_uri": "registry.example:5000/team/agent:1.0"},
		"secrets":                []any{},
	}, changes...)
}

// RepoRequest is a minimal git_host deployment.
func (p *Plane) RepoRequest(name string, changes ...Object) Object {
	return With(Object{
		"name": name, "source": "git_host",
		"source_config": Object{
			"integration_id": p.Seeded.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "deployment_type": "dev",
		},
		"source_revision_config": Object{"repo_ref": "main", "graph_config_path": "graph.json"},
		"secrets":                []any{},
	}, changes...)
}

// With merges objects deeply. A nil value deletes the key.
func With(base Object, changes ...Object) Object {
	merged := maps.Clone(base)
	for _, change := range changes {
		for key, value := range change {
			inner, isObject := value.(Object)
			under, wasObject := merged[key].(Object)
			switch {
			case value == nil:
				delete(merged, key)
			case isObject && wasObject:
				merged[key] = With(under, inner)
			default:
				merged[key] = value
			}
		}
	}
	return merged
}

// Create creates a deployment.
func (p *Plane) Create(request Object) api.Deployment {
	p.T.Helper()
	return Into[api.Deployment](p.Do(http.MethodPost, "/v2/deployments", request).Want(http.StatusCreated))
}

// Patch changes a deployment.
func (p *Plane) Patch(id string, request Object) api.Deployment {
	p.T.Helper()
	return Into[api.Deployment](p.Do(http.MethodPatch, "/v2/deployments/"+id, request).Want(http.StatusOK))
}

// Deployment reads a deployment.
func (p *Plane) Deployment(id string) api.Deployment {
	p.T.Helper()
	return Get[api.Deployment](p, "/v2/deployments/"+id)
}

// Revisions returns the statuses of a deployment's revisions, newest first.
func (p *Plane) Revisions(id string) []api.RevisionStatus {
	p.T.Helper()
	statuses := []api.RevisionStatus{}
	for _, r := range Get[api.List[api.Revision]](p, "/v2/deployments/"+id+"/revisions").Resources {
		statuses = append(statuses, r.Status)
	}
	return statuses
}

// Rate gives feedback.
func (p *Plane) Rate(feedback Object) Object {
	p.T.Helper()
	return Into[Object](p.Do(http.MethodPost, "/api/v1/feedback", feedback).Want(http.StatusOK))
}
