package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestSpacePage checks that the page shows what the projects of the workspace take, and no other project.
func TestSpacePage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{MaxBytes: 5 << 20}).As()
	if text := read(p, "/ui/space"); !strings.Contains(text, "No runs have been logged") || !strings.Contains(text, "0 bytes of the 5.0 MiB") {
		t.Errorf("the page of an empty workspace:\n%s", text)
	}
	devservertest.Must(t, p.Sample(t.Context(), devserver.DefaultWorkspaceID))
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodPost, "/runs", object{
		"id": devservertest.WorkspaceB, "name": "n", "run_type": "llm", "session_name": "of another workspace", "start_time": "2026-05-02T10:00:00Z"}).Want(http.StatusAccepted)
	text := read(p.As(), "/ui/space")
	contains(t, text, ">sample-docs-chat<", "5.0 MiB that the server allows", `<td class="number">24</td>`)
	if strings.Contains(text, "of another workspace") {
		t.Error("the page contains a project of another workspace")
	}
}
