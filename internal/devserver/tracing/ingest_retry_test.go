package tracing_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestIngestCutOff checks that a body that did not arrive in full gets an answer after which clients send it again. What they
// sent in full, and is invalid all the same, they are told to drop.
func TestIngestCutOff(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, test := range map[string]struct {
		head   string
		status int
	}{
		"multipart": {"POST /runs/multipart HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n", http.StatusRequestTimeout},
		"batch":     {"POST /runs/batch HTTP/1.1\r\nContent-Type: application/json\r\n", http.StatusRequestTimeout},
		"gzip":      {"POST /runs HTTP/1.1\r\nContent-Encoding: gzip\r\n", http.StatusRequestTimeout},
		"zstd":      {"POST /runs HTTP/1.1\r\nContent-Encoding: zstd\r\n", http.StatusRequestTimeout},
		// Exporters of spans send again after 429, 502, 503 and 504 only.
		"spans":            {"POST /otel/v1/traces HTTP/1.1\r\nContent-Type: application/x-protobuf\r\n", http.StatusServiceUnavailable},
		"compressed spans": {"POST /otel HTTP/1.1\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n", http.StatusServiceUnavailable},
	} {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Web.Listener.Addr().String())
		devservertest.Must(t, err)
		t.Cleanup(func() { connection.Close() })
		part := map[string]string{
			"multipart": "--b\r\nContent-Disposition: form-data; name=\"post." + runA + "\"\r\n\r\n{", "batch": `{"post":`,
			"gzip": "\x1f\x8b\x08\x00\x00\x00", "zstd": "\x28\xb5\x2f\xfd", "spans": "\x0a", "compressed spans": "\x1f\x8b\x08\x00\x00\x00",
		}[name]
		fmt.Fprintf(connection, "%sHost: localhost\r\nContent-Length: 1000\r\n\r\n%s", test.head, part)
		devservertest.Must(t, connection.(*net.TCPConn).CloseWrite())
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		devservertest.Must(t, err)
		if response.Body.Close(); response.StatusCode != test.status {
			t.Errorf("%s: status %d, want %d", name, response.StatusCode, test.status)
		}
	}
}

// TestMultipartNeverMissing checks that nothing about feedback in an upload is answered with 404, after which clients give up
// uploads for good.
func TestMultipartNeverMissing(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	r := devservertest.NewUpload(t).Rate(uuid.NewString(), object{"key": "k", "session_id": runA}).Send(p).Want(http.StatusUnprocessableEntity)
	if !strings.Contains(string(r.Body), runA) {
		t.Errorf("error = %s, want one that names the project", r.Body)
	}
}

// TestReplicas checks that what a client says of its other servers, which includes their keys, is not kept.
func TestReplicas(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	replicas := []any{object{"api_url": "https://other.example.com", "api_key": "sesame"}}
	single, batched, uploaded := devservertest.RootRun(object{"replicas": replicas}), devservertest.RootRun(object{"replicas": replicas}), devservertest.RootRun(object{"replicas": replicas})
	p.Do(http.MethodPost, "/runs", single).Want(http.StatusAccepted)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{batched}}).Want(http.StatusAccepted)
	devservertest.NewUpload(t).Add("post", uploaded).Send(p).Want(http.StatusAccepted)
	for _, run := range []object{single, batched, uploaded} {
		id := run["id"].(string)
		for _, path := range []string{"/runs/" + id, "/ui/workspaces/" + devservertest.WorkspaceA + "/runs/" + id + "/raw"} {
			if body := p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body; strings.Contains(string(body), "sesame") || strings.Contains(string(body), "replicas") {
				t.Errorf("%s has the replicas: %s", path, body)
			}
		}
	}
}
