package devserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"path/filepath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// TestConnectionsEnd checks that stalled connections are closed, in the header of a request and between two requests.
func TestConnectionsEnd(t *testing.T) {
	t.Parallel()
	const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
	for name, tc := range map[string]struct {
		sent    string
		answers int
		after   time.Duration
	}{
		"nothing":       {"", 0, limits.HeaderTime},
		"half a header": {request, 0, limits.HeaderTime},
		"idle":          {request + "\r\n", 1, limits.IdleTime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := devserver.New(devserver.Config{}) // Outside the bubble, because it initializes process-wide state.
			devservertest.Must(t, err)
			defer server.Close()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				listener, ended := make(devservertest.Pipes), make(chan error, 1)
				go func() { ended <- server.Serve(ctx, listener) }()
				client, served := net.Pipe()
				defer client.Close()
				listener <- served
				began := time.Now()
				if _, err := io.WriteString(client, tc.sent); err != nil {
					t.Fatal(err)
				}
				answers := bufio.NewReader(client)
				for range tc.answers {
					answer, err := http.ReadResponse(answers, nil)
					devservertest.Must(t, err)
					if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
						t.Errorf("status %d, want 200: %v", answer.StatusCode, err)
					}
					_ = answer.Body.Close()
				}
				_, err = answers.ReadByte()
				if took := time.Since(began); !errors.Is(err, io.EOF) || took != tc.after {
					t.Errorf("after %s: error = %v, want EOF after %s", took, err, tc.after)
				}
				stop()
				devservertest.Must(t, <-ended)
			})
		})
	}
}

// TestLongHeader checks that a request line is as long as 1,000 IDs in a list need, and not much longer: it is read before the key is known.
func TestLongHeader(t *testing.T) {
	t.Parallel()
	server, err := devserver.New(devserver.Config{Keys: []devserver.Key{{Value: "key", Workspaces: []string{devserver.DefaultWorkspaceID}}}})
	devservertest.Must(t, err)
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	devservertest.Must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	for length, want := range map[int]int{50_000: http.StatusUnauthorized, 100_000: http.StatusRequestHeaderFieldsTooLarge} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/v2/deployments?x="+strings.Repeat("x", length), nil)
		devservertest.Must(t, err)
		answer, err := http.DefaultClient.Do(request)
		devservertest.Must(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("a request line of %d bytes: status %d, want %d", length, answer.StatusCode, want)
		}
	}
	stop()
	devservertest.Must(t, <-ended)
}

// TestUnreadResponse checks that the connection of a client that doesn't read its response is closed.
func TestUnreadResponse(t *testing.T) {
	t.Parallel()
	server, err := devserver.New(devserver.Config{})
	devservertest.Must(t, err)
	defer server.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener, ended := make(devservertest.Pipes), make(chan error, 1)
		go func() { ended <- server.Serve(ctx, listener) }()
		client, served := net.Pipe()
		defer client.Close()
		listener <- served
		if _, err := io.WriteString(client, "GET /ui/assets/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(limits.WriteTime + time.Second)
		if left, err := io.ReadAll(client); err != nil || len(left) > 0 {
			t.Errorf("after %s, the client reads %d bytes: %v; want none", limits.WriteTime, len(left), err)
		}
		stop()
		devservertest.Must(t, <-ended)
	})
}

// TestReopen checks that a second server on the same file continues where the first one stopped, with the original rollout durations.
func TestReopen(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane #1?.db")
	clock := devserver.NewManualClock(devservertest.Start)
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock, Rollout: 20 * time.Second}))
	fault := devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "crash"}}
	devservertest.Must(t, p.Arm(fault))
	d := p.Create(devservertest.ImageRequest("chat", object{"source_config": object{"resource_spec": object{"cpu": 2, "labels": object{"a": "b"}}}},
		object{"secrets": []any{object{"name": "A", "value": "1"}}}))
	deleted := p.Create(devservertest.ImageRequest("deleted"))
	p.Do(http.MethodDelete, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNoContent)
	p.Stop()

	clock.Advance(4 * time.Second)
	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock, Rollout: time.Hour}))
	d.Status, d.UpdatedAt = api.DeploymentReady, "2026-05-02T10:00:02.000000Z"
	devservertest.Same(t, "deployment", d, p.Deployment(d.ID))
	devservertest.Same(t, "status of the deleted deployment", api.DeploymentAwaitingDelete, p.Deployment(deleted.ID).Status)
	devservertest.Same(t, "revisions", []api.RevisionStatus{api.RevisionAwaitingDeploy}, p.Revisions(d.ID))
	p.Stop()

	clock.Advance(time.Minute)
	p = devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data, Clock: clock}))
	p.Do(http.MethodGet, "/v2/deployments/"+deleted.ID, nil).Want(http.StatusNotFound)
	failed := devservertest.Get[api.Revision](p, "/v2/deployments/"+d.ID+"/revisions/"+*d.LatestRevisionID)
	if failed.Status != api.RevisionDeployFailed || failed.StatusMessage == nil || *failed.StatusMessage != "crash" {
		t.Errorf("revision = %+v, want it to fail with the fault's message", failed)
	}
}
