package devserver_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// Workspaces and a start time for all tests.
const (
	workspaceA = "aaaaaaaa-0000-4000-8000-000000000000"
	workspaceB = "bbbbbbbb-0000-4000-8000-000000000000"
)

var start = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

// object is a JSON object in a test.
type object = map[string]any

// plane is a server under test and a client of it.
type plane struct {
	*devserver.Server
	t      *testing.T
	clock  *devserver.ManualClock
	web    *httptest.Server
	header http.Header
	seeded devserver.Seeded
}

// newPlane starts a server whose clock stands still. Workspace A has an integration and no listener.
func newPlane(t *testing.T, cfg devserver.Config) *plane {
	t.Helper()
	clock := devserver.NewManualClock(start)
	if cfg.Clock == nil {
		cfg.Clock = clock
	}
	cfg.DevAPI = true
	server, err := devserver.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	p := &plane{Server: server, t: t, clock: clock, web: web, header: http.Header{"X-Tenant-Id": {workspaceA}}}
	t.Cleanup(p.stop)
	return p
}

// stop ends the server and may be called more than once.
func (p *plane) stop() {
	p.web.Close()
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
}

// seed gives the workspace a listener and an integration.
func (p *plane) seed(workspace string) *plane {
	p.t.Helper()
	seeded, err := p.Seed(p.t.Context(), workspace)
	if err != nil {
		p.t.Fatal(err)
	}
	p.seeded = seeded
	return p
}

// as is the same server for a client with another header.
func (p *plane) as(pairs ...string) *plane {
	other := *p
	other.header = http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		other.header.Set(pairs[i], pairs[i+1])
	}
	return &other
}

// reply is what came back; err is set when nothing did.
type reply struct {
	t      *testing.T
	err    error
	status int
	header http.Header
	body   []byte
}

// do sends a request. A string body is sent as it is, anything else as JSON.
func (p *plane) do(method, path string, body any) reply {
	p.t.Helper()
	var content io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		content = bytes.NewBufferString(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			p.t.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.web.URL+path, content)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header = p.header.Clone()
	if body != nil && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{t: p.t, err: err}
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	return reply{t: p.t, err: err, status: response.StatusCode, header: response.Header, body: received}
}

// want fails the test unless the status is this one.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.err != nil {
		r.t.Fatal(r.err)
	}
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// into decodes the body strictly.
func into[T any](r reply) T {
	r.t.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		r.t.Fatalf("decode %s: %v", r.body, err)
	}
	return v
}

// wantDetail fails the test unless the detail is this text.
func (r reply) wantDetail(detail string) {
	r.t.Helper()
	if diff := cmp.Diff(api.ErrorDetail{Detail: detail}, into[api.ErrorDetail](r)); diff != "" {
		r.t.Errorf("detail (-want +got):\n%s", diff)
	}
}

// problems are the entries of a 422, each as its place and its type.
func problems(r reply) []string {
	r.t.Helper()
	list := []string{}
	for _, e := range into[api.HTTPValidationError](r).Detail {
		path := make([]string, 0, len(e.Loc))
		for _, step := range e.Loc[1:] {
			text, err := json.Marshal(step)
			if err != nil {
				r.t.Fatal(err)
			}
			path = append(path, strings.Trim(string(text), `"`))
		}
		list = append(list, strings.Join(path, ".")+" "+e.Type)
	}
	return list
}

// get reads a resource.
func get[T any](p *plane, path string) T {
	p.t.Helper()
	return into[T](p.do(http.MethodGet, path, nil).want(http.StatusOK))
}

// imageRequest is the least that an external_container deployment needs; changes are laid over it.
func imageRequest(name string, changes ...object) object {
	return with(object{
		"name": name, "source": "external_container",
		"source_config":          object{},
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:1.0"},
		"secrets":                []any{},
	}, changes...)
}

// repoRequest is the least that a git_host deployment needs.
func (p *plane) repoRequest(name string, changes ...object) object {
	return with(object{
		"name": name, "source": "git_host",
		"source_config": object{
			"integration_id": p.seeded.IntegrationID, "repo_url": "https://git.example/acme/agent", "deployment_type": "dev",
		},
		"source_revision_config": object{"repo_ref": "main", "graph_config_path": "graph.json"},
		"secrets":                []any{},
	}, changes...)
}

// with merges objects deeply. A nil value deletes the key.
func with(base object, changes ...object) object {
	merged := maps.Clone(base)
	for _, change := range changes {
		for key, value := range change {
			inner, isObject := value.(object)
			under, wasObject := merged[key].(object)
			switch {
			case value == nil:
				delete(merged, key)
			case isObject && wasObject:
				merged[key] = with(under, inner)
			default:
				merged[key] = value
			}
		}
	}
	return merged
}

func (p *plane) create(request object) api.Deployment {
	p.t.Helper()
	return into[api.Deployment](p.do(http.MethodPost, "/v2/deployments", request).want(http.StatusCreated))
}

func (p *plane) patch(id string, request object) api.Deployment {
	p.t.Helper()
	return into[api.Deployment](p.do(http.MethodPatch, "/v2/deployments/"+id, request).want(http.StatusOK))
}

func (p *plane) deployment(id string) api.Deployment {
	p.t.Helper()
	return get[api.Deployment](p, "/v2/deployments/"+id)
}

// revisions are the statuses of a deployment's revisions, newest first.
func (p *plane) revisions(id string) []api.RevisionStatus {
	p.t.Helper()
	statuses := []api.RevisionStatus{}
	for _, r := range get[api.List[api.Revision]](p, "/v2/deployments/"+id+"/revisions").Resources {
		statuses = append(statuses, r.Status)
	}
	return statuses
}
