package devserver_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// addressOf is where an attachment of a run is, as a path.
func addressOf(t *testing.T, p *plane, runID, name string) string {
	t.Helper()
	files, _ := get[object](p, "/runs/"+runID)["s3_urls"].(object)
	file, _ := files["attachment."+name].(object)
	address, _ := file["presigned_url"].(string)
	path, ours := strings.CutPrefix(address, p.web.URL)
	if !ours {
		t.Fatalf("attachment %s is at %q, among %v", name, address, files)
	}
	return path
}

// TestAttachments: they come back as they were, of any size, to whoever has the address.
func TestAttachments(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db"), Keys: []devserver.Key{
		{Value: "key-a", Workspaces: []string{workspaceA}},
	}}).as("X-Api-Key", "key-a")
	large := strings.Repeat("0123456789abcdef", 5<<20/32+1) // Two and a half pieces.
	contents := map[string]string{"picture": "\x89PNG\r\n\x1a\n", "nothing": "", "large": large, "page": "<script>alert(1)</script>"}
	types := map[string]string{"picture": "image/png", "nothing": "text/plain", "large": "application/octet-stream", "page": "text/html"}
	run := rootRun()
	id := run["id"].(string)
	u := newUpload(t)
	for name, content := range contents {
		u.attach(id, name, types[name], content)
	}
	u.add("post", run).send(p).want(http.StatusAccepted)
	for name, content := range contents {
		got := p.as().do(http.MethodGet, addressOf(t, p, id, name), nil).want(http.StatusOK)
		if !bytes.Equal(got.body, []byte(content)) {
			t.Errorf("%s has %d bytes, want %d", name, len(got.body), len(content))
		}
		if got.header.Get("Content-Type") != types[name] || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s has the header %v", name, got.header)
		}
	}
	p.do(http.MethodGet, "/attachments/"+runA, nil).want(http.StatusNotFound).wantDetail("Attachment not found.")
}

// TestAttachmentsReplace: the union by name, where the later one wins, and a refused request leaves nothing.
func TestAttachmentsReplace(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	run := rootRun()
	id := run["id"].(string)
	newUpload(t).add("post", run).attach(id, "a", "text/plain", "first").attach(id, "b", "text/plain", "b").send(p).want(http.StatusAccepted)
	newUpload(t).attach(id, "a", "text/plain", "second").attach(id, "c", "text/plain", "c").send(p).want(http.StatusAccepted)
	newUpload(t).attach(id, "a", "text/plain", "third").add("post", object{"id": runB, "run_type": "agent"}).send(p).want(http.StatusUnprocessableEntity)
	got := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		got[name] = string(p.do(http.MethodGet, addressOf(t, p, id, name), nil).want(http.StatusOK).body)
	}
	if diff := cmp.Diff(map[string]string{"a": "second", "b": "b", "c": "c"}, got); diff != "" {
		t.Errorf("attachments (-want +got):\n%s", diff)
	}
}
