package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLinks follows the links that clients print: to projects, runs and deployments with a key, and to shared runs without.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "key-a", Workspaces: []string{devservertest.WorkspaceA}}}}).As("X-Api-Key", "key-a")
	root := devservertest.RootRun(object{"name": "the root"})
	child := devservertest.ChildRun(root, object{"name": "the child", "inputs": object{"question": "why?"}})
	peer := devservertest.RootRun(object{"name": "the child", "run_type": "llm", "end_time": "2026-05-02T10:00:01Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, child, peer}}).Want(http.StatusAccepted)
	id := child["id"].(string)
	project := devservertest.Get[object](p, "/runs/"+id)["session_id"].(string)
	links := "/o/" + devservertest.WorkspaceA + "/projects/p/" + project
	html := func(p *plane, path string, status int) string {
		t.Helper()
		r := p.Do(http.MethodGet, path, nil).Want(status)
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: Content-Type %s, want a page", path, r.Header.Get("Content-Type"))
		}
		return string(r.Body)
	}
	if page := html(p, links+"?tab=3", http.StatusOK); !strings.Contains(page, "<h1>agents</h1>") || !strings.Contains(page, "the root") {
		t.Errorf("page of the project = %s", page)
	}
	if page := html(p, links+"/r/"+id+"?poll=true", http.StatusOK); !strings.Contains(page, "<h1>the child</h1>") {
		t.Errorf("page of the run = %s", page)
	}
	html(p.As(), links, http.StatusUnauthorized)
	d := p.Create(devservertest.ImageRequest("chat"))
	if page := html(p, "/o/"+devservertest.WorkspaceA+"/host/deployments/"+d.ID, http.StatusOK); !strings.Contains(page, "<h1>chat</h1>") {
		t.Errorf("page of the deployment = %s", page)
	}
	html(p, "/o/"+devservertest.WorkspaceA+"/projects/p/"+uuid.NewString(), http.StatusNotFound)

	token := devservertest.Into[object](p.Do(http.MethodPut, "/runs/"+id+"/share", object{}).Want(http.StatusOK))["share_token"].(string)
	page := html(p.As(), "/public/"+token+"/r", http.StatusOK)
	if !strings.Contains(page, "<h1>the child</h1>") || !strings.Contains(page, "why?") {
		t.Errorf("page of the shared run = %s, want its name and its inputs", page)
	}
	for _, hidden := range []string{root["id"].(string), peer["id"].(string), project, token, devservertest.WorkspaceA, "agents", "Compare", "raw"} {
		if strings.Contains(page, hidden) {
			t.Errorf("page of the shared run contains %q: %s", hidden, page)
		}
	}
	html(p.As(), "/public/"+uuid.NewString()+"/r", http.StatusNotFound)
	p.Do(http.MethodDelete, "/runs/"+id+"/share", nil).Want(http.StatusOK)
	html(p.As(), "/public/"+token+"/r", http.StatusNotFound)
}
