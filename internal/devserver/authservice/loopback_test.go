package authservice_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLoopbackOfSharedServers checks that users of a server with keys can't use it to find what listens on its machine: an open port is
// never connected to, and refused in the same words as a closed one.
func TestLoopbackOfSharedServers(t *testing.T) {
	t.Parallel()
	ann := devservertest.New(t, devserver.Config{Keys: keys}).As("X-Api-Key", "key-of-ann")
	var connections atomic.Int64
	listening := httptest.NewUnstartedServer(http.NotFoundHandler())
	listening.Config.ConnState = func(net.Conn, http.ConnState) { connections.Add(1) }
	listening.Start()
	t.Cleanup(listening.Close)
	_, open, err := net.SplitHostPort(listening.Listener.Addr().String())
	devservertest.Must(t, err)
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	devservertest.Must(t, err)
	_, closed, err := net.SplitHostPort(unused.Addr().String())
	devservertest.Must(t, err)
	_ = unused.Close()
	for i, base := range []string{"http://127.0.0.1:", "https://127.0.0.1:", "http://localhost:", "http://[::1]:", "http://127.1.2.3:", "http://[::ffff:127.0.0.1]:", "https://0.0.0.0:"} {
		slug := string(rune('a' + i))
		provide(ann, providerBody(slug))
		said := map[string]string{}
		for _, port := range []string{open, closed} {
			discovered := discover(ann, base+port+"/mcp")
			ann.Do(http.MethodPatch, "/v2/auth/providers/"+slug, object{"token_url": base + port + "/toy-login/token"}).Want(http.StatusOK)
			flow := begin(ann, object{"provider": slug, "force_new": true})
			ended := back(ann, slug, url.Values{"state": flow.query["state"], "code": {"c"}}).Want(http.StatusBadRequest)
			if discovered.Status != http.StatusBadRequest && discovered.Status != http.StatusUnprocessableEntity {
				t.Errorf("%s: status %d, want that it is refused: %s", base+port, discovered.Status, discovered.Body)
			}
			said[port] = strings.ReplaceAll(string(discovered.Body)+string(ended.Body), port, "PORT")
		}
		if said[open] != said[closed] {
			t.Errorf("%s: an open port is refused with\n%s\na closed one with\n%s", base, said[open], said[closed])
		}
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("the open port got %d connections, want none", n)
	}
}

// TestOwnToyLoginOfSharedServers checks that a server with keys requests its own toy login.
func TestOwnToyLoginOfSharedServers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: keys, Address: devservertest.OwnAddress}).WithSeed(devservertest.WorkspaceA).As("X-Api-Key", "key-of-ann")
	flow := begin(p, object{"provider": "toy-login"})
	answer, err := p.Web.Client().PostForm(flow.url.String(), url.Values{"user": {"alice"}, "decision": {"allow"}}) //nolint:noctx // As a browser does.
	devservertest.Must(t, err)
	_ = answer.Body.Close()
	if got := waitFor(p, flow.authID); answer.StatusCode != http.StatusOK || got.Status != api.AuthWaitCompleted {
		t.Errorf("status %d, login %+v; want 200 and completed", answer.StatusCode, got)
	}
}
