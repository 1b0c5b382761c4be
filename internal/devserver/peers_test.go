package devserver_test

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// pair starts two servers on one database.
func pair(t *testing.T, cfg devserver.Config) (a, b *plane) {
	t.Helper()
	postgrestest.Required(t)
	cfg.AllowLoopback = true // Each uses the toy login of the other one, too.
	a = devservertest.New(t, cfg)
	b = a.Peer()
	return a, b
}

// both runs something several times at once, at each of two servers.
func both(a, b *plane, times int, do func(p *plane, i int)) {
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { do([]*plane{a, b}[i%2], i) })
	}
	all.Wait()
}

// TestPeersMerge lets clients of two servers change one run at the same time. All changes must be kept.
func TestPeersMerge(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	merge(t, a, b)
}

func merge(t *testing.T, a, b *plane) {
	t.Helper()
	run := devservertest.RootRun()
	a.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	const changes = 400
	both(a, b, changes, func(p *plane, i int) {
		p.Do(http.MethodPatch, "/runs/"+run["id"].(string), object{
			"trace_id": run["trace_id"], "dotted_order": run["dotted_order"], "extra": object{"metadata": object{fmt.Sprintf("change %d", i): i}},
		}).Want(http.StatusAccepted)
	})
	for _, p := range []*plane{a, b} {
		extra, _ := devservertest.Get[object](p, "/runs/"+run["id"].(string))["extra"].(object)
		if kept, _ := extra["metadata"].(object); len(kept) != changes {
			t.Errorf("%d of %d changes are kept", len(kept), changes)
		}
	}
}

// TestPeersNames creates deployments with one name through both servers: one request succeeds, and the others get the service's conflict.
func TestPeersNames(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	for round := range 5 {
		var created, refused atomic.Int64
		both(a, b, 8, func(p *plane, _ int) {
			switch reply := p.Do(http.MethodPost, "/v2/deployments", devservertest.ImageRequest(fmt.Sprintf("chat-%d", round))); reply.Status {
			case http.StatusCreated:
				created.Add(1)
			case http.StatusConflict:
				refused.Add(1)
			default:
				t.Errorf("status %d: %s", reply.Status, reply.Body)
			}
		})
		if created.Load() != 1 || refused.Load() != 7 {
			t.Errorf("%d deployments were created and %d refused, want 1 and 7", created.Load(), refused.Load())
		}
	}
}

// TestPeersRollOut checks that a deployment that one server has created rolls out once, whoever looks at it.
func TestPeersRollOut(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{Rollout: time.Minute})
	created := a.Create(devservertest.ImageRequest("chat"))
	if got := b.Deployment(created.ID); got.Name != "chat" || got.LatestRevisionID == nil {
		t.Fatalf("the other server has %+v, want a deployment with a revision", got)
	}
	a.Clock.Advance(time.Hour)
	both(a, b, 16, func(p *plane, _ int) { p.Deployment(created.ID) })
	var states []api.Revision
	for _, p := range []*plane{a, b} {
		states = append(states, devservertest.Get[api.Revision](p, "/v2/deployments/"+created.ID+"/revisions/"+*created.LatestRevisionID))
	}
	if states[0].Status != api.RevisionDeployed || states[0].UpdatedAt != states[1].UpdatedAt || states[1].Status != api.RevisionDeployed {
		t.Errorf("revisions = %+v, want both DEPLOYED at the same time", states)
	}
}

// TestPeersLive follows pages of one server while clients write to the other one.
func TestPeersLive(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	follow(t, a, b)
}

func follow(t *testing.T, a, b *plane) {
	t.Helper()
	a.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": "first-run"})).Want(http.StatusAccepted)
	project, _ := devservertest.Get[[]object](a, "/sessions?name=agents")[0]["id"].(string)
	base := "/ui/workspaces/" + devservertest.WorkspaceA
	query := url.Values{"part": {base + "/deployments", base + "/projects/" + project}}
	response, err := b.Web.Client().Get(b.Web.URL + base + "/events?" + query.Encode()) //nolint:noctx // It ends with the server.
	devservertest.Must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, want 200", response.StatusCode)
	}
	lines := bufio.NewReader(response.Body)
	until := func(text string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended before %q: %v", text, err)
			}
			if strings.Contains(line, text) {
				return
			}
		}
	}
	until("first-run")
	a.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": "second-run"})).Want(http.StatusAccepted)
	until("second-run")
	a.Create(devservertest.ImageRequest("chat-by-a"))
	until("chat-by-a")
}

// TestPeersPrices changes a price at one server while the other one has it in memory.
func TestPeersPrices(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{NoDefaultPrices: true})
	cost := func(p *plane) any {
		t.Helper()
		run := devservertest.RootRun(object{"run_type": "llm", "outputs": object{"usage_metadata": object{
			"input_tokens": 1_000_000, "output_tokens": 0, "total_tokens": 1_000_000,
		}}, "extra": object{"metadata": object{"ls_model_name": "example-large"}}})
		p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
		return devservertest.Get[object](p, "/runs/"+run["id"].(string))["total_cost"]
	}
	if got := cost(b); got != nil {
		t.Errorf("cost without a price = %v", got)
	}
	entry := devservertest.Into[object](a.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"prompt_cost": 0.000002})).Want(http.StatusOK))
	for i, want := range []string{"2", "3", "4"} {
		if i > 0 {
			changed := devservertest.PriceEntry(object{"prompt_cost": "0.00000" + want})
			a.Do(http.MethodPut, fmt.Sprintf("/model-price-map/%s", entry["id"]), changed).Want(http.StatusOK)
		}
		for _, p := range []*plane{b, a} {
			if got := fmt.Sprint(cost(p)); strings.TrimRight(strings.TrimRight(got, "0"), ".") != want {
				t.Errorf("cost = %s, want %s", got, want)
			}
		}
	}
}

// randomText returns a text that can hardly be compressed.
func randomText(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(rand.Text())
	}
	return text.String()
}

// TestPeersQuota fills a workspace through both servers until each refuses more.
func TestPeersQuota(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{MaxBytes: 300 << 10})
	large := func(p *plane) int {
		return p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"inputs": object{"text": randomText(20 << 10)}})).Status
	}
	accepted := 0
	for accepted < 100 && large([]*plane{a, b}[accepted%2]) == http.StatusAccepted {
		accepted++
	}
	if accepted < 5 || accepted > 20 {
		t.Errorf("%d runs of 20 KiB fit into 300 KiB", accepted)
	}
	for name, p := range map[string]*plane{"a": a, "b": b} {
		if status := large(p); status != http.StatusForbidden {
			t.Errorf("server %s answers %d in a full workspace, want 403", name, status)
		}
	}
}

// TestPeersFaults arms faults at one server for requests to the other, and lists the requests of both.
func TestPeersFaults(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	a.Do(http.MethodPost, "/dev/faults", object{"match": "GET /v2/deployments", "status": 502, "times": 2, "skip": 1}).Want(http.StatusNoContent)
	a.Do(http.MethodPost, "/dev/faults", object{"rollout": object{"state": "DEPLOYING", "message": "no luck"}}).Want(http.StatusNoContent)
	other := b.As("X-Tenant-Id", devservertest.WorkspaceB)
	other.Do(http.MethodGet, "/v2/deployments", nil).Want(http.StatusOK)
	for i, want := range []int{http.StatusOK, http.StatusBadGateway, http.StatusBadGateway, http.StatusOK} {
		[]*plane{b, a}[i/2].Do(http.MethodGet, "/v2/deployments", nil).Want(want)
	}
	d := b.Create(devservertest.ImageRequest("unlucky"))
	if got := a.Deployment(d.ID); got.LatestRevisionID == nil {
		t.Fatalf("deployment = %+v, want a revision", got)
	}
	revision := devservertest.Get[api.Revision](a, "/v2/deployments/"+d.ID+"/revisions/"+*d.LatestRevisionID)
	if revision.Status != "DEPLOY_FAILED" {
		t.Errorf("status = %s, want DEPLOY_FAILED", revision.Status)
	}
	for _, p := range []*plane{a, b} {
		if armed := devservertest.Get[object](p, "/dev/faults")["faults"]; fmt.Sprint(armed) != "[]" {
			t.Errorf("armed faults = %v, want none", armed)
		}
		var seen []string
		for _, r := range p.Recorded().Requests {
			seen = append(seen, fmt.Sprintf("%s %d %t", r.Method, r.Status, r.Fault))
		}
		want := "[GET 200 false GET 502 true GET 502 true GET 200 false POST 201 false GET 200 false GET 200 false]"
		if fmt.Sprint(seen) != want {
			t.Errorf("requests = %v, want %s", seen, want)
		}
	}
	a.Do(http.MethodPost, "/dev/faults", object{"status": 500}).Want(http.StatusNoContent)
	b.Do(http.MethodDelete, "/dev/faults", nil).Want(http.StatusNoContent)
	a.Do(http.MethodGet, "/v2/deployments", nil).Want(http.StatusOK)
}

// TestPeersLogin begins a login at one server, decides at the other one, and waits for its end at both. The token endpoint is that of the
// first.
func TestPeersLogin(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{Address: devservertest.OwnAddress})
	b.WithSeed(devservertest.WorkspaceA)
	a.WithSeed(devservertest.WorkspaceA)
	began := authenticate(a)
	answered := make(chan api.AuthWaitResponse, 2)
	for _, p := range []*plane{a, b} {
		go func() {
			answered <- devservertest.Get[api.AuthWaitResponse](p, "/v2/auth/wait/"+*began.AuthID+"?timeout=3600")
		}()
	}
	status, shown := decide(b, strings.Replace(*began.URL, a.Web.URL, b.Web.URL, 1), "allow")
	if status != http.StatusOK || !strings.Contains(shown, "is connected") {
		t.Fatalf("after allowing: status %d, want 200 and that it is connected: %s", status, shown)
	}
	for range 2 {
		if got := <-answered; got.Status != api.AuthWaitCompleted || got.Token == nil {
			t.Errorf("wait = %+v, want completed with a token", got)
		}
	}
	first := authenticate(b)
	if first.Status != api.AuthCompleted {
		t.Fatalf("authenticate at the other server = %+v, want completed", first)
	}
	a.Clock.Advance(59 * time.Minute)
	if again := authenticate(b); again.Status != api.AuthCompleted || *again.Token == *first.Token {
		t.Errorf("authenticate after the refresh = %+v, want completed with a new token", again)
	}
}

// TestPeersRefresh refreshes a token through both servers at once. The token endpoint accepts a refresh token only once.
func TestPeersRefresh(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	var asked atomic.Int64
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token": "access-%d", "refresh_token": "refresh-%d", "token_type": "Bearer", "expires_in": 3600}`, n, n)
	}))
	t.Cleanup(tokens.Close)
	a.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "toy-login", "name": "Mail", "client_id": "c", "client_secret": "s", "auth_url": "https://mail.example/authorize", "token_url": tokens.URL,
	}).Want(http.StatusOK)
	at, err := url.Parse(*authenticate(a).URL)
	devservertest.Must(t, err)
	b.Do(http.MethodGet, "/v2/auth/callback/toy-login?"+url.Values{"code": {"c"}, "state": {at.Query().Get("state")}}.Encode(), nil).Want(http.StatusOK)
	for round := range 3 {
		a.Clock.Advance(time.Hour)
		both(a, b, 8, func(p *plane, _ int) {
			want := fmt.Sprintf("access-%d", round+2)
			if got := authenticate(p); got.Token == nil || *got.Token != want {
				t.Errorf("authenticate = %s with %s, want %s", got.Status, api.OrEmpty(got.Token), want)
			}
		})
		if got := asked.Load(); got != int64(round+2) {
			t.Errorf("the token endpoint was asked %d times, want %d", got, round+2)
		}
	}
}

// TestPeersLag checks that what one server has changed is shown late by the other one, too, and at once to those who ask for that.
func TestPeersLag(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{Lag: 2 * time.Second})
	names := func(p *plane) string {
		t.Helper()
		var all strings.Builder
		for _, d := range devservertest.Get[object](p, "/v2/deployments")["resources"].([]any) {
			all.WriteString(d.(object)["name"].(string) + " ")
		}
		return all.String()
	}
	check := func(when, want string) {
		t.Helper()
		for name, p := range map[string]*plane{"a": a, "b": b} {
			if got := names(p); got != want {
				t.Errorf("%s, server %s shows %q, want %q", when, name, got, want)
			}
		}
	}
	first := a.Create(devservertest.ImageRequest("first", object{"secrets": []any{object{"name": "KEY", "value": "a\x00b"}}}))
	check("at once", "")
	a.Clock.Advance(time.Second)
	b.Create(devservertest.ImageRequest("second"))
	check("after one second", "")
	a.Clock.Advance(time.Second)
	check("after two seconds", "first ")
	a.Clock.Advance(time.Second)
	check("after three seconds", "second first ")
	late := a.Peer()
	if got := names(late); got != "second first " {
		t.Errorf("a server that starts now shows %q, want both", got)
	}
	b.Do(http.MethodDelete, "/v2/deployments/"+first.ID, nil).Want(http.StatusNoContent)
	a.Clock.Advance(time.Hour)
	check("after an hour", "second ")
	current := b.As("X-Tenant-Id", devservertest.WorkspaceA, "X-Dev-Lag", "none")
	current.Create(devservertest.ImageRequest("third"))
	if got := names(current); got != "third second " {
		t.Errorf("without the lag, server b shows %q", got)
	}
	check("without the lag", "third second ")
}

// TestPeersKey checks that servers that share data must have the same key for secrets, even before there are any.
func TestPeersKey(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	cfg := devservertest.Stored(t, devserver.Config{})
	devservertest.New(t, cfg)
	own := cfg.SealKey
	key, err := os.ReadFile(own)
	devservertest.Must(t, err)
	cfg.SealKey = filepath.Join(t.TempDir(), "other-key")
	_, missing := devserver.New(cfg)
	if err := os.WriteFile(cfg.SealKey, make([]byte, len(key)), 0o600); err != nil {
		t.Fatalf("after a refused start: %v", err)
	}
	_, other := devserver.New(cfg)
	for _, tc := range []struct {
		err  error
		want string
	}{{missing, "is missing"}, {other, "isn't the one that other servers have used"}} {
		if tc.err == nil || !strings.Contains(tc.err.Error(), cfg.SealKey+`" `+tc.want) || !strings.Contains(tc.err.Error(), "copy the file") {
			t.Errorf("error = %v, want one that names the key, %q and the remedy", tc.err, tc.want)
		}
	}
	devservertest.Must(t, os.WriteFile(cfg.SealKey, key, 0o600))
	devservertest.New(t, cfg)
}

// TestPeersSample starts servers with sample data at the same time: it is logged once.
func TestPeersSample(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	both(a, b, 2, func(p *plane, _ int) {
		if err := p.Sample(t.Context(), devservertest.WorkspaceA); err != nil {
			t.Error(err)
		}
	})
	alone := devservertest.New(t, devserver.Config{})
	devservertest.Must(t, alone.Sample(t.Context(), devservertest.WorkspaceA))
	runs := func(p *plane) any {
		t.Helper()
		return devservertest.Into[object](p.Do(http.MethodPost, "/runs/stats", object{}).Want(http.StatusOK))["run_count"]
	}
	if got, want := runs(b), runs(alone); got != want || want == nil {
		t.Errorf("%v runs, want %v", got, want)
	}
}

// TestPeersPooled lets two servers share a database that is behind a connection pooler.
func TestPeersPooled(t *testing.T) {
	t.Parallel()
	database := postgrestest.Own(t)
	address, err := database.Pool(t.Context(), "postgres")
	devservertest.Must(t, err)
	a := devservertest.New(t, devserver.Config{Data: address, SealKey: filepath.Join(t.TempDir(), "key")})
	b := a.Peer()
	merge(t, a, b)
	follow(t, a, b)
}
