package devserver_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// logRuns logs n single-run traces into a project, the first of which began at a time and the others a second later each.
func logRuns(t *testing.T, p *devservertest.Plane, project string, n int, began time.Time) (ids []string) {
	t.Helper()
	var posts []any
	for i := range n {
		at := began.Add(time.Duration(i) * time.Second).UTC()
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", at.Unix(), len(project)<<32+i)
		ids = append(ids, id)
		posts = append(posts, object{
			"id": id, "trace_id": id, "dotted_order": at.Format("20060102T150405000000Z") + id, "name": "call", "run_type": "llm", "session_name": project,
			"start_time": at.Format(time.RFC3339), "end_time": at.Add(time.Second).Format(time.RFC3339), "inputs": object{"q": "weather"}, "outputs": object{},
		})
		if len(posts) == 500 || i == n-1 {
			p.Do(http.MethodPost, "/runs/batch", object{"post": posts}).Want(http.StatusAccepted)
			posts = nil
		}
	}
	return ids
}

// TestDeletionGoesOn checks that a project with more runs than one transaction deletes disappears at once, that its runs are deleted in the
// background, and that a server started later goes on with it.
func TestDeletionGoesOn(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	p := devservertest.New(t, devserver.Config{Data: data})
	ids := logRuns(t, p, "large", 2000, devservertest.Start)
	session := devservertest.Get[[]object](p, "/sessions?name=large")[0]["id"].(string)
	p.Do(http.MethodDelete, "/sessions/"+session, nil).Want(http.StatusAccepted)
	p.Do(http.MethodGet, "/sessions/"+session, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/runs/"+ids[1999], nil).Want(http.StatusNotFound)
	p.Do(http.MethodPost, "/sessions", object{"name": "large"}).Want(http.StatusOK)
	p.Stop()

	p = devservertest.New(t, devserver.Config{Data: data})
	if err := p.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The ID is taken as long as anything of the project is left.
	p.Do(http.MethodPost, "/sessions", object{"name": "another", "id": session}).Want(http.StatusOK)
}
