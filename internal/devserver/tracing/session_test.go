package tracing_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestTracingProjects(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	project := func() object {
		t.Helper()
		found := devservertest.Get[[]object](p, "/api/v1/sessions?name=chat")
		if len(found) == 0 {
			return nil
		}
		return found[0]
	}
	if found := project(); found != nil {
		t.Fatalf("project before the deployment = %v, want none", found)
	}
	d := p.Create(devservertest.ImageRequest("chat"))
	p.Create(devservertest.ImageRequest("chatter"))
	first := project()
	want := object{
		"id": first["id"], "tenant_id": devservertest.WorkspaceA, "name": "chat", "start_time": "2026-05-02T10:00:00.000000Z",
		"end_time": nil, "description": nil, "reference_dataset_id": nil, "extra": nil,
	}
	devservertest.Same(t, "project", want, first)
	path := "/api/v1/sessions/" + first["id"].(string)
	devservertest.Same(t, "project by its id", want, devservertest.Get[object](p, path))
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, path, nil).Want(http.StatusNotFound).
		WantDetail("Session ID " + first["id"].(string) + " not found.")
	p.Do(http.MethodGet, "/api/v1/sessions/chat", nil).Want(http.StatusUnprocessableEntity)
	if found := devservertest.Get[[]object](p, "/api/v1/sessions?name_contains=chat&limit=1"); len(found) != 1 || found[0]["name"] != "chatter" {
		t.Errorf("newest of two projects = %v, want chatter", found)
	}

	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID, nil).Want(http.StatusNoContent)
	devservertest.Same(t, "after the deletion", first, project())
	d = p.Create(devservertest.ImageRequest("chat"))
	devservertest.Same(t, "after the re-creation", first, project())
	p.Do(http.MethodDelete, "/v2/deployments/"+d.ID+"?delete_tracing_project=true", nil).Want(http.StatusNoContent)
	if found := project(); found != nil {
		t.Errorf("project after its deletion = %v, want none", found)
	}
}
