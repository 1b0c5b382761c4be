package tracing_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// IDs of projects chosen by clients.
const (
	projectA = "aaaaaaaa-3333-4000-8000-000000000000"
	projectB = "bbbbbbbb-3333-4000-8000-000000000000"
)

func createSession(p *plane, query string, request object) object {
	p.T.Helper()
	return devservertest.Into[object](p.Do(http.MethodPost, "/sessions"+query, request).Want(http.StatusOK))
}

func TestCreateSession(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	// As sent by the JavaScript client.
	made := createSession(p, "", object{"name": "plain", "extra": nil, "description": nil, "reference_dataset_id": nil, "start_time": nil})
	want := object{
		"id": made["id"], "tenant_id": devservertest.WorkspaceA, "name": "plain", "start_time": "2026-05-02T10:00:00.000000Z", "end_time": nil,
		"description": nil, "extra": nil, "reference_dataset_id": nil,
	}
	devservertest.Same(t, "minimal project", want, made)
	// As sent by the Python client: with an ID, in another notation.
	made = createSession(p, "?upsert=true", object{
		"id": "AAAAAAAA33334000800000000000000" + "0", "name": "full", "extra": object{"metadata": object{"a": 1}}, "description": "d",
		"start_time": "2026-05-01T00:00:00+02:00", "end_time": "2026-05-03T00:00:00", "reference_dataset_id": runA,
	})
	want = object{
		"id": projectA, "tenant_id": devservertest.WorkspaceA, "name": "full", "start_time": "2026-04-30T22:00:00.000000Z",
		"end_time": "2026-05-03T00:00:00.000000Z", "description": "d", "extra": object{"metadata": object{"a": 1.0}},
		"reference_dataset_id": runA,
	}
	for path, got := range map[string]object{"created": made, "read": devservertest.Get[object](p, "/api/v1/sessions/"+projectA)} {
		devservertest.Same(t, path, want, got)
	}
}

func TestCreateSessionTwice(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	createSession(p, "", object{"id": projectA, "name": "chat", "description": "first", "extra": object{"k": "v"}})
	for name, request := range map[string]object{
		"a name":           {"name": "chat"},
		"an id":            {"id": projectA, "name": "another"},
		"the same project": {"id": projectA, "name": "chat"},
	} {
		p.Do(http.MethodPost, "/sessions", request).Want(http.StatusConflict).WantDetail("Session already exists.")
		if found := devservertest.Get[[]object](p, "/sessions"); len(found) != 1 {
			t.Fatalf("projects after %s = %v, want one", name, found)
		}
	}
	// Upserting keeps the ID and absent fields.
	got := createSession(p, "?upsert=true", object{"id": projectB, "name": "chat", "description": "second", "extra": nil})
	devservertest.Same(t, "upserted", []any{projectA, "second", object{"k": "v"}}, []any{got["id"], got["description"], got["extra"]})
	devservertest.Same(t, "after the upsert", got, devservertest.Get[object](p, "/sessions/"+projectA))
	// Names are unique in a workspace, IDs in all workspaces.
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	b.Do(http.MethodPost, "/sessions", object{"id": projectA, "name": "of b"}).Want(http.StatusConflict)
	if createSession(b, "", object{"name": "chat"})["id"] == projectA {
		t.Error("projects of two workspaces have the same ID")
	}
}

func TestPatchSession(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	before := createSession(p, "", object{"id": projectA, "name": "chat", "description": "d", "extra": object{"a": 1, "b": 2}})
	createSession(p, "", object{"name": "taken"})
	path := "/sessions/" + projectA
	for _, step := range []struct {
		request, changed object
	}{
		{object{}, object{}},
		{object{"name": nil, "extra": nil, "description": nil, "end_time": nil}, object{}},
		{object{"name": "chat", "description": ""}, object{"description": ""}},
		{object{"extra": object{"c": 3}}, object{"extra": object{"c": 3.0}}},
		{object{"name": "renamed", "end_time": "2026-05-02T12:00:00Z"}, object{"name": "renamed", "end_time": "2026-05-02T12:00:00.000000Z"}},
	} {
		maps.Copy(before, step.changed)
		got := devservertest.Into[object](p.Do(http.MethodPatch, path, step.request).Want(http.StatusOK))
		devservertest.Same(t, fmt.Sprint(step.request), before, got)
		devservertest.Same(t, fmt.Sprintf("after %v", step.request), before, devservertest.Get[object](p, path))
	}
	p.Do(http.MethodPatch, path, object{"name": "taken"}).Want(http.StatusConflict).WantDetail("Session already exists.")
}

// TestDeleteSession checks that only the project's runs are deleted with it.
func TestDeleteSession(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	kept := devservertest.RootRun(object{"session_name": "kept"})
	attached := devservertest.RootRun()
	upload := devservertest.NewUpload(t).Add("post", kept).Add("post", attached)
	upload.Part("attachment."+attached["id"].(string)+".photo", "image/png", []byte("pixels"))
	upload.Send(p).Want(http.StatusAccepted)
	files := devservertest.Get[object](p, "/runs/"+attached["id"].(string))["s3_urls"].(object)["attachment.photo"].(object)
	address := files["presigned_url"].(string)[len(p.Web.URL):]
	p.Do(http.MethodGet, address, nil).Want(http.StatusOK)

	r := p.Do(http.MethodDelete, "/api/v1/sessions/"+seeded.project, nil).Want(http.StatusAccepted)
	wantMessage(t, r, "Session agents deleted.")
	p.Do(http.MethodDelete, "/sessions/"+seeded.project, nil).Want(http.StatusNotFound).
		WantDetail("Session ID " + seeded.project + " not found.")
	for name, id := range seeded.ids {
		if r := p.Do(http.MethodGet, "/runs/"+id, nil); r.Status != http.StatusNotFound {
			t.Errorf("run %s: status %d, want 404", name, r.Status)
		}
	}
	p.Do(http.MethodGet, address, nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/runs/"+kept["id"].(string), nil).Want(http.StatusOK)
	if got := stats(p, object{"select": []any{"run_count"}}); got["run_count"] != 1.0 {
		t.Errorf("%v runs left, want 1", got["run_count"])
	}
	// The name is available again.
	p.Do(http.MethodPost, "/runs", devservertest.RootRun()).Want(http.StatusAccepted)
}

func TestSessionsRefuse(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	createSession(p, "", object{"id": projectA, "name": "chat"})
	path := "/sessions/" + projectA
	for name, test := range map[string]struct {
		method, path string
		body         any
		want         []string
	}{
		"no body":             {http.MethodPost, "/sessions", nil, []string{" missing"}},
		"no name":             {http.MethodPost, "/sessions", object{}, []string{"name missing"}},
		"an empty name":       {http.MethodPost, "/sessions", object{"name": ""}, []string{"name string_too_short"}},
		"an id":               {http.MethodPost, "/sessions", object{"name": "a", "id": "a"}, []string{"id uuid_parsing"}},
		"a start":             {http.MethodPost, "/sessions", object{"name": "a", "start_time": "noon"}, []string{"start_time datetime_parsing"}},
		"a list for extra":    {http.MethodPost, "/sessions", object{"name": "a", "extra": []any{}}, []string{"extra dict_type"}},
		"upsert":              {http.MethodPost, "/sessions?upsert=perhaps", object{"name": "a"}, []string{"upsert bool_parsing"}},
		"a path":              {http.MethodGet, "/sessions/chat", nil, []string{"session_id uuid_parsing"}},
		"include_stats":       {http.MethodGet, path + "?include_stats=some", nil, []string{"include_stats bool_parsing"}},
		"stats_start_time":    {http.MethodGet, path + "?stats_start_time=noon", nil, []string{"stats_start_time datetime_parsing"}},
		"a name that is none": {http.MethodPatch, path, object{"name": ""}, []string{"name string_too_short"}},
		"an end":              {http.MethodPatch, path, object{"end_time": "noon"}, []string{"end_time datetime_parsing"}},
		"a list of changes":   {http.MethodPatch, path, []any{}, []string{" dict_type"}},
		"a path to delete":    {http.MethodDelete, "/sessions/chat", nil, []string{"session_id uuid_parsing"}},
		"limit":               {http.MethodGet, "/sessions?limit=101", nil, []string{"limit less_than_equal"}},
		"offset":              {http.MethodGet, "/sessions?offset=-1", nil, []string{"offset greater_than_equal"}},
		"metadata":            {http.MethodGet, "/sessions?metadata=[1]", nil, []string{"metadata json_type"}},
		"broken metadata":     {http.MethodGet, "/sessions?metadata={", nil, []string{"metadata json_type"}},
		"ids":                 {http.MethodGet, "/sessions?id=a&reference_dataset=b", nil, []string{"reference_dataset uuid_parsing", "id uuid_parsing"}},
		"reference_free":      {http.MethodGet, "/sessions?reference_free=x", nil, []string{"reference_free bool_parsing"}},
		"an order":            {http.MethodGet, "/sessions?sort_by=mood&sort_by_desc=x", nil, []string{"sort_by enum", "sort_by_desc bool_parsing"}},
	} {
		got := devservertest.Problems(p.Do(test.method, test.path, test.body).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, name, test.want, got)
	}
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
		b.Do(method, path, object{}).Want(http.StatusNotFound).WantDetail("Session ID " + projectA + " not found.")
	}
}

// TestLongProjectNames stores the longest names and refuses longer ones.
func TestLongProjectNames(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	createSession(p, "", object{"name": strings.Repeat("a", limits.ProjectName)})
	longest := strings.Repeat("b", limits.ProjectName)
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"session_name": longest})).Want(http.StatusAccepted)
	if found := devservertest.Into[[]object](p.Do(http.MethodGet, "/sessions?name="+longest, nil).Want(http.StatusOK)); len(found) != 1 {
		t.Errorf("%d projects have the longest name, want that of the run", len(found))
	}
	got := devservertest.Problems(p.Do(http.MethodPost, "/sessions", object{"name": strings.Repeat("a", limits.ProjectName+1)}).Want(http.StatusUnprocessableEntity))
	if diff := cmp.Diff([]string{"name string_too_long"}, got); diff != "" {
		t.Error("(-want +got):\n" + diff)
	}
	spans := p.As("Langsmith-Project", strings.Repeat("a", limits.ProjectName+1)).Do(http.MethodPost, "/otel/v1/traces", export(otelSpan(spanID(0), "", 0, nil)))
	if want := "the name of its project has more than 16384 bytes"; !strings.Contains(string(spans.Want(http.StatusOK).Body), want) {
		t.Errorf("spans are answered with %s, want %q", spans.Body, want)
	}
}

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
