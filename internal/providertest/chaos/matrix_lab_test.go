package chaos

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// labRollout is how long a revision takes in a lab: some polls. Most lasting faults are longer.
const labRollout = 3 * time.Second

// labClock takes most of the jitter out of waits, so that an operation sends as many requests in every run.
type labClock struct {
	providertest.SteppedClock
	stops atomic.Int64 // For how long the process is stopped during the next wait.
}

// Sleep implements the provider's clock.
func (c *labClock) Sleep(ctx context.Context, d time.Duration) error {
	const step = 250 * time.Millisecond
	return c.SteppedClock.Sleep(ctx, max(step, d.Round(step))+time.Duration(c.stops.Swap(0)))
}

// lab is a control plane behind a proxy for one cell after another, each with an object of its own.
type lab struct {
	t       *testing.T
	subject subject
	at      site
	masked  bool
	clock   *labClock
	server  *devservertest.Servers
	proxy   *faulty
	driver  *core.Driver
	provide func() tfprotov6.ProviderServer
	url     string
	network *http.Server
	pipes   *pipes
	// cells counts the objects made; every cell has a new name.
	cells int
	// bystander is another object of the kind, for answers with another object. The objects of cells are copies of it.
	bystander *cell
	// template is the request that has created it, and proved is set once a copy has had an empty plan.
	template []byte
	proved   bool
	// looked is what the service had at lookedAt.
	looked   []truth
	lookedAt moment
	close    func()
}

func newLab(t *testing.T, s subject, dialect *api.Dialect, masked bool, configure ...func(*devserver.Config)) *lab {
	t.Helper()
	l := &lab{t: t, subject: s, masked: masked, clock: &labClock{SteppedClock: providertest.SteppedClock{
		ManualClock: devserver.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}}}
	config := devserver.Config{
		Clock: l.clock, Dialect: dialect, Rollout: labRollout, DevAPI: true, NoDefaultPrices: true,
		Keys: []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID}}},
	}
	for _, change := range configure {
		change(&config)
	}
	server, err := devservertest.NewServers(t, devservertest.Stored(t, config))
	if err != nil {
		t.Fatal(err)
	}
	seeded, err := server.Seed(t.Context(), providertest.WorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	l.server = server
	l.at = site{
		listenerID: seeded.ListenerID, namespace: seeded.K8sNamespaces[0], otherNamespace: seeded.K8sNamespaces[1], integrationID: seeded.IntegrationID, dialect: dialect,
	}
	hides := showsValues
	if masked {
		hides = masksValues
	}
	recording := &recording{service: server, secrets: map[string]map[string]any{}}
	l.proxy = &faulty{clock: l.clock, hides: hides, recording: recording}
	l.url, l.network, l.pipes = listenInProcess(l.proxy)
	environment := map[string]string{
		"AGENTPLANE_BASE_URL": l.url, "AGENTPLANE_API_KEY": providertest.APIKey, "AGENTPLANE_DIALECT": dialect.Name,
		"AGENTPLANE_WORKSPACE_ID": providertest.WorkspaceID,
	}
	l.provide = provider.NewServer("test", provider.WithClock(l.clock), provider.WithEnvironment(func(name string) string { return environment[name] }))
	l.driver = core.NewDriver(s.typeName, func() (tfprotov6.ProviderServer, error) { return l.provide(), nil })
	l.close = func() {
		_ = l.network.Close()
		_ = l.pipes.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	for collection, all := range s.needs {
		for _, body := range all {
			done := httptest.NewRecorder()
			if server.ServeHTTP(done, l.request(http.MethodPost, collection, []byte(encoded(body)))); done.Code >= http.StatusMultipleChoices {
				t.Fatalf("POST %s: %d %s", collection, done.Code, done.Body)
			}
		}
	}
	if s.seed != nil {
		s.seed(l)
	}
	l.bystander = l.newCell()
	l.bystander.make()
	l.template = bytes.Clone(recording.created)
	return l
}

// call sends a request of the test itself, past the proxy, and returns the status.
func (l *lab) call(method, path string, out any) int {
	l.t.Helper()
	done := httptest.NewRecorder()
	l.proxy.recording.ServeHTTP(done, l.request(method, path, nil))
	if out != nil && done.Code < http.StatusMultipleChoices {
		if err := json.Unmarshal(l.at.dialect.Body(done.Body.Bytes()), out); err != nil {
			l.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return done.Code
}

// post sends a request of the test itself with a body, and returns the answer.
func (l *lab) post(path string, body map[string]any) (answer map[string]any) {
	l.t.Helper()
	done := httptest.NewRecorder()
	l.proxy.recording.ServeHTTP(done, l.request(http.MethodPost, path, []byte(encoded(body))))
	if err := json.Unmarshal(done.Body.Bytes(), &answer); err != nil || done.Code >= http.StatusMultipleChoices {
		l.t.Fatalf("POST %s: %d %v", path, done.Code, err)
	}
	return answer
}

func (l *lab) request(method, path string, body []byte) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://localhost"+l.at.dialect.Path(path), bytes.NewReader(body))
	r.Header.Set("X-Api-Key", providertest.APIKey)
	r.Header.Set("X-Tenant-Id", providertest.WorkspaceID)
	r.Header.Set(devserver.LagHeader, devserver.LagNone)
	return r
}

// truth is what the service has under a name.
type truth struct {
	id, addressed string
	body          map[string]any
	// newest is the newest revision, status its status, and revisions how many there are.
	newest, status string
	revisions      int
	statuses       map[string]string // Of revisions, by ID.
}

// look returns the objects of a name that aren't being deleted. The service is asked only if it may have changed since.
func (l *lab) look(name string) []truth {
	l.t.Helper()
	now := moment{name, l.clock.Now(), l.proxy.recording.changes.Load()}
	if now != l.lookedAt {
		l.looked, l.lookedAt = l.lookAgain(name), now
	}
	return l.looked
}

// moment is when the service was looked at, and how many requests had changed it by then.
type moment struct {
	name    string
	at      time.Time
	changes int64
}

func (l *lab) lookAgain(name string) []truth {
	l.t.Helper()
	var found []truth
	for _, body := range l.bodies(name) {
		if text(body, l.subject.keyed) != name || api.DeploymentStatus(text(body, "status")).BeingDeleted() {
			continue
		}
		is := truth{id: text(body, "id"), addressed: text(body, l.subject.addressed), body: body, newest: text(body, "latest_revision_id")}
		for _, field := range l.subject.unseen {
			if body[field] = l.proxy.recording.sent(is.addressed, field); body[field] == nil {
				body[field] = l.proxy.recording.sent(name, field)
			}
		}
		if l.subject.revisions {
			var revisions api.List[api.Revision]
			l.call(http.MethodGet, l.subject.listOf(name)+"/"+is.id+"/revisions?limit=100", &revisions)
			is.revisions, is.statuses = len(revisions.Resources), map[string]string{}
			for _, r := range revisions.Resources {
				is.statuses[r.ID] = string(r.Status)
			}
			is.status = is.statuses[is.newest]
		}
		found = append(found, is)
	}
	return found
}

// bodies are what the service returns of the objects of a name, and perhaps of others.
func (l *lab) bodies(name string) (all []map[string]any) {
	l.t.Helper()
	if l.subject.listed != nil {
		return l.subject.listed(l, name)
	}
	var list json.RawMessage
	l.call(http.MethodGet, l.subject.listOf(name)+"?limit=100", &list)
	var envelope struct{ Resources, Data []json.RawMessage }
	if err := json.Unmarshal(list, &envelope); err == nil {
		list, _ = json.Marshal(append(envelope.Resources, envelope.Data...)) // It was JSON.
	}
	if err := json.Unmarshal(list, &all); err != nil {
		l.t.Fatal(err)
	}
	return all
}

// remember records what requests about an object are answered now, and what those about the bystander are.
func (l *lab) remember(name string, was *truth) {
	l.proxy.old, l.proxy.another = map[string][]byte{}, map[string][]byte{}
	record := func(into map[string][]byte, name string, is *truth) {
		get := func(path string) []byte {
			r := l.request(http.MethodGet, path, nil)
			done := l.proxy.process(r)
			if done.Code >= http.StatusMultipleChoices {
				return nil
			}
			into[kindOf(r)] = done.Body.Bytes()
			return done.Body.Bytes()
		}
		if l.subject.byKey() { // It isn't asked by name.
			get(l.subject.listOf(name))
		} else {
			get(l.subject.collection + "?limit=100&name=" + name)
		}
		if is == nil {
			return
		}
		one := l.subject.listOf(name) + "/" + is.addressed
		body := get(one)
		if body == nil {
			body = encodedWithout(is.body, l.subject.unseen)
		}
		kind := patternOf(l.at.dialect.Path(l.subject.createAt(name)))
		for _, write := range []string{"PATCH ", "PUT ", "DELETE "} {
			into[write+patternOf(l.at.dialect.Path(one))] = body
		}
		into["POST "+kind] = body
		var decoded map[string]any
		if json.Unmarshal(body, &decoded) == nil && l.subject.revisions {
			get(one + "/revisions?limit=100")
			get(one + "/revisions/" + text(decoded, "latest_revision_id"))
		}
	}
	record(l.proxy.old, name, was)
	record(l.proxy.another, l.bystander.name, l.bystander.before)
}

// encodedWithout is a body as a response has it.
func encodedWithout(body map[string]any, unseen []string) []byte {
	body = maps.Clone(body)
	for _, field := range unseen {
		delete(body, field)
	}
	return []byte(encoded(body))
}

// discard deletes what a cell has left.
func (l *lab) discard(name string) {
	if l.subject.record {
		return
	}
	for _, each := range l.look(name) {
		path := l.deletion(each)
		if status := l.call(http.MethodDelete, path, nil); status >= http.StatusMultipleChoices {
			l.t.Fatalf("DELETE %s: %d", path, status)
		}
	}
	l.clock.Advance(labRollout)
}

// keyOf is the member of a body that identifies an object; the first one present counts.
func keyOf(body map[string]any) string {
	for _, name := range []string{"provider_id", "compute_id", "name"} {
		if key := text(body, name); key != "" {
			return key
		}
	}
	return ""
}

// recording remembers members of requests that no response contains.
type recording struct {
	service http.Handler
	secrets map[string]map[string]any
	// created is the body of the last creation.
	created []byte
	// changes counts the requests that may have changed something.
	changes atomic.Int64
}

func (r *recording) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var sent map[string]any
	if q.Method != http.MethodGet {
		defer r.changes.Add(1)
	}
	if q.Method != http.MethodGet && q.Body != nil {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		if json.Unmarshal(body, &sent) == nil && q.Method == http.MethodPost { // A DELETE has no body.
			r.created = body
		}
	}
	done := httptest.NewRecorder()
	r.service.ServeHTTP(done, q)
	if done.Code < http.StatusMultipleChoices && sent != nil {
		key := cmp.Or(keyOf(sent), keysOfCells.FindString(q.URL.Path))
		if q.Method != http.MethodPost {
			key = q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]
		}
		if r.secrets[key] == nil || q.Method == http.MethodPost {
			r.secrets[key] = map[string]any{}
		}
		for name, value := range sent {
			if value != nil {
				r.secrets[key][name] = value
			}
		}
	}
	pass(w, done)
}

func (r *recording) sent(key, field string) any { return r.secrets[key][field] }
