package store_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestDamageServes_unraced damages each table of a recorded file, and sends the recorded requests until one reads the damage: it is answered with 503,
// and so is whatever would be acknowledged after that.
func TestDamageServes_unraced(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("../../testdata/recorded/*/sqlite.json.gz")
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no recordings: %v", err)
	}
	recording, beside := devservertest.ReadRecording(t, found[0]), filepath.Dir(found[0])
	sound := filepath.Join(t.TempDir(), "sound.db")
	devservertest.Must(t, os.WriteFile(sound, devservertest.Unpacked(t, filepath.Join(beside, "sqlite.db.gz")), 0o600))
	for table, page := range roots(t, sound, "type = 'table'") {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			data := copied(t, sound, filepath.Join(t.TempDir(), "plane.db"))
			copied(t, filepath.Join(beside, "sqlite.key"), data+"-key")
			damage(t, data, page)
			stopsAcknowledging(t, recording, data)
		})
	}
}

// stopsAcknowledging starts a server on a damaged file.
func stopsAcknowledging(t *testing.T, recording devservertest.Recording, data string) {
	t.Helper()
	server, err := devserver.New(devserver.Config{Data: data, Clock: devserver.NewManualClock(recording.Clock), Keys: recording.Keys, DevAPI: true})
	if err != nil {
		if strings.Count(err.Error(), "malformed") != 1 || strings.Count(err.Error(), "restore a backup") != 1 {
			t.Errorf("error at start = %v, want once that the file is malformed, and what to do", err)
		}
		return
	}
	defer server.Close()
	send := func(method, path, body string) devservertest.Reply {
		t.Helper()
		return recording.Send(t, server, devservertest.RecordedAnswer{
			Method: method, Path: path, Body: []byte(body), Key: recording.Keys[0].Value, WorkspaceID: recording.Keys[0].Workspaces[0],
		})
	}
	for _, a := range recording.Answers {
		if a.Dialect != "neutral" {
			continue
		}
		reply := recording.Send(t, server, a)
		if reply.Status != a.Status && reply.Status != http.StatusServiceUnavailable {
			t.Errorf("%s %s: status %d, want %d or 503", a.Method, a.Path, reply.Status, a.Status)
		}
		if reply.Status != http.StatusServiceUnavailable {
			continue
		}
		const text = "The data file of this server is damaged. Restore a backup, then start the server again."
		for path, body := range map[string]string{"/sessions": `{"name": "new"}`, "/runs/batch": `{"post": []}`, "/v2/auth/providers": `{}`} {
			if reply := send(http.MethodPost, path, body); reply.Status < http.StatusBadRequest {
				t.Errorf("POST %s: status %d, want it refused", path, reply.Status)
			}
		}
		send(http.MethodPost, "/sessions", `{"name": "newer"}`).Want(http.StatusServiceUnavailable).WantDetail(text)
		if ready := send(http.MethodGet, "/readyz", "").Want(http.StatusServiceUnavailable); !strings.Contains(string(ready.Body), "The data file is damaged.") {
			t.Errorf("/readyz = %s, want why", ready.Body)
		}
		return
	}
}
