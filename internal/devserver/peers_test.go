package devserver_test

import (
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

// pair starts two servers on one database. Where it doesn't matter which of them answers, other tests run with two servers that answer in turn:
// see make test ONLY=peers.
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

// TestPeersLive follows pages of one server while clients write to the other one.
func TestPeersLive(t *testing.T) {
	t.Parallel()
	a, b := pair(t, devserver.Config{})
	follow(t, a, b)
}

// follow asks for pages as open ones do that keep themselves up to date: what the other server has stored is not "not modified".
func follow(t *testing.T, a, b *plane) {
	t.Helper()
	log := func(name string) {
		a.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": name})).Want(http.StatusAccepted)
	}
	log("first-run")
	project, _ := devservertest.Get[[]object](a, "/sessions?name=agents")[0]["id"].(string)
	const base = "/ui/workspaces/" + devservertest.WorkspaceA
	for path, write := range map[string]func(name string){
		base + "/deployments":                      func(name string) { a.Create(devservertest.ImageRequest(name)) },
		base + "/projects/" + project + "?live=on": log,
	} {
		page := b.Do(http.MethodGet, path, nil).Want(http.StatusOK)
		for _, name := range []string{"first-by-a", "second-by-a"} {
			write(name)
			page = b.As("X-Follow", "follow", "If-None-Match", page.Header.Get("ETag")).Do(http.MethodGet, path, nil).Want(http.StatusOK)
			if !strings.Contains(string(page.Body), name) || page.Header.Get("ETag") == "" {
				t.Errorf("%s with the tag %q lacks %s", path, page.Header.Get("ETag"), name)
			}
		}
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
