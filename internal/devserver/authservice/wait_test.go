package authservice_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// waiting sends a request in the background.
func waiting(ctx context.Context, t *testing.T, p *plane, path string) (<-chan api.AuthWaitResponse, <-chan error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Web.URL+path, http.NoBody)
	devservertest.Must(t, err)
	request.Header = p.Header.Clone()
	answered, failed := make(chan api.AuthWaitResponse, 1), make(chan error, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			failed <- err
			return
		}
		defer response.Body.Close()
		var answer api.AuthWaitResponse
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			failed <- err
			return
		}
		answered <- answer
	}()
	return answered, failed
}

// TestWaitEndsWithLogin checks that waiting requests are answered at once, whatever their timeout: this test ends long before the hour.
func TestWaitEndsWithLogin(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	for name, end := range map[string]url.Values{"completed": {"code": {"c"}}, "denied": {"error": {"access_denied"}}} {
		flow := begin(p, object{"force_new": true})
		answers := make(chan api.AuthWaitResponse, 2)
		for range 2 {
			go func() {
				answers <- devservertest.Get[api.AuthWaitResponse](p, "/v2/auth/wait/"+flow.authID+"?timeout=3600")
			}()
		}
		end["state"] = flow.query["state"]
		back(p, "mail", end)
		want := map[string]api.AuthWaitStatus{"completed": api.AuthWaitCompleted, "denied": api.AuthWaitNotFound}[name]
		for range 2 {
			if got := <-answers; got.Status != want {
				t.Errorf("%s: wait = %+v, want %s", name, got, want)
			}
		}
	}
}

// TestWaitEndsWithServerAndClient checks that a waiting request ends when the server stops, and not when another client disconnects.
func TestWaitEndsWithServerAndClient(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	path := "/v2/auth/wait/" + begin(p).authID + "?timeout=3600"
	leaving, leave := context.WithCancel(t.Context())
	_, left := waiting(leaving, t, p, path)
	answered, failed := waiting(t.Context(), t, p, path)
	leave()
	if err := <-left; err == nil {
		t.Error("the cancelled request was answered, want an error")
	}
	p.EndStreams()
	select {
	case got := <-answered:
		if got.Status != api.AuthWaitTimeout {
			t.Errorf("wait = %+v, want timeout", got)
		}
	case err := <-failed:
		t.Error(err)
	case <-time.After(30 * time.Second):
		t.Fatal("the server still waits after 30 s")
	}
}

// TestWaitsShared checks that no workspace is refused to wait, however many requests of others do.
func TestWaitsShared(t *testing.T) {
	t.Parallel()
	a, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	b, c := a.As("X-Tenant-Id", devservertest.WorkspaceB), a.As("X-Tenant-Id", "cccccccc-0000-4000-8000-000000000000")
	wait := func(p *plane, requests int) (state string, replies chan devservertest.Reply) {
		provide(p, server.provider("mail"))
		flow := begin(p)
		replies = make(chan devservertest.Reply, requests)
		for range requests {
			go func() { replies <- p.Do(http.MethodGet, "/v2/auth/wait/"+flow.authID+"?timeout=3600", nil) }()
		}
		return flow.query["state"][0], replies
	}
	const places, more = 100, 5 // Of a workspace, as documented.
	want := func(replies chan devservertest.Reply, requests int, status api.AuthWaitStatus) {
		t.Helper()
		for range requests {
			if got := devservertest.Into[api.AuthWaitResponse]((<-replies).Want(http.StatusOK)); got.Status != status {
				t.Fatalf("wait = %+v, want %s", got, status)
			}
		}
	}
	state, first := wait(a, places+more)
	_, second := wait(b, places)
	_, third := wait(c, 1)
	back(a, "mail", url.Values{"state": {state}, "code": {"c"}}).Want(http.StatusOK)
	want(first, places+more, api.AuthWaitCompleted)
	a.EndStreams()
	want(second, places, api.AuthWaitTimeout)
	want(third, 1, api.AuthWaitTimeout)
}

func TestWaitAnswers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	flow := begin(p)
	devservertest.Same(t, "wait for an unknown flow", api.AuthWaitNotFound, waitFor(p, "none").Status)
	for _, timeout := range []string{"-1", "x"} {
		p.Do(http.MethodGet, "/v2/auth/wait/"+flow.authID+"?timeout="+timeout, nil).Want(http.StatusUnprocessableEntity)
	}
}
