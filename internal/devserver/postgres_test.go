package devserver_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// TestPostgresDown checks that a server answers 503 while its database is down, continues by itself, and logs no password. What was
// acknowledged before is still there.
func TestPostgresDown(t *testing.T) {
	t.Parallel()
	database := postgrestest.Own(t)
	var log lockedBuffer
	p := devservertest.New(t, devserver.Config{
		Data:    strings.Replace(database.Address("postgres"), "postgres@", "postgres:canary-password@", 1),
		SealKey: filepath.Join(t.TempDir(), "key"), Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	deployed := p.Create(devservertest.ImageRequest("kept"))
	run := devservertest.RootRun()
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	devservertest.Must(t, database.Crash())
	for _, path := range []string{"/v2/deployments", "/readyz"} {
		p.Do(http.MethodGet, path, nil).Want(http.StatusServiceUnavailable)
	}
	p.Do(http.MethodPost, "/v2/deployments", devservertest.ImageRequest("lost")).Want(http.StatusServiceUnavailable)
	p.Do(http.MethodPost, "/runs", devservertest.RootRun()).Want(http.StatusServiceUnavailable)
	devservertest.Must(t, database.Up())
	began := time.Now()
	again := func(method, path string, body any) {
		t.Helper()
		for p.Do(method, path, body).Status == http.StatusServiceUnavailable { // Each connection learns of the crash when it is used.
			if time.Since(began) > time.Minute {
				t.Fatalf("%s %s: the server can't use its database a minute after it is up", method, path)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	again(http.MethodGet, "/readyz", nil)
	again(http.MethodGet, "/v2/deployments/"+deployed.ID, nil)
	again(http.MethodGet, "/runs/"+run["id"].(string), nil)
	again(http.MethodPost, "/runs", devservertest.RootRun())
	if got := p.Deployment(deployed.ID); got.Name != "kept" {
		t.Errorf("deployment = %v, want kept", got)
	}
	p.Do(http.MethodGet, "/runs/"+run["id"].(string), nil).Want(http.StatusOK)
	p.Create(devservertest.ImageRequest("lost"))
	p.Stop()
	if bytes.Contains(log.buf.Bytes(), []byte("canary-password")) {
		t.Error("the log contains the password")
	}
	if warned := bytes.Count(log.buf.Bytes(), []byte("turn on fsync and full_page_writes")); warned != 1 {
		t.Errorf("warned %d times of the settings of the database, want once: %s", warned, &log.buf)
	}
}
