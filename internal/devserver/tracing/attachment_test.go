package tracing_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// addressOf returns the path of a run's attachment.
func addressOf(t *testing.T, p *plane, runID, name string) string {
	t.Helper()
	files, _ := devservertest.Get[object](p, "/runs/"+runID)["s3_urls"].(object)
	file, _ := files["attachment."+name].(object)
	address, _ := file["presigned_url"].(string)
	path, ours := strings.CutPrefix(address, p.Web.URL)
	if !ours {
		t.Fatalf("attachment %s has the URL %q, want one on this server; attachments: %v", name, address, files)
	}
	return path
}

// TestAttachments checks that attachments of any size can be read unchanged with their URL alone.
func TestAttachments(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db"), Keys: []devserver.Key{
		{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}},
	}})).As("X-Api-Key", "key-a")
	large := strings.Repeat("0123456789abcdef", 5<<20/32+1) // Two and a half chunks.
	contents := map[string]string{"picture": "\x89PNG\r\n\x1a\n", "nothing": "", "large": large, "page": "<script>alert(1)</script>"}
	types := map[string]string{"picture": "image/png", "nothing": "text/plain", "large": "application/octet-stream", "page": "text/html"}
	run := devservertest.RootRun()
	id := run["id"].(string)
	u := devservertest.NewUpload(t)
	for name, content := range contents {
		u.Attach(id, name, types[name], content)
	}
	u.Add("post", run).Send(p).Want(http.StatusAccepted)
	for name, content := range contents {
		got := p.As().Do(http.MethodGet, addressOf(t, p, id, name), nil).Want(http.StatusOK)
		if !bytes.Equal(got.Body, []byte(content)) {
			t.Errorf("%s has %d bytes, want %d", name, len(got.Body), len(content))
		}
		if got.Header.Get("Content-Type") != types[name] || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: header = %v, want its type and a sandbox", name, got.Header)
		}
	}
	p.Do(http.MethodGet, "/attachments/"+runA, nil).Want(http.StatusNotFound).WantDetail("Attachment not found.")
}

// TestAttachmentsReplace checks that attachments are merged by name, that later ones replace earlier ones, and that a refused request changes nothing.
func TestAttachmentsReplace(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	run := devservertest.RootRun()
	id := run["id"].(string)
	devservertest.NewUpload(t).Add("post", run).Attach(id, "a", "text/plain", "first").Attach(id, "b", "text/plain", "b").Send(p).Want(http.StatusAccepted)
	devservertest.NewUpload(t).Attach(id, "a", "text/plain", "second").Attach(id, "c", "text/plain", "c").Send(p).Want(http.StatusAccepted)
	devservertest.NewUpload(t).Attach(id, "a", "text/plain", "third").Add("post", object{"id": runB, "run_type": "agent"}).Send(p).Want(http.StatusUnprocessableEntity)
	got := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		got[name] = string(p.Do(http.MethodGet, addressOf(t, p, id, name), nil).Want(http.StatusOK).Body)
	}
	devservertest.Same(t, "attachments", map[string]string{"a": "second", "b": "b", "c": "c"}, got)
}

// TestRefusedAttachments checks that attachments of refused requests aren't kept.
func TestRefusedAttachments(t *testing.T) {
	t.Parallel()
	const size, times = 4 << 20, 4
	data := filepath.Join(t.TempDir(), "runs.db")
	p := devservertest.New(t, devserver.Config{Data: data})
	for range times {
		run := devservertest.RootRun()
		u := devservertest.NewUpload(t).Attach(run["id"].(string), "photo", "image/png", strings.Repeat("x", size))
		u.Part("nobody knows", "application/json", nil)
		u.Send(p).Want(http.StatusUnprocessableEntity)
	}
	p.Stop()
	file, err := os.Stat(data)
	devservertest.Must(t, err)
	if file.Size() > 2*size {
		t.Errorf("the file has %d bytes after %d attachments of %d bytes were refused, want at most two of them", file.Size(), times, size)
	}
}
